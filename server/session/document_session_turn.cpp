#include "server/markdown/turns.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/text/line_ends.hpp"

namespace agent_doc::session {

void DocumentSession::Impl::begin_turn(SessionPlan session, TurnPlan plan, const markdown::FrontMatter& front_matter,
                                       std::optional<sync::RegionId> rewritten) {
  turn_id_ = host_.make_uuid();
  session_plan_ = std::move(session);
  prompt_ = std::move(plan.prompt);
  asked_ = prompt_.asked();
  lost_by_opening_ = false;
  lost_session_.clear();
  session_to_note_.clear();
  denial_told_ = false;
  permissions_.begin(link_->request().permissions);
  began_at_ = host_.now();
  heard_at_ = began_at_;
  longest_silence_ = {};
  first_text_.reset();
  cancel_deadline_.reset();
  landed_told_ = false;
  stuck_told_ = false;
  told_revision_.reset();
  unsaved_.reset();
  recovering_ = false;
  placed_turn_.clear();
  host_.journal().turn_began({turn_id_, propose_identity(front_matter), recorded_path(), asked_, agent_, session_plan_.launch.cwd});
  if (!rewritten) {
    line_end_ = text::most_frequent_line_end(engine_.shadow().text());
    replaced_reply_.clear();
  }
  writer_ = std::make_unique<ReplyWriter>(engine_, line_end_, [this](std::size_t offset, std::string_view text) {
    pacer_.text_came(text, host_.now());
    host_.journal().reply_changed(turn_id_, offset, text);
    host_.reply_changed(turn_id_, offset, text);
  });
  if (rewritten) {
    engine_.reopen_region(*rewritten, replaced_reply_);
    writer_->write_over(*rewritten);
  } else {
    writer_->write_to(engine_.open_region(plan.frame_at, std::move(plan.frame), plan.typed));
  }
  thoughts_.emplace([this](std::string_view thought) { host_.journal().thought(turn_id_, thought); });
  silence_.emplace(began_at_);
  printed_.clear();
  turn_.emplace(plan.rounds, plan.thinking, *writer_);
  pacer_.turn_began(began_at_);
  if (!plan.warning.empty()) host_.show_message(MessageKind::Warning, name() + ": " + plan.warning);
  const bool is_news = session_plan_.of_folder != told_of_folder_;
  told_of_folder_ = session_plan_.of_folder;
  if (is_news && !told_of_folder_.empty()) host_.show_message(MessageKind::Info, told_of_folder_);
  if (!session_plan_.other_owner.empty()) {
    host_.show_message(MessageKind::Info, agent_ + " begins a session of its own in " + name() +
                                              " and is given the document to read; the session of " + session_plan_.other_owner +
                                              " is kept.");
  }
  link_->begin_turn(plugins::TurnRequest{session_plan_.launch.prompt});
  settle();
}

std::string DocumentSession::Impl::propose_identity(const markdown::FrontMatter& front_matter) {
  constexpr const char* kId = "agent_doc_session";
  const bool has_lost_id = std::exchange(front_matter_lost_, false) && !identity_.empty() && identity_.front().key == kId;
  std::string document = front_matter.value_of(kId);
  std::vector<FrontMatterValue> missing;
  if (document.empty()) {
    document = has_lost_id ? identity_.front().value : host_.make_uuid();
    missing.push_back({kId, document});
  }
  if (front_matter.value_of("agent").empty()) missing.push_back({"agent", agent_});
  identity_ = missing;
  if (!missing.empty()) propose_front_matter(std::move(missing));
  return document;
}

void DocumentSession::Impl::propose_front_matter(std::vector<FrontMatterValue> values) {
  engine_.propose(
      [values = std::move(values), agent = agent_](const text::TextBuffer& now) { return add_front_matter(now.text(), values, agent); });
  pacer_.look_again();
}

void DocumentSession::Impl::on_client_rewrites() {
  const bool recovers = std::exchange(recovering_, false);  // it has not come: the store keeps it, and it is offered again
  front_matter_lost_ = !recovers;
  const std::string again = recovers ? "Insert what is missing of the last reply" : "Write the rest of the reply";
  host_.show_message(MessageKind::Error,
                     "The editor changes what agent-doc inserts into " + name() +
                         ", so agent-doc stopped writing there. The whole reply is in `agent-doc log`. Turn off what rewrites "
                         "inserted text, then use “" +
                         again + "”.");
}

void DocumentSession::Impl::propose_lost_front_matter() {
  if (!std::exchange(front_matter_lost_, false)) return;
  if (!identity_.empty()) propose_front_matter(identity_);
  session_to_note_ = link_session_;
  note_session();
}

void DocumentSession::Impl::end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind, std::string_view message) {
  turn_->end(state, kind, message);
  turn_ended();
}

void DocumentSession::Impl::turn_ended() {
  ended_at_ = host_.now();
  cancel_deadline_.reset();
  permissions_.drop_all();
  prompt_ = {};
  if (turn_->reply().has_text()) {
    engine_.finish_region(writer_->region());
  } else {
    engine_.retract_region(writer_->region());
  }
  lease_.reset();
  document_lease_.reset();
  thoughts_->finish();
  keep_what_was_printed();
  host_.journal().turn_ended(turn_id_, totals());
  tell_journal_problem();
  pacer_.turn_ended();
  if (turn_->state() == turn::TurnState::Done && !turn_->reply().has_text()) {
    host_.show_message(MessageKind::Info, agent_ + " ended its turn in " + name() + " without any text. The prompt is still open.");
  }
  if (turn_->state() == turn::TurnState::Failed) host_.show_message(MessageKind::Error, said_by_agent(turn_->failure_message()));
  if (const std::string warning = turn_->health().warning(); !warning.empty())
    host_.show_message(MessageKind::Warning, agent_ + ": " + warning);
  host_.log(name() + ": turn " + std::string(turn::name_of(turn_->state())) + "; " + health().sentence());
  if (const std::string types = turn_->health().unrecognised_types(); !types.empty()) host_.log(name() + ": not recognised: " + types);
  if (!engine_.is_open()) retire_link(process::StopUrgency::Normal);
}

void DocumentSession::Impl::settle() {
  for (const sync::Notice& notice : engine_.take_notices()) tell(notice);
  put_reply_into_opened_text();
  const TimePoint now = host_.now();
  if (const std::optional<sync::OutgoingEdit> edit = pacer_.next(now)) host_.send_edit(*edit);
  for (const sync::Notice& notice : engine_.take_notices()) tell(notice);
  note_recovery();
  tell_turn();
}

void DocumentSession::Impl::tell_turn() {
  if (!turn_) return;
  silence_->wake(host_.now());
  turn_->show_silence(silence_->status());
  const bool landed = !turn_running() && reply_landed();
  const bool stuck = can_continue_reply();
  if (told_revision_ == turn_->revision() && landed == landed_told_ && stuck == stuck_told_) return;
  told_revision_ = turn_->revision();
  if (landed && !landed_told_ && turn_->reply().has_text()) {
    placed_turn_ = turn_id_;
    host_.journal().reply_placed(turn_id_, store::ReplyPlace::Client);
  }
  landed_told_ = landed;
  stuck_told_ = stuck;
  host_.turn_changed(*turn_view());
}

void DocumentSession::Impl::tell(const sync::Notice& notice) {
  const bool of_this_reply = writer_ && notice.region && *notice.region == writer_->region();
  const bool is_lost = notice.kind == sync::NoticeKind::RegionPaused || notice.kind == sync::NoticeKind::RegionDetached;
  if (of_this_reply && is_lost && opening_) {
    lost_by_opening_ = true;
    return;
  }
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
      pacer_.wait_for_silence();
      host_.log(name() + ": the editor does not check versions of edits; edits wait for silence now");
      return;
    case sync::NoticeKind::LineEndsAdopted:
      line_end_ = notice.line_end;
      if (of_this_reply) writer_->adopt_line_ends(notice.reply_offset, notice.line_end);
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
