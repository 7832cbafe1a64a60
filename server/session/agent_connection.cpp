#include "server/session/agent_connection.hpp"

#include "server/process/launch_error.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::session {

Outcome<SessionPlan> AgentConnection::plan(const markdown::FrontMatter& front_matter,
                                           const RunRequest& request) const {
  WorkFolder folder = client_.work_folder();
  if (folder.path.empty()) return Refusal{RefusalKind::Invalid, std::move(folder.sentence)};
  Outcome<SessionPlan> session =
      plan_session(front_matter, request, world_.agents().default_agent(), folder.path, owners_);
  if (std::holds_alternative<Refusal>(session)) return session;
  SessionPlan& plan = std::get<SessionPlan>(session);
  if (const std::string named = front_matter.value_of("agent_doc_cwd"); !named.empty()) {
    FolderPlace place = world_.folder_inside(folder.path, plan.launch.cwd);
    if (place.path.empty()) {
      const std::string advice =
          place.advice == FolderPlace::Advice::MakeIt ? ", or make that folder" : "";
      return Refusal{RefusalKind::Invalid, "agent_doc_cwd `" + named + "` " + place.problem +
                                               ": correct it in the front matter" + advice};
    }
    plan.launch.cwd = std::move(place.path);
  }
  plan.of_folder = std::move(folder.sentence);
  if (const auto spec = world_.agents().find(plan.agent))
    keep_within(plugins::session_support(*spec), plan.launch);
  if (plan.launch.start == plugins::SessionStart::New) plan.knows = turn::SessionKnows::Nothing;
  if (serves(plan)) plan.knows = turn::SessionKnows::EarlierTurns;
  return session;
}

void AgentConnection::learn_recorded_owner(const markdown::FrontMatter& front_matter) {
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  if (resume == nullptr || resume->is_map || resume->value.empty() ||
      !owners_.owner_of(resume->value).empty())
    return;
  const std::string agent = world_.journal().agent_of_session(resume->value);
  if (world_.agents().find(agent)) owners_.learn(resume->value, agent);
}

bool AgentConnection::serves(const SessionPlan& plan) const {
  if (!link_ || !link_->running() || link_->broken() || link_->lives_for_one_turn() ||
      link_->spec().name != plan.agent)
    return false;
  if (link_->request().model != plan.launch.model || link_->request().cwd != plan.launch.cwd)
    return false;
  return plan.launch.start == plugins::SessionStart::Resume && plan.launch.session_id == session_;
}

std::optional<Refusal> AgentConnection::take(SessionPlan plan, ToSend to_send) {
  const bool is_new = plan.launch.start == plugins::SessionStart::New;
  if (is_new && to_send.prompt.asked().empty() && to_send.again.empty())
    return Refusal{RefusalKind::NothingToSend, std::move(to_send.nothing_asked)};
  turn::SeenDocument now = to_send.prompt.seen();
  held_ = Held{std::move(plan), std::move(to_send), std::move(now), {}, nullptr, nullptr, {}};
  std::optional<Refusal> refusal = take_document();
  if (!refusal) refusal = connect();
  if (refusal) release();
  return refusal;
}

ComposedPrompt AgentConnection::preview(const SessionPlan& plan, const ToSend& to_send) const {
  return compose_prompt(plan, to_send.prompt, to_send.prompt.seen(),
                        to_send.earlier(plan, use_of(plan, 0)));
}

SessionUse AgentConnection::use_of(const SessionPlan& plan, std::uint64_t uses) const {
  const bool is_ours = plan.launch.session_id == session_ && (uses == 0 || uses == uses_ + 1);
  return is_ours ? SessionUse::OnlyHere : SessionUse::PerhapsElsewhere;
}

std::optional<Refusal> AgentConnection::compose(SessionUse use) {
  SessionPlan& plan = held_->plan;
  const ToSend& to_send = held_->to_send;
  // A new session in the place of one that is lost is told of the changes, too, where they are all
  // that there is to answer.
  const std::string changes = std::move(held_->composed.changes);
  held_->composed = compose_prompt(plan, to_send.prompt, held_->now, to_send.earlier(plan, use));
  std::string& text = held_->composed.text;
  if (text.empty() && !changes.empty()) text = to_send.prompt.text_with_changes(changes);
  if (text.empty()) text = to_send.again;
  if (text.empty()) return Refusal{RefusalKind::NothingToSend, to_send.nothing_asked};
  plan.launch.prompt = text;
  return std::nullopt;
}

SentDocument AgentConnection::take_sent() {
  return {std::make_shared<const std::string>(std::move(held_->now.text)), held_->now.above};
}

std::optional<Refusal> AgentConnection::take_document() {
  if (name_.file.empty()) return std::nullopt;
  LeaseOutcome leased = world_.lease_session("document", name_.file, name_.recorded());
  if (const auto* holder = std::get_if<SessionHolder>(&leased)) {
    const std::string who =
        holder->pid == 0 ? "" : " (process " + std::to_string(holder->pid) + ")";
    return Refusal{RefusalKind::Busy, name_.last_part() +
                                          " is busy: another agent-doc runs a turn in it" + who +
                                          ": wait until that reply is complete, or stop it there"};
  }
  held_->document = std::move(std::get<std::unique_ptr<SessionLease>>(leased));
  return std::nullopt;
}

std::optional<Refusal> AgentConnection::connect() {
  const SessionPlan& plan = held_->plan;
  LeaseOutcome leased;
  if (plan.launch.start == plugins::SessionStart::Resume)
    leased = world_.lease_session(plan.agent, plan.launch.session_id, name_.recorded());
  if (const auto* holder = std::get_if<SessionHolder>(&leased))
    return Refusal{RefusalKind::Busy, is_held(plan.agent, *holder)};
  std::unique_ptr<SessionLease>& lease = std::get<std::unique_ptr<SessionLease>>(leased);
  const std::uint64_t uses = lease ? lease->uses() : 0;
  const SessionUse use = use_of(plan, uses);
  if (use == SessionUse::OnlyHere) uses_ = uses;
  if (std::optional<Refusal> refusal = compose(use)) return refusal;
  if (serves(plan) && use == SessionUse::OnlyHere) {
    held_->session = std::move(lease);
    return std::nullopt;
  }
  const std::optional<plugins::AgentSpec> spec = world_.agents().find(plan.agent);
  std::unique_ptr<plugins::AgentProtocol> protocol = spec ? plugins::make_protocol(*spec) : nullptr;
  if (!protocol)
    return Refusal{RefusalKind::UnknownAgent, "there is no agent called " + plan.agent + ": " +
                                                  world_.agents().how_to_get(plan.agent)};
  retire(process::StopUrgency::Normal);
  auto link = std::make_unique<AgentLink>(*spec, std::move(protocol), owner_);
  plugins::LaunchRequest request = plan.launch;
  request.permissions = spec->permissions;
  const auto started =
      link->start(request, [this](const plugins::Launch& launch, process::ChildObserver& observer) {
        return world_.launcher().launch(launch, observer);
      });
  if (!started) return could_not_start(*spec, started.error());
  link_ = std::move(link);
  held_->session = std::move(lease);
  uses_ = uses;
  session_.clear();
  return std::nullopt;
}

Refusal AgentConnection::could_not_start(const plugins::AgentSpec& spec,
                                         const boost::system::error_code& error) const {
  const SessionPlan& plan = held_->plan;
  if (process::is_about_folder(error)) {
    return {
        RefusalKind::Invalid,
        "the agent " + plan.agent + " could not be started in the folder " + plan.launch.cwd +
            ": " + error.message() +
            ". Make that folder, or open the document from one that can be used, and run again"};
  }
  return {RefusalKind::UnknownAgent, "the agent " + plan.agent + " could not be started (`" +
                                         spec.command + "`: " + error.message() + "). " +
                                         world_.agents().how_to_get(plan.agent)};
}

std::string AgentConnection::is_held(const std::string& agent, const SessionHolder& holder) const {
  std::string where = holder.path.empty() || holder.path == name_.recorded()
                          ? "by another agent-doc"
                          : "for " + holder.path;
  if (holder.pid != 0) where += " (process " + std::to_string(holder.pid) + ")";
  return "the session of " + agent + " in " + name_.last_part() + " is in use " + where +
         ": wait for the end of that turn or stop it. To go on beside it, fork the document";
}

void AgentConnection::begin_turn(const std::string& turn) {
  last_turn_ = turn;
  link_->begin_turn(plugins::TurnRequest{held_->plan.launch.prompt});
}

void AgentConnection::goes_on_in(const std::string& turn) {
  last_turn_ = turn;
  if (!session_.empty()) world_.journal().session_known(turn, session_);
}

bool AgentConnection::session_started(const std::string& id) {
  if (id.empty() || id == session_) return false;
  const std::string& agent = held_->plan.agent;
  const std::string& wanted = link_->request().session_id;
  const bool resumed = link_->request().start == plugins::SessionStart::Resume;
  if (resumed && session_.empty() && id != wanted) {
    client_.show_message(MessageKind::Warning, agent + " did not go on with session " + wanted +
                                                   " of " + name_.last_part() + " but began " + id +
                                                   ": it may not know what was said before");
  }
  session_ = id;
  owners_.learn(id, agent);
  world_.journal().session_known(last_turn_, id);
  if (!resumed || id != wanted) lease_new_session(id);
  return true;
}

void AgentConnection::lease_new_session(const std::string& id) {
  const std::string& agent = held_->plan.agent;
  LeaseOutcome leased = world_.lease_session(agent, id, name_.recorded());
  auto* lease = std::get_if<std::unique_ptr<SessionLease>>(&leased);
  if (lease == nullptr)
    return client_.log(name_.last_part() + ": " + is_held(agent, std::get<SessionHolder>(leased)));
  held_->session = std::move(*lease);
  uses_ = held_->session ? held_->session->uses() : 0;
}

bool AgentConnection::lose_session(const plugins::Failure& failure) {
  const bool no_session = failure.kind == plugins::FailureKind::SessionUnknown ||
                          failure.kind == plugins::FailureKind::ForkUnsupported;
  if (!no_session || held_->plan.launch.start == plugins::SessionStart::New) return false;
  held_->lost_session = failure.message;
  return true;
}

AgentConnection::Anew AgentConnection::begin_anew() {
  plugins::LaunchRequest& launch = held_->plan.launch;
  Anew anew{take_lost_session(), launch.start, {}};
  const std::string folder =
      world_.journal().folder_of_session(held_->plan.agent, launch.session_id);
  if (!folder.empty() && folder != launch.cwd)
    anew.why += " That session was last used in the folder " + folder + ".";
  launch.start = plugins::SessionStart::New;
  launch.session_id.clear();
  held_->plan.knows = turn::SessionKnows::Nothing;
  retire(process::StopUrgency::Normal);
  if (const std::optional<Refusal> refusal = connect()) anew.refusal = refusal->message;
  return anew;
}

void AgentConnection::retire(process::StopUrgency urgency) {
  if (!link_) return;
  if (held_ && held_->session) link_->hold(std::move(held_->session));
  link_->retire(urgency, last_turn_);
  retired_.push_back(std::move(link_));
}

void AgentConnection::shut_down() {
  retire(process::StopUrgency::Shutdown);
  for (const std::unique_ptr<AgentLink>& link : retired_)
    link->retire(process::StopUrgency::Shutdown);
}

bool AgentConnection::is_gone() const {
  return (!link_ || link_->gone()) && std::all_of(retired_.begin(), retired_.end(),
                                                  [](const auto& link) { return link->gone(); });
}

bool AgentConnection::has_gone() const {
  return std::any_of(retired_.begin(), retired_.end(),
                     [](const auto& link) { return link->gone(); });
}

void AgentConnection::forget_gone() {
  std::erase_if(retired_, [](const std::unique_ptr<AgentLink>& link) { return link->gone(); });
}

}  // namespace agent_doc::session
