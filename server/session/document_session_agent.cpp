#include "server/process/launch_error.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/text/visible.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace document_session_agent_internal {

/// Of what an agent prints that is no part of a reply, the first; for the log.
constexpr std::size_t kMaxPrinted = 64 * 1024;

}  // namespace document_session_agent_internal

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
  agent_ = plan.agent;
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
  link_->retire(urgency, turn_id_);
  retired_.push_back(std::move(link_));
}

void DocumentSession::Impl::on_agent_line(std::size_t bytes) {
  if (!turn_running()) return;
  const TimePoint now = host_.now();
  longest_silence_ = std::max(longest_silence_, std::chrono::duration_cast<std::chrono::milliseconds>(now - heard_at_));
  heard_at_ = now;
  silence_->heard(now);
  turn_->on_line(bytes);
}

void DocumentSession::Impl::on_prompt_sent() {
  if (turn_running()) turn_->prompt_sent();
}

void DocumentSession::Impl::on_agent_stderr(std::string_view bytes) {
  if (turn_running()) silence_->error_output(bytes);
}

std::string DocumentSession::Impl::with_error_output(std::string_view failure) const {
  std::string text(failure);
  const std::string written = silence_->written_in_silence();
  const std::size_t last = written.rfind('\n');
  const std::string_view newest = std::string_view(written).substr(last == std::string::npos ? 0 : last + 1);
  if (newest.empty() || failure.find(newest) != std::string_view::npos) return text;
  return text + "\nIt wrote last: " + written;
}

void DocumentSession::Impl::note_printed(std::string_view line) {
  if (printed_.size() >= document_session_agent_internal::kMaxPrinted) return;
  printed_.append(text::visible_line(line.substr(0, document_session_agent_internal::kMaxPrinted))).push_back('\n');
}

void DocumentSession::Impl::keep_what_was_printed() {
  const turn::TurnState state = turn_->state();
  if (state == turn::TurnState::Done && turn_->reply().has_text()) return;
  if (!printed_.empty()) host_.journal().printed(turn_id_, printed_);
  const std::string written = silence_->written();
  if (!written.empty()) host_.journal().printed(turn_id_, written);
  const std::string newest = silence_->written_in_silence();
  if (state != turn::TurnState::Cancelled || turn_->reply().has_text() || newest.empty()) return;
  host_.show_message(MessageKind::Info, agent_ + " in " + name() + " was stopped before it answered. It wrote last: " + newest);
}

void DocumentSession::Impl::on_agent_event(const plugins::AgentEvent& event) {
  if (!turn_running()) return hear_outside_of_turn(event);
  if (steps_down(event)) return;
  if (const auto* printed = std::get_if<plugins::Printed>(&event)) note_printed(printed->text);
  if (const auto* malformed = std::get_if<plugins::Malformed>(&event)) note_printed(malformed->line);
  if (const auto* failure = std::get_if<plugins::Failure>(&event)) {
    const std::string message = with_error_output(failure->message);
    return turn_->on_event(plugins::Failure{failure->kind, message});
  }
  if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) return permissions_.asked(*asked);
  if (const auto* withdrawn = std::get_if<plugins::PermissionWithdrawn>(&event)) return permissions_.withdrawn(withdrawn->id);
  if (const auto* notice = std::get_if<plugins::Notice>(&event); notice != nullptr && notice->kind == plugins::NoticeKind::Warning) {
    host_.show_message(MessageKind::Warning, said_by_agent(notice->text));
  }
  thoughts_->on_event(event);
  turn_->on_event(event);
  if (!first_text_ && turn_->reply().has_text())
    first_text_ = std::chrono::duration_cast<std::chrono::milliseconds>(host_.now() - began_at_);
  if (const auto* started = std::get_if<plugins::SessionStarted>(&event)) session_started(*started);
  note_session();
  if (turn::is_terminal(turn_->state())) turn_ended();
}

plugins::FileAnswer DocumentSession::Impl::read_file(const plugins::FileRead& request) {
  return host_.read_file(request, link_->request().cwd);
}

plugins::FileAnswer DocumentSession::Impl::write_file(const plugins::FileWrite& request) {
  const plugins::PermissionPolicy policy = link_->request().permissions;
  if (policy == plugins::PermissionPolicy::Deny || policy == plugins::PermissionPolicy::Plan) {
    return {false, "the person's configuration allows no change of files: say in your reply what should be changed in " + request.path};
  }
  if (!turn_running() || cancel_deadline_) return {false, "no turn is running: nothing is written to " + request.path};
  return host_.write_file(request, link_->request().cwd);
}

void DocumentSession::Impl::on_agent_settled() {
  if (silence_) silence_->settled();
  settle();
  host_.wakeup_changed();
}

void DocumentSession::Impl::hear_outside_of_turn(const plugins::AgentEvent& event) {
  const std::string_view text = said_outside_of_turn(event);
  if (!text.empty()) on_last_words(agent_, turn_id_, text);
}

void DocumentSession::Impl::on_last_words(const std::string& agent, const std::string& turn, std::string_view text) {
  if (!turn.empty()) host_.journal().said_after_turn(turn, text);
  host_.show_message(MessageKind::Info, agent + " said after its turn in " + name() + ": " + std::string(text));
}

bool DocumentSession::Impl::steps_down(const plugins::AgentEvent& event) {
  if (const auto* failure = std::get_if<plugins::Failure>(&event)) {
    const bool no_session = failure->kind == plugins::FailureKind::SessionUnknown || failure->kind == plugins::FailureKind::ForkUnsupported;
    if (!no_session || session_plan_.launch.start == plugins::SessionStart::New || turn_->reply().has_text()) return false;
    lost_session_ = failure->message;
    return true;
  }
  const auto* ended = std::get_if<plugins::TurnEnded>(&event);
  if (lost_session_.empty() || ended == nullptr) return false;
  if (ended->outcome == plugins::Outcome::Cancelled || cancel_deadline_) {
    turn_->on_event(plugins::Failure{plugins::FailureKind::SessionUnknown, std::exchange(lost_session_, {})});
    return false;
  }
  begin_anew();
  return true;
}

void DocumentSession::Impl::begin_anew() {
  const bool forks = session_plan_.launch.start == plugins::SessionStart::Fork;
  std::string why = std::exchange(lost_session_, {});
  const std::string folder = host_.journal().folder_of_session(agent_, session_plan_.launch.session_id);
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
  turn_->on_event(plugins::Notice{plugins::NoticeKind::Status, "beginning a new session"});
  link_->begin_turn(plugins::TurnRequest{session_plan_.launch.prompt});
}

void DocumentSession::Impl::session_started(const plugins::SessionStarted& started) {
  const std::string id(started.session_id);
  if (id.empty() || id == link_session_) return;
  const bool resumed = link_->request().start == plugins::SessionStart::Resume;
  if (resumed && link_session_.empty() && id != link_->request().session_id) {
    host_.show_message(MessageKind::Warning, agent_ + " did not go on with session " + link_->request().session_id + " of " + name() +
                                                 " but began " + id + ": it may not know what was said before");
  }
  link_session_ = id;
  owners_.learn(id, agent_);
  host_.journal().session_known(turn_id_, id);
  if (!resumed || id != link_->request().session_id) lease_new_session(id);
  session_to_note_ = id;
  const std::string noted = session_id_of(markdown::read_front_matter(engine_.shadow().text()), agent_);
  note_when_answered_ = !noted.empty() && noted != id && session_plan_.other_owner.empty();
}

void DocumentSession::Impl::lease_new_session(const std::string& id) {
  LeaseOutcome leased = host_.lease_session(agent_, id);
  auto* lease = std::get_if<std::unique_ptr<SessionLease>>(&leased);
  if (lease == nullptr) return host_.log(name() + ": " + is_held(agent_, std::get<SessionHolder>(leased)));
  lease_ = std::move(*lease);
  link_uses_ = lease_ ? lease_->uses() : 0;
}

void DocumentSession::Impl::note_session() {
  if (session_to_note_.empty()) return;
  const bool answered = turn_->reply().has_text() || turn_->state() == turn::TurnState::Done;
  if (note_when_answered_ && !answered) return;
  // Once: what somebody types into the value when it stands there is theirs.
  engine_.propose([agent = agent_, session = std::exchange(session_to_note_, {}), other = session_plan_.other_owner](
                      const text::TextBuffer& document) { return set_session(document.text(), agent, session, other); },
                  sync::ProposalEnd::Landed);
  pacer_.look_again();
}

void DocumentSession::Impl::show_permission(const turn::Permission& permission) {
  turn_->ask(permission);
  host_.ask_permission(turn_id_, permission);
}

void DocumentSession::Impl::hide_permission(const std::string& id) {
  turn_->permission_answered();
  host_.withdraw_permission(turn_id_, id);
}

void DocumentSession::Impl::answer_permission(const std::string& id, const std::string& option) {
  silence_->heard(host_.now());
  if (link_) link_->answer(id, option);
}

void DocumentSession::Impl::permission_denied(const turn::Permission& permission) {
  const std::string what = permission.tool + (permission.detail.empty() ? "" : ": " + permission.detail);
  host_.log(name() + ": denied by the configuration: " + what);
  turn_->on_event(plugins::Notice{plugins::NoticeKind::Status, "denied by your configuration: " + what});
  if (std::exchange(denial_told_, true)) return;
  host_.show_message(
      MessageKind::Warning,
      agent_ + " in " + name() + " asked for a permission and got no, as your configuration says (permissions = \"deny\"): " + what);
}

}  // namespace agent_doc::session
