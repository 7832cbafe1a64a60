#include "server/session/conversation.hpp"
#include "server/session/retry_plan.hpp"
#include "server/session/unseen_by_agent.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::session {

namespace {

/// An agent that was asked to stop a turn and does not is stopped by signals after this.
constexpr std::chrono::milliseconds kCancelGrace{2000};

/// Where the blocks of a reply go: into the components that were there when the run began.
turn::PatchBlocks::TargetOf block_targets(const TurnPlan& plan) {
  return [components = plan.components, around = plan.around_reply](std::string_view name) {
    if (std::ranges::find(around, name) != around.end()) return turn::PatchTarget::Reply;
    if (std::ranges::find(components, name) != components.end())
      return turn::PatchTarget::Component;
    return turn::PatchTarget::Nowhere;
  };
}

}  // namespace

Outcome<std::string> Conversation::run(const RunRequest& request) {
  if (turn_running()) return queue(request);
  if (!manuscript_.is_open())
    return Refusal{RefusalKind::NotOpen,
                   name() + " is not in step with the editor: open it again, then run"};
  const markdown::FrontMatter front_matter = markdown::read_front_matter(manuscript_.text());
  agent_.learn_recorded_owner(front_matter);
  Outcome<SessionPlan> session = agent_.plan(front_matter, request);
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  TurnPlan plan = plan_turn(engine().shadow(), front_matter, request);
  if (std::optional<Refusal> refusal =
          agent_.take(std::move(std::get<SessionPlan>(session)), to_send(plan, front_matter, {})))
    return std::move(*refusal);
  RunRequest kept = request;
  kept.prompt_end.reset();  // of the text as it was
  remember_turn();
  begin_turn(std::move(plan), std::move(kept), front_matter, std::nullopt);
  return turn_->id();
}

/// A reply that a person has written into stays as it is: taking back only the agent's part of it
/// would tear the rest apart.
Outcome<std::string> Conversation::retry() {
  if (turn_running())
    return Refusal{RefusalKind::Busy,
                   "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!turn_)
    return Refusal{RefusalKind::Invalid, "nothing was run in " + name() +
                                             " since agent-doc started: write a prompt and run it"};
  if (is_queued())
    return Refusal{RefusalKind::Busy, "the next prompt in " + name() +
                                          " is queued: take it back first, or wait for its end"};
  const std::string reply = turn_->standing_reply();
  if (reply.empty()) return run(RunRequest(turn_->terms().request));
  if (!turn_->reply().has_landed())
    return Refusal{RefusalKind::Busy, "the last reply is not all written into " + name() +
                                          " yet: try again in a moment"};
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent || manuscript_.text().substr(extent->begin, extent->end - extent->begin) != reply) {
    return Refusal{
        RefusalKind::Invalid,
        "the last reply in " + name() +
            " was edited, so it is not replaced: ask again under the last `## User` heading"};
  }
  const markdown::FrontMatter front_matter = markdown::read_front_matter(manuscript_.text());
  agent_.learn_recorded_owner(front_matter);
  Outcome<SessionPlan> session = agent_.plan(front_matter, RunRequest{});
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  Outcome<TurnPlan> turn = plan_retry(engine().shadow(), front_matter, extent->begin);
  if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
  TurnPlan& plan = std::get<TurnPlan>(turn);
  if (std::optional<Refusal> refusal = agent_.take(std::move(std::get<SessionPlan>(session)),
                                                   to_send(plan, front_matter, turn_->id())))
    return std::move(*refusal);
  const ReplyInDocument& last = turn_->reply();
  begin_turn(std::move(plan), turn_->terms().request, front_matter,
             ReplyToReplace{last.region(), reply, last.line_end()});
  return turn_->id();
}

Outcome<Preview> Conversation::preview(const RunRequest& request) {
  if (turn_running())
    return Refusal{RefusalKind::Busy, "a turn is running in " + name() +
                                          ": what goes with the next one is known at its end"};
  if (!manuscript_.is_open())
    return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
  const markdown::FrontMatter front_matter = markdown::read_front_matter(manuscript_.text());
  agent_.learn_recorded_owner(front_matter);
  Outcome<SessionPlan> session = agent_.plan(front_matter, request);
  if (auto* refusal = std::get_if<Refusal>(&session)) return std::move(*refusal);
  TurnPlan turn = plan_turn(engine().shadow(), front_matter, request);
  SessionPlan& plan = std::get<SessionPlan>(session);
  ComposedPrompt composed = agent_.preview(plan, to_send(turn, front_matter, {}));
  if (composed.text.empty())
    return Refusal{RefusalKind::NothingToSend, std::move(turn.nothing_asked)};
  return Preview{std::move(plan.agent), std::move(plan.launch.session_id), plan.launch.start,
                 std::move(composed)};
}

ToSend Conversation::to_send(TurnPlan& plan, const markdown::FrontMatter& front_matter,
                             const std::string& instead_of) const {
  const auto earlier = [this, document = known_id(front_matter), instead_of](
                           const SessionPlan& session, SessionUse use) {
    return seen_.earlier_text(document, session, use, instead_of);
  };
  const bool asks_nothing_again = !instead_of.empty() && plan.prompt.asked().empty();
  return {std::move(plan.prompt), earlier, plan.nothing_asked,
          asks_nothing_again ? turn_->terms().sent_without_question : std::string()};
}

void Conversation::begin_turn(TurnPlan plan, RunRequest request,
                              const markdown::FrontMatter& front_matter,
                              std::optional<ReplyToReplace> over) {
  unseen_->forget();
  const SessionPlan& session = agent_.plan();
  TurnTerms terms{world_.make_uuid(), std::move(request),      session.agent, session.other_owner,
                  session.of_folder,  agent_.prompt().asked(), plan.rounds,   plan.thinking};
  terms.sent = agent_.take_sent();
  if (terms.asked.empty()) terms.sent_without_question = agent_.composed().text;
  const Identity identity = identify(front_matter, terms.agent);
  terms.document = identity.document;
  const bool is_news = terms.of_folder != (turn_ ? turn_->terms().of_folder : std::string());
  permissions_.begin(agent_.link()->request().permissions);
  recovery_.forget();
  world_.journal().turn_began({terms.id, identity.document, name_.recorded(), terms.asked,
                               terms.agent, session.launch.cwd, terms.sent.text, terms.sent.above});
  propose_front_matter(identity.missing, terms.agent);
  const std::string line_end =
      over ? over->line_end : std::string(text::most_frequent_line_end(manuscript_.text()));
  handed_over_.clear();
  const std::unique_ptr<CurrentTurn> earlier = std::move(turn_);
  turn_ = make_turn(std::move(terms), line_end);
  turn_->front_matter().identity = identity.missing;
  if (!plan.components.empty() || !plan.around_reply.empty())
    turn_->split_reply(block_targets(plan));
  if (over) {
    turn_->replace(*earlier);
    turn_->reply().open_over(over->region, std::move(over->standing));
  } else {
    turn_->reply().open(plan.frame_at, std::move(plan.frame), plan.typed);
  }
  manuscript_.turn_began(world_.now());
  if (!plan.warning.empty())
    client_.show_message(MessageKind::Warning, name() + ": " + plan.warning);
  if (is_news && !turn_->terms().of_folder.empty())
    client_.show_message(MessageKind::Info, turn_->terms().of_folder);
  if (!turn_->terms().other_owner.empty()) {
    client_.show_message(MessageKind::Info,
                         turn_->agent() + " begins a session of its own in " + name() +
                             " and is given the document to read; the session of " +
                             turn_->terms().other_owner + " is kept.");
  }
  agent_.begin_turn(turn_->id());
  settle();
}

std::unique_ptr<CurrentTurn> Conversation::make_turn(TurnTerms terms, std::string line_end) {
  const auto on_write = [this](const turn::RegionWrite& write) {
    manuscript_.text_came(write.text, world_.now());
    if (write.region != turn::kReplyRegion)
      return;  // the store and `agentDoc/reply` have the reply alone
    world_.journal().reply_changed(turn_->id(), write.offset, write.text);
    client_.reply_changed(turn_->id(), write.offset, write.text);
  };
  return std::make_unique<CurrentTurn>(std::move(terms), manuscript_, std::move(line_end),
                                       world_.journal(), on_write, world_.now());
}

void Conversation::tell_that_unknown() {
  client_.show_message(
      MessageKind::Info,
      "What " + turn_->agent() + " has seen of " + name() +
          " is not known here, so it got the question alone. What is changed from now on is told.");
}

bool Conversation::stop() {
  if (!turn_running()) return false;
  if (turn_->is_cancelling()) {
    agent_.link()->stop(process::StopUrgency::Normal);
    settle();
    return true;
  }
  permissions_.close();
  leave_queued("the turn before it was stopped");
  turn_->cancel(world_.now() + kCancelGrace);
  agent_.link()->cancel();
  settle();
  return true;
}

bool Conversation::answer(std::string_view turn, std::string_view permission,
                          std::string_view option) {
  if (!turn_ || turn != turn_->id() || !permissions_.answer(permission, std::string(option)))
    return false;
  settle();
  return true;
}

void Conversation::on_agent_line(std::size_t bytes) {
  if (turn_running()) turn_->on_line(bytes, world_.now());
}

void Conversation::on_prompt_sent() {
  if (turn_running()) turn_->progress().prompt_sent();
}

void Conversation::on_agent_stderr(std::string_view bytes) {
  if (turn_running()) turn_->on_error_output(bytes);
}

void Conversation::on_agent_event(const plugins::AgentEvent& event) {
  if (!turn_running()) return on_event_outside_of_turn(event);
  if (goes_on_in_new_session(event)) return;
  if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) {
    turn_->on_event(event, world_.now());
    return permissions_.asked(*asked);
  }
  if (const auto* heard = std::get_if<plugins::SteerHeard>(&event))
    return on_steer_heard(heard->text);
  if (std::holds_alternative<plugins::SteerRefused>(event)) return on_steer_refused();
  if (const auto* withdrawn = std::get_if<plugins::PermissionWithdrawn>(&event))
    return permissions_.withdrawn(withdrawn->id);
  if (const auto* notice = std::get_if<plugins::Notice>(&event);
      notice != nullptr && notice->kind == plugins::NoticeKind::Warning) {
    client_.show_message(MessageKind::Warning, said_by_agent(notice->text));
  }
  const bool had_arrived = turn_->has_arrived();
  turn_->on_event(event, world_.now());
  if (!had_arrived && turn_->has_arrived() && agent_.composed().is_unknown) tell_that_unknown();
  if (std::holds_alternative<plugins::Failure>(event)) return;  // its end follows
  if (const auto* started = std::get_if<plugins::SessionStarted>(&event)) {
    const std::string id(started->session_id);
    if (agent_.session_started(id)) note_session_as(id);
  }
  note_session();
  if (!turn_->is_running()) turn_ended();
}

plugins::FileAnswer Conversation::read_file(const plugins::FileRead& request) {
  return client_.read_file(request, agent_.link()->request().cwd);
}

plugins::FileAnswer Conversation::write_file(const plugins::FileWrite& request) {
  if (!turn_running() || turn_->is_cancelling())
    return {false, "no turn is running: nothing is written to " + request.path};
  return client_.write_file(request, agent_.link()->request().cwd);
}

void Conversation::on_agent_settled() {
  if (turn_) turn_->on_settled();
  settle();
  client_.wakeup_changed();
}

void Conversation::on_event_outside_of_turn(const plugins::AgentEvent& event) {
  const std::string_view text = said_outside_of_turn(event);
  if (!text.empty()) on_last_words(turn_->agent(), turn_->id(), text);
}

void Conversation::on_last_words(const std::string& agent, const std::string& turn,
                                 std::string_view text) {
  if (!turn.empty()) world_.journal().said_after_turn(turn, text);
  client_.show_message(MessageKind::Info,
                       agent + " said after its turn in " + name() + ": " + std::string(text));
}

bool Conversation::goes_on_in_new_session(const plugins::AgentEvent& event) {
  if (const auto* failure = std::get_if<plugins::Failure>(&event))
    return !turn_->has_text() && turn_->terms().goes_on_from.empty() &&
           agent_.lose_session(*failure);
  const auto* ended = std::get_if<plugins::TurnEnded>(&event);
  if (ended == nullptr || !agent_.has_lost_session()) return false;
  if (ended->outcome == plugins::Outcome::Cancelled || turn_->is_cancelling()) {
    const std::string why = agent_.take_lost_session();
    turn_->progress().on_event(plugins::Failure{plugins::FailureKind::SessionUnknown, why});
    return false;
  }
  begin_anew();
  return true;
}

void Conversation::begin_anew() {
  const AgentConnection::Anew anew = agent_.begin_anew();
  if (!anew.refusal.empty()) {
    return end_turn_from_outside(turn::TurnState::Failed, plugins::FailureKind::Unknown,
                                 anew.why + " A new session could not be begun: " + anew.refusal);
  }
  const bool forks = anew.instead_of == plugins::SessionStart::Fork;
  const std::string what = forks ? "The fork begins" : "The turn goes on in";
  client_.show_message(
      MessageKind::Warning,
      said_by_agent(anew.why) + " " + what +
          " a new session, which is given the document to read." +
          (forks ? "" : " `resume` keeps the old session until the new one has answered."));
  turn_->show_status("beginning a new session");
  agent_.begin_turn(turn_->id());
}

void Conversation::show_permission(const turn::Permission& permission) {
  turn_->progress().ask(permission);
  client_.ask_permission(turn_->id(), permission);
}

void Conversation::hide_permission(const std::string& id) {
  turn_->progress().permission_answered();
  client_.withdraw_permission(turn_->id(), id);
}

void Conversation::answer_permission(const std::string& id, const std::string& option) {
  turn_->on_answer(world_.now());
  if (agent_.link() != nullptr) agent_.link()->answer(id, option);
}

void Conversation::permission_denied(const turn::Permission& permission) {
  const std::string what =
      permission.tool + (permission.detail.empty() ? "" : ": " + permission.detail);
  client_.log(name() + ": denied by the configuration: " + what);
  turn_->show_status("denied by your configuration: " + what);
  if (!turn_->is_first_denial()) return;
  client_.show_message(MessageKind::Warning, turn_->agent() + " in " + name() +
                                                 " asked for a permission and got no, as your "
                                                 "configuration says (permissions = \"deny\"): " +
                                                 what);
}

void Conversation::end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind,
                                         std::string_view message) {
  turn_->progress().end(state, kind, message);
  turn_ended();
}

void Conversation::turn_ended() {
  permissions_.drop_all();
  agent_.release();
  if (const turn::TurnState state = turn_->progress().state(); state != turn::TurnState::Done)
    leave_queued("the turn before it has ended as " + std::string(turn::name_of(state)));
  settle_unheard();
  record_end();
  if (const std::string written = turn_->written_before_stop(); !written.empty()) {
    client_.show_message(MessageKind::Info,
                         turn_->agent() + " in " + name() +
                             " was stopped before it answered. It wrote last: " + written);
  }
  const turn::Turn& progress = turn_->progress();
  if (progress.state() == turn::TurnState::Done && !turn_->has_text()) {
    client_.show_message(MessageKind::Info, turn_->agent() + " ended its turn in " + name() +
                                                " without any text." +
                                                (is_queued() ? "" : " The prompt is still open."));
  }
  tell_end();
  if (!manuscript_.is_open()) agent_.retire(process::StopUrgency::Normal);
}

void Conversation::record_end() {
  turn_->end(world_.now());
  if (turn_->has_arrived()) {
    const TurnTerms& terms = turn_->terms();
    seen_.turn_ended(
        {terms.id, terms.agent, agent_.session(), terms.sent, turn_->progress().reply().text()});
  }
  tell_journal_problem();
  manuscript_.turn_ended();
}

void Conversation::tell_end() {
  const turn::Turn& progress = turn_->progress();
  if (progress.state() == turn::TurnState::Failed)
    client_.show_message(MessageKind::Error, said_by_agent(progress.failure_message()));
  if (const std::string warning = progress.health().warning(); !warning.empty())
    client_.show_message(MessageKind::Warning, turn_->agent() + ": " + warning);
  client_.log(name() + ": turn " + std::string(turn::name_of(progress.state())) + "; " +
              turn_->health().sentence());
  if (const std::string types = progress.health().unrecognised_types(); !types.empty())
    client_.log(name() + ": not recognised: " + types);
}

}  // namespace agent_doc::session
