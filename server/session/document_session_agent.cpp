#include "server/process/launch_error.hpp"
#include "server/session/document_session_impl.hpp"

#include <algorithm>

namespace agent_doc::session {

bool DocumentSession::Impl::link_serves(const SessionPlan& plan) const {
  if (!link_ || !link_->running() || link_->broken() || link_->lives_for_one_turn() || link_->spec().name != plan.agent) return false;
  if (link_->request().model != plan.launch.model || link_->request().cwd != plan.launch.cwd) return false;
  return plan.launch.start == plugins::SessionStart::Resume && plan.launch.session_id == link_session_;
}

std::optional<Refusal> DocumentSession::Impl::take(const SessionPlan& plan) {
  if (!name_.file.empty()) {
    LeaseOutcome leased = host_.lease_session("document", name_.file);
    if (const auto* holder = std::get_if<SessionHolder>(&leased)) {
      const std::string who = holder->pid == 0 ? "" : " (process " + std::to_string(holder->pid) + ")";
      return Refusal{RefusalKind::Busy, name() + " is busy: another agent-doc runs a turn in it" + who +
                                            ": wait until that reply is complete, or stop it there"};
    }
    document_lease_ = std::move(std::get<std::unique_ptr<SessionLease>>(leased));
  }
  std::optional<Refusal> refusal = connect(plan);
  if (refusal) document_lease_.reset();
  return refusal;
}

std::optional<Refusal> DocumentSession::Impl::connect(const SessionPlan& plan) {
  LeaseOutcome leased;
  if (plan.launch.start == plugins::SessionStart::Resume) leased = host_.lease_session(plan.agent, plan.launch.session_id);
  if (const auto* holder = std::get_if<SessionHolder>(&leased)) return Refusal{RefusalKind::Busy, is_held(plan.agent, *holder)};
  std::unique_ptr<SessionLease>& lease = std::get<std::unique_ptr<SessionLease>>(leased);
  const std::uint64_t uses = lease ? lease->uses() : 0;
  if (link_serves(plan) && (uses == 0 || uses == link_uses_ + 1)) {
    lease_ = std::move(lease);
    link_uses_ = uses;
    return std::nullopt;
  }
  const std::optional<plugins::AgentSpec> spec = agents_.find(plan.agent);
  std::unique_ptr<plugins::AgentProtocol> protocol = spec ? plugins::make_protocol(*spec) : nullptr;
  if (!protocol)
    return Refusal{RefusalKind::UnknownAgent, "there is no agent called " + plan.agent + ": " + agents_.how_to_get(plan.agent)};
  retire_link(process::StopUrgency::Normal);
  auto link = std::make_unique<AgentLink>(*spec, std::move(protocol), static_cast<AgentLinkOwner&>(*this));
  plugins::LaunchRequest request = plan.launch;
  request.permissions = spec->permissions;
  const auto started = link->start(
      request, [this](const plugins::Launch& launch, process::ChildObserver& observer) { return host_.launch(launch, observer); });
  if (!started) return could_not_start(plan, *spec, started.error());
  link_ = std::move(link);
  lease_ = std::move(lease);
  link_uses_ = uses;
  link_session_.clear();
  return std::nullopt;
}

Refusal DocumentSession::Impl::could_not_start(const SessionPlan& plan, const plugins::AgentSpec& spec,
                                               const boost::system::error_code& error) const {
  if (process::is_about_folder(error)) {
    return {RefusalKind::Invalid, "the agent " + plan.agent + " could not be started in the folder " + plan.launch.cwd + ": " +
                                      error.message() +
                                      ". Make that folder, or open the document from one that can be used, and run again"};
  }
  return {RefusalKind::UnknownAgent, "the agent " + plan.agent + " could not be started (`" + spec.command + "`: " + error.message() +
                                         "). " + agents_.how_to_get(plan.agent)};
}

std::string DocumentSession::Impl::is_held(const std::string& agent, const SessionHolder& holder) const {
  std::string where = holder.path.empty() || holder.path == recorded_path() ? "by another agent-doc" : "for " + holder.path;
  if (holder.pid != 0) where += " (process " + std::to_string(holder.pid) + ")";
  return "the session of " + agent + " in " + name() + " is in use " + where +
         ": wait for the end of that turn or stop it. To go on beside it, fork the document";
}

void DocumentSession::Impl::retire_link(process::StopUrgency urgency) {
  if (!link_) return;
  if (lease_) link_->hold(std::move(lease_));
  link_->retire(urgency, turn_ ? turn_->id() : std::string());
  retired_.push_back(std::move(link_));
}

void DocumentSession::Impl::on_agent_line(std::size_t bytes) {
  if (turn_running()) turn_->on_line(bytes, host_.now());
}

void DocumentSession::Impl::on_prompt_sent() {
  if (turn_running()) turn_->progress().prompt_sent();
}

void DocumentSession::Impl::on_agent_stderr(std::string_view bytes) {
  if (turn_running()) turn_->on_error_output(bytes);
}

void DocumentSession::Impl::on_agent_event(const plugins::AgentEvent& event) {
  if (!turn_running()) return hear_outside_of_turn(event);
  if (steps_down(event)) return;
  if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) return permissions_.asked(*asked);
  if (const auto* withdrawn = std::get_if<plugins::PermissionWithdrawn>(&event)) return permissions_.withdrawn(withdrawn->id);
  if (const auto* notice = std::get_if<plugins::Notice>(&event); notice != nullptr && notice->kind == plugins::NoticeKind::Warning) {
    host_.show_message(MessageKind::Warning, said_by_agent(notice->text));
  }
  turn_->on_event(event, host_.now());
  if (std::holds_alternative<plugins::Failure>(event)) return;  // its end follows
  if (const auto* started = std::get_if<plugins::SessionStarted>(&event)) session_started(*started);
  note_session();
  if (!turn_->is_running()) turn_ended();
}

plugins::FileAnswer DocumentSession::Impl::read_file(const plugins::FileRead& request) {
  return host_.read_file(request, link_->request().cwd);
}

plugins::FileAnswer DocumentSession::Impl::write_file(const plugins::FileWrite& request) {
  const plugins::PermissionPolicy policy = link_->request().permissions;
  if (policy == plugins::PermissionPolicy::Deny || policy == plugins::PermissionPolicy::Plan) {
    return {false, "the person's configuration allows no change of files: say in your reply what should be changed in " + request.path};
  }
  if (!turn_running() || turn_->is_cancelling()) return {false, "no turn is running: nothing is written to " + request.path};
  return host_.write_file(request, link_->request().cwd);
}

void DocumentSession::Impl::on_agent_settled() {
  if (turn_) turn_->on_settled();
  settle();
  host_.wakeup_changed();
}

void DocumentSession::Impl::hear_outside_of_turn(const plugins::AgentEvent& event) {
  const std::string_view text = said_outside_of_turn(event);
  if (!text.empty()) on_last_words(turn_->agent(), turn_->id(), text);
}

void DocumentSession::Impl::on_last_words(const std::string& agent, const std::string& turn, std::string_view text) {
  if (!turn.empty()) host_.journal().said_after_turn(turn, text);
  host_.show_message(MessageKind::Info, agent + " said after its turn in " + name() + ": " + std::string(text));
}

bool DocumentSession::Impl::steps_down(const plugins::AgentEvent& event) {
  if (const auto* failure = std::get_if<plugins::Failure>(&event)) {
    const bool no_session = failure->kind == plugins::FailureKind::SessionUnknown || failure->kind == plugins::FailureKind::ForkUnsupported;
    if (!no_session || session_plan_.launch.start == plugins::SessionStart::New || turn_->has_text()) return false;
    lost_session_ = failure->message;
    return true;
  }
  const auto* ended = std::get_if<plugins::TurnEnded>(&event);
  if (lost_session_.empty() || ended == nullptr) return false;
  if (ended->outcome == plugins::Outcome::Cancelled || turn_->is_cancelling()) {
    turn_->progress().on_event(plugins::Failure{plugins::FailureKind::SessionUnknown, std::exchange(lost_session_, {})});
    return false;
  }
  begin_anew();
  return true;
}

void DocumentSession::Impl::begin_anew() {
  const bool forks = session_plan_.launch.start == plugins::SessionStart::Fork;
  std::string why = std::exchange(lost_session_, {});
  const std::string folder = host_.journal().folder_of_session(turn_->agent(), session_plan_.launch.session_id);
  if (!folder.empty() && folder != session_plan_.launch.cwd) why += " That session was last used in the folder " + folder + ".";
  session_plan_.launch.start = plugins::SessionStart::New;
  session_plan_.launch.session_id.clear();
  session_plan_.launch.prompt = prompt_.text(turn::SessionKnows::Nothing);
  retire_link(process::StopUrgency::Normal);
  if (const std::optional<Refusal> refusal = connect(session_plan_)) {
    return end_turn_from_outside(turn::TurnState::Failed, plugins::FailureKind::Unknown,
                                 why + " A new session could not be begun: " + refusal->message);
  }
  const std::string what = forks ? "The fork begins" : "The turn goes on in";
  host_.show_message(MessageKind::Warning, said_by_agent(why) + " " + what + " a new session, which is given the document to read." +
                                               (forks ? "" : " `resume` keeps the old session until the new one has answered."));
  turn_->show_status("beginning a new session");
  link_->begin_turn(plugins::TurnRequest{session_plan_.launch.prompt});
}

void DocumentSession::Impl::session_started(const plugins::SessionStarted& started) {
  const std::string id(started.session_id);
  if (id.empty() || id == link_session_) return;
  const bool resumed = link_->request().start == plugins::SessionStart::Resume;
  if (resumed && link_session_.empty() && id != link_->request().session_id) {
    host_.show_message(MessageKind::Warning, turn_->agent() + " did not go on with session " + link_->request().session_id + " of " +
                                                 name() + " but began " + id + ": it may not know what was said before");
  }
  link_session_ = id;
  owners_.learn(id, turn_->agent());
  host_.journal().session_known(turn_->id(), id);
  if (!resumed || id != link_->request().session_id) lease_new_session(id);
  note_session_as(id);
}

void DocumentSession::Impl::lease_new_session(const std::string& id) {
  LeaseOutcome leased = host_.lease_session(turn_->agent(), id);
  auto* lease = std::get_if<std::unique_ptr<SessionLease>>(&leased);
  if (lease == nullptr) return host_.log(name() + ": " + is_held(turn_->agent(), std::get<SessionHolder>(leased)));
  lease_ = std::move(*lease);
  link_uses_ = lease_ ? lease_->uses() : 0;
}

void DocumentSession::Impl::show_permission(const turn::Permission& permission) {
  turn_->progress().ask(permission);
  host_.ask_permission(turn_->id(), permission);
}

void DocumentSession::Impl::hide_permission(const std::string& id) {
  turn_->progress().permission_answered();
  host_.withdraw_permission(turn_->id(), id);
}

void DocumentSession::Impl::answer_permission(const std::string& id, const std::string& option) {
  turn_->on_answer(host_.now());
  if (link_) link_->answer(id, option);
}

void DocumentSession::Impl::permission_denied(const turn::Permission& permission) {
  const std::string what = permission.tool + (permission.detail.empty() ? "" : ": " + permission.detail);
  host_.log(name() + ": denied by the configuration: " + what);
  turn_->show_status("denied by your configuration: " + what);
  if (!turn_->is_first_denial()) return;
  host_.show_message(MessageKind::Warning,
                     turn_->agent() + " in " + name() +
                         " asked for a permission and got no, as your configuration says (permissions = \"deny\"): " + what);
}

}  // namespace agent_doc::session
