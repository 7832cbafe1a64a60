#include "server/session/conversation.hpp"

#include "server/session/agent_write.hpp"
#include "server/session/unseen_by_agent.hpp"

#include <utility>

namespace agent_doc::session {

Conversation::Conversation(DocumentName name, text::PositionEncoding encoding, Pace pace,
                           World& world, DocumentClient& client)
    : name_(std::move(name)),
      world_(world),
      client_(client),
      manuscript_(encoding, pace),
      agent_(name_, world, client, *this),
      permissions_(*this),
      recovery_(manuscript_, world.journal()),
      seen_(world.journal()),
      unseen_(std::make_unique<UnseenByAgent>()) {}

Conversation::~Conversation() = default;

void Conversation::did_open(sync::Version version, std::string text, OpenedBy by) {
  look_for_unsaved_reply(text);
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  agent_.learn_recorded_owner(front_matter);
  agent_.learn_owners(front_matter);
  ++text_changes_;
  unseen_->forget();
  manuscript_.did_open(version, std::move(text), world_.now());
  opening_ = by;
  settle();
}

void Conversation::did_change(sync::Version version,
                              const std::vector<sync::ContentChange>& changes) {
  ++text_changes_;
  manuscript_.did_change(version, changes, world_.now());
  if (is_queued()) turn_->queued().text_is(text_below_reply(), world_.now());
  settle();
}

void Conversation::did_save() {
  manuscript_.did_save();
  recovery_.did_save();
}

void Conversation::did_close() {
  manuscript_.did_close();
  permissions_.cancel_all();  // nobody is there to answer
  leave_queued("the document was closed");
  if (!turn_running()) agent_.retire(process::StopUrgency::Normal);
  settle();
}

void Conversation::edit_answered(sync::Answer answer) {
  manuscript_.edit_answered(answer, world_.now());
  settle();
}

void Conversation::moved(DocumentName name) {
  name_ = std::move(name);
  const std::string id =
      markdown::read_front_matter(manuscript_.text()).value_of("agent_doc_session");
  if (!id.empty()) world_.journal().document_moved(id, name_.recorded());
}

Outcome<std::string> Conversation::write_text(std::string base, std::string text) {
  if (turn_running())
    return Refusal{RefusalKind::Busy,
                   "a reply is being written into " + name() + ": try again when it is complete"};
  if (!manuscript_.is_open())
    return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor"};
  manuscript_.propose(
      [base = std::move(base), text = std::move(text)](const text::TextBuffer& now) {
        return agent_write(base, text, now.text());
      },
      sync::ProposalEnd::Landed);
  settle();
  return std::string();
}

std::optional<TimePoint> Conversation::next_wakeup() const {
  if (agent_.has_gone()) return world_.now();
  std::optional<TimePoint> due = manuscript_.wakeup();
  if (const std::optional<TimePoint> of_turn = turn_ ? turn_->wakeup() : std::nullopt;
      of_turn && (!due || *of_turn < *due))
    due = of_turn;
  if (const std::optional<TimePoint> of_queue = queue_wakeup();
      of_queue && (!due || *of_queue < *due))
    due = of_queue;
  return due;
}

void Conversation::wake() {
  agent_.forget_gone();
  if (turn_ && turn_->take_overdue_cancel(world_.now()) && agent_.link() != nullptr)
    agent_.link()->stop(process::StopUrgency::Normal);
  settle();
  send_queued();
}

void Conversation::shut_down() {
  permissions_.close();
  unqueue();
  if (turn_) turn_->take_steered();
  if (turn_running()) {
    end_turn_from_outside(turn::TurnState::Interrupted, plugins::FailureKind::Unknown,
                          "the server ended while the turn was running");
  }
  agent_.shut_down();
  settle();
}

std::optional<TurnView> Conversation::turn_view() const {
  if (!turn_) return std::nullopt;
  return turn_->view(world_.now());
}

Outcome<AgentPlace> Conversation::agent_place(const std::string& agent) const {
  RunRequest request;
  request.agent = agent;
  Outcome<SessionPlan> planned =
      agent_.plan(markdown::read_front_matter(manuscript_.text()), request);
  if (auto* refusal = std::get_if<Refusal>(&planned)) return std::move(*refusal);
  SessionPlan& plan = std::get<SessionPlan>(planned);
  return AgentPlace{std::move(plan.agent), std::move(plan.launch.cwd)};
}

std::string Conversation::said_by_agent(std::string_view message) const {
  const std::string& agent = turn_->agent();
  if (const std::string prefix = agent + ": "; message.starts_with(prefix))
    message.remove_prefix(prefix.size());
  return agent + " in " + name() + ": " + std::string(message);
}

void Conversation::tell_journal_problem() {
  if (const std::string problem = world_.journal().take_problem(); !problem.empty())
    client_.show_message(MessageKind::Warning, problem);
}

void Conversation::settle() {
  for (const sync::Notice& notice : manuscript_.take_notices()) tell(notice);
  put_reply_into_opened_text();
  if (turn_) turn_->keep_max_lines();
  if (const std::optional<sync::OutgoingEdit> edit = manuscript_.next(world_.now()))
    client_.send_edit(*edit);
  for (const sync::Notice& notice : manuscript_.take_notices()) tell(notice);
  recovery_.look_again();
  look_at_handed_over();
  tell_turn();
}

void Conversation::tell_turn() {
  if (!turn_) return;
  turn_->wake(world_.now());
  const CurrentTurn::News news = turn_->take_news();
  if (news == CurrentTurn::News::None) return;
  if (news == CurrentTurn::News::Landed) recovery_.reply_landed(turn_->id());
  client_.turn_changed(turn_->view(world_.now()));
}

void Conversation::tell_component_lost(const std::string& component) {
  client_.show_message(MessageKind::Info,
                       "The component \"" + component + "\" in " + name() + " was edited where " +
                           turn_->agent() +
                           " writes: your text stays. All that it wrote is kept: agent-doc log");
}

void Conversation::tell(const sync::Notice& notice) {
  const bool of_this_reply = turn_ && notice.region && *notice.region == turn_->reply().region();
  const std::string component(turn_ && notice.region ? turn_->component_of(*notice.region)
                                                     : std::string_view());
  const bool is_lost = notice.kind == sync::NoticeKind::RegionPaused ||
                       notice.kind == sync::NoticeKind::RegionDetached;
  if (of_this_reply && is_lost && opening_) return turn_->reply().lost_by_opening();
  if (!component.empty() && is_lost) return tell_component_lost(component);
  if (is_lost && !of_this_reply && !opening_) tell_of_handed_over(notice);
  switch (notice.kind) {
    case sync::NoticeKind::RegionPaused:
      if (of_this_reply)
        client_.show_message(MessageKind::Info, "Text of the reply in " + name() +
                                                    " was taken back: agent-doc stopped writing "
                                                    "it. “Write the rest of the reply” goes on.");
      return;
    case sync::NoticeKind::RegionResumed:
      return;
    case sync::NoticeKind::RegionDetached:
      if (of_this_reply) {
        client_.show_message(MessageKind::Warning,
                             "The place of the reply in " + name() +
                                 " was deleted: agent-doc stopped writing it. Put back unchanged, "
                                 "by undo or paste, it goes on; “" +
                                 std::string(title_of(continuation())) + "” writes it anew.");
      }
      return;
    case sync::NoticeKind::ShadowLost:
      client_.show_message(MessageKind::Error,
                           "agent-doc and the editor disagree about the text of " + name() +
                               ": nothing more is written. Close the document and open it again.");
      return;
    case sync::NoticeKind::ClientIgnoresVersions:
      manuscript_.wait_for_silence();
      client_.log(name() +
                  ": the editor does not check versions of edits; edits wait for silence now");
      return;
    case sync::NoticeKind::LineEndsAdopted:
      if (turn_) turn_->line_ends_changed(notice);
      return;
    case sync::NoticeKind::ClientRewrites:
      return on_client_rewrites();
    case sync::NoticeKind::ClientKeepsRefusing:
      client_.show_message(
          MessageKind::Warning,
          "The editor keeps refusing to change " + name() +
              " (is it read-only?). The reply goes on as soon as the document changes.");
      return;
  }
}

}  // namespace agent_doc::session
