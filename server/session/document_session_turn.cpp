#include "server/markdown/turns.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/text/line_ends.hpp"

namespace agent_doc::session {

namespace document_session_turn_internal {

constexpr const char* kDocumentId = "agent_doc_session";

/// The document's id that `turn` proposed and that was given up with the reply; empty when there is none.
std::string lost_id(const CurrentTurn* turn) {
  if (turn == nullptr || !turn->front_matter().is_lost) return {};
  const std::vector<FrontMatterValue>& identity = turn->front_matter().identity;
  return !identity.empty() && identity.front().key == kDocumentId ? identity.front().value : std::string();
}

}  // namespace document_session_turn_internal

void DocumentSession::Impl::begin_turn(Beginning beginning, const markdown::FrontMatter& front_matter) {
  TurnPlan& plan = beginning.turn;
  session_plan_ = std::move(beginning.session);
  prompt_ = std::move(plan.prompt);
  lost_session_.clear();
  TurnTerms terms{host_.make_uuid(),
                  std::move(beginning.request),
                  session_plan_.agent,
                  session_plan_.other_owner,
                  session_plan_.of_folder,
                  prompt_.asked(),
                  plan.rounds,
                  plan.thinking};
  const Identity identity = identify(front_matter, terms.agent);
  const bool is_news = terms.of_folder != (turn_ ? turn_->terms().of_folder : std::string());
  permissions_.begin(link_->request().permissions);
  unsaved_.reset();
  recovering_ = false;
  placed_turn_.clear();
  host_.journal().turn_began({terms.id, identity.document, recorded_path(), terms.asked, terms.agent, session_plan_.launch.cwd});
  propose_front_matter(identity.missing, terms.agent);
  const std::string line_end = beginning.over ? beginning.over->line_end : std::string(text::most_frequent_line_end(manuscript_.text()));
  const auto on_reply = [this](std::size_t offset, std::string_view text) {
    manuscript_.text_came(text, host_.now());
    host_.journal().reply_changed(turn_->id(), offset, text);
    host_.reply_changed(turn_->id(), offset, text);
  };
  turn_ = std::make_unique<CurrentTurn>(std::move(terms), manuscript_, line_end, host_.journal(), on_reply, host_.now());
  turn_->front_matter().identity = identity.missing;
  if (beginning.over) {
    turn_->reply().open_over(beginning.over->region, std::move(beginning.over->standing));
  } else {
    turn_->reply().open(plan.frame_at, std::move(plan.frame), plan.typed);
  }
  manuscript_.turn_began(host_.now());
  if (!plan.warning.empty()) host_.show_message(MessageKind::Warning, name() + ": " + plan.warning);
  if (is_news && !turn_->terms().of_folder.empty()) host_.show_message(MessageKind::Info, turn_->terms().of_folder);
  if (!turn_->terms().other_owner.empty()) {
    host_.show_message(MessageKind::Info, turn_->agent() + " begins a session of its own in " + name() +
                                              " and is given the document to read; the session of " + turn_->terms().other_owner +
                                              " is kept.");
  }
  link_->begin_turn(plugins::TurnRequest{session_plan_.launch.prompt});
  settle();
}

DocumentSession::Impl::Identity DocumentSession::Impl::identify(const markdown::FrontMatter& front_matter, const std::string& agent) {
  namespace internal = document_session_turn_internal;
  Identity identity{front_matter.value_of(internal::kDocumentId), {}};
  if (identity.document.empty()) {
    identity.document = internal::lost_id(turn_.get());
    if (identity.document.empty()) identity.document = host_.make_uuid();
    identity.missing.push_back({internal::kDocumentId, identity.document});
  }
  if (front_matter.value_of("agent").empty()) identity.missing.push_back({"agent", agent});
  return identity;
}

void DocumentSession::Impl::propose_front_matter(std::vector<FrontMatterValue> values, const std::string& agent) {
  if (values.empty()) return;
  manuscript_.propose(
      [values = std::move(values), agent](const text::TextBuffer& now) { return add_front_matter(now.text(), values, agent); });
}

void DocumentSession::Impl::on_client_rewrites() {
  const bool recovers = std::exchange(recovering_, false);  // it has not come: the store keeps it, and it is offered again
  if (turn_) turn_->front_matter().is_lost = !recovers;
  const std::string again = recovers ? "Insert what is missing of the last reply" : "Write the rest of the reply";
  host_.show_message(MessageKind::Error,
                     "The editor changes what agent-doc inserts into " + name() +
                         ", so agent-doc stopped writing there. The whole reply is in `agent-doc log`. Turn off what rewrites "
                         "inserted text, then use “" +
                         again + "”.");
}

void DocumentSession::Impl::propose_lost_front_matter() {
  if (!std::exchange(turn_->front_matter().is_lost, false)) return;
  propose_front_matter(turn_->front_matter().identity, turn_->agent());
  if (!link_session_.empty()) note_session_as(link_session_);
  note_session();
}

void DocumentSession::Impl::note_session_as(const std::string& id) {
  const std::string noted = session_id_of(markdown::read_front_matter(manuscript_.text()), turn_->agent());
  turn_->front_matter().session_to_note = id;
  turn_->front_matter().note_when_answered = !noted.empty() && noted != id && turn_->terms().other_owner.empty();
}

void DocumentSession::Impl::note_session() {
  TurnFrontMatter& front_matter = turn_->front_matter();
  if (front_matter.session_to_note.empty()) return;
  const bool answered = turn_->has_text() || turn_->progress().state() == turn::TurnState::Done;
  if (front_matter.note_when_answered && !answered) return;
  // Once: what somebody types into the value when it stands there is theirs.
  manuscript_.propose(
      [agent = turn_->agent(), session = std::exchange(front_matter.session_to_note, {}), other = turn_->terms().other_owner](
          const text::TextBuffer& document) { return set_session(document.text(), agent, session, other); },
      sync::ProposalEnd::Landed);
}

void DocumentSession::Impl::end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind, std::string_view message) {
  turn_->progress().end(state, kind, message);
  turn_ended();
}

void DocumentSession::Impl::turn_ended() {
  permissions_.drop_all();
  prompt_ = {};
  lease_.reset();
  document_lease_.reset();
  turn_->end(host_.now());
  if (const std::string written = turn_->written_before_stop(); !written.empty()) {
    host_.show_message(MessageKind::Info, turn_->agent() + " in " + name() + " was stopped before it answered. It wrote last: " + written);
  }
  tell_journal_problem();
  manuscript_.turn_ended();
  const turn::Turn& progress = turn_->progress();
  if (progress.state() == turn::TurnState::Done && !turn_->has_text()) {
    host_.show_message(MessageKind::Info, turn_->agent() + " ended its turn in " + name() + " without any text. The prompt is still open.");
  }
  if (progress.state() == turn::TurnState::Failed) host_.show_message(MessageKind::Error, said_by_agent(progress.failure_message()));
  if (const std::string warning = progress.health().warning(); !warning.empty())
    host_.show_message(MessageKind::Warning, turn_->agent() + ": " + warning);
  host_.log(name() + ": turn " + std::string(turn::name_of(progress.state())) + "; " + turn_->health().sentence());
  if (const std::string types = progress.health().unrecognised_types(); !types.empty()) host_.log(name() + ": not recognised: " + types);
  if (!manuscript_.is_open()) retire_link(process::StopUrgency::Normal);
}

void DocumentSession::Impl::settle() {
  for (const sync::Notice& notice : manuscript_.take_notices()) tell(notice);
  put_reply_into_opened_text();
  if (const std::optional<sync::OutgoingEdit> edit = manuscript_.next(host_.now())) host_.send_edit(*edit);
  for (const sync::Notice& notice : manuscript_.take_notices()) tell(notice);
  note_recovery();
  tell_turn();
}

void DocumentSession::Impl::tell_turn() {
  if (!turn_) return;
  turn_->wake(host_.now());
  const CurrentTurn::News news = turn_->take_news();
  if (news == CurrentTurn::News::None) return;
  if (news == CurrentTurn::News::Landed) {
    placed_turn_ = turn_->id();
    host_.journal().reply_placed(turn_->id(), store::ReplyPlace::Client);
  }
  host_.turn_changed(turn_->view(host_.now()));
}

void DocumentSession::Impl::tell(const sync::Notice& notice) {
  const bool of_this_reply = turn_ && notice.region && *notice.region == turn_->reply().region();
  const bool is_lost = notice.kind == sync::NoticeKind::RegionPaused || notice.kind == sync::NoticeKind::RegionDetached;
  if (of_this_reply && is_lost && opening_) return turn_->reply().lost_by_opening();
  switch (notice.kind) {
    case sync::NoticeKind::RegionPaused:
      if (of_this_reply)
        host_.show_message(MessageKind::Info, "Text of the reply in " + name() +
                                                  " was taken back: agent-doc stopped writing it. “Write the rest of the reply” goes on.");
      return;
    case sync::NoticeKind::RegionResumed:
      return;
    case sync::NoticeKind::RegionDetached:
      if (of_this_reply) {
        host_.show_message(MessageKind::Warning,
                           "The place of the reply in " + name() +
                               " was deleted: agent-doc stopped writing it. Put back unchanged, by undo or paste, it goes on; “" +
                               std::string(title_of(continuation())) + "” writes it anew.");
      }
      return;
    case sync::NoticeKind::ShadowLost:
      host_.show_message(MessageKind::Error, "agent-doc and the editor disagree about the text of " + name() +
                                                 ": nothing more is written. Close the document and open it again.");
      return;
    case sync::NoticeKind::ClientIgnoresVersions:
      manuscript_.wait_for_silence();
      host_.log(name() + ": the editor does not check versions of edits; edits wait for silence now");
      return;
    case sync::NoticeKind::LineEndsAdopted:
      if (turn_) turn_->reply().line_ends_changed(notice);
      return;
    case sync::NoticeKind::ClientRewrites:
      return on_client_rewrites();
    case sync::NoticeKind::ClientKeepsRefusing:
      host_.show_message(MessageKind::Warning, "The editor keeps refusing to change " + name() +
                                                   " (is it read-only?). The reply goes on as soon as the document changes.");
      return;
  }
}

}  // namespace agent_doc::session
