#include "server/session/document_session_impl.hpp"
#include "server/session/recovery.hpp"

namespace agent_doc::session {

void DocumentSession::Impl::tell_journal_problem() {
  if (const std::string problem = host_.journal().take_problem(); !problem.empty()) host_.show_message(MessageKind::Warning, problem);
}

void DocumentSession::Impl::learn_owner(const markdown::FrontMatter& front_matter) {
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  if (resume == nullptr || resume->is_map || resume->value.empty() || !owners_.owner_of(resume->value).empty()) return;
  const std::string agent = host_.journal().agent_of_session(resume->value);
  if (agents_.find(agent)) owners_.learn(resume->value, agent);
}

void DocumentSession::Impl::look_for_unsaved_reply(std::string_view text) {
  if (turn_ || recovering_) return;
  unsaved_.reset();
  unsaved_ = host_.journal().unsaved_reply(markdown::read_front_matter(text).value_of("agent_doc_session"), recorded_path());
  tell_journal_problem();
  if (unsaved_ && !can_recover(text, *unsaved_)) unsaved_.reset();
  if (!unsaved_) return;
  host_.show_message(MessageKind::Info,
                     "The last reply of " + unsaved_->agent + " in " + name() + " (" + unsaved_->state +
                         ") is not all there. “Insert what is missing of the last reply”, or `agent-doc recover FILE`, brings it back.");
}

/// The person may go on typing while the edit is under way, so it is made anew for every state of the text until one of them is the whole one.
Outcome<std::string> DocumentSession::Impl::recover_reply() {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": wait for its end"};
  if (!manuscript_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
  if (!can_recover_reply()) return Refusal{RefusalKind::Invalid, "nothing of the last reply is missing in " + name()};
  recovering_ = true;
  manuscript_.propose([reply = *unsaved_](const text::TextBuffer& now) { return identity_edit(now.text(), reply); });
  manuscript_.propose(
      [prompt = unsaved_->prompt, reply = unsaved_->text](const text::TextBuffer& now) { return recovery_edit(now.text(), prompt, reply); },
      sync::ProposalEnd::Landed);
  settle();
  return std::string();
}

void DocumentSession::Impl::note_recovery() {
  if (!recovering_ || manuscript_.is_busy()) return;
  recovering_ = false;
  placed_turn_ = unsaved_->turn;
  unsaved_.reset();
  host_.journal().reply_placed(placed_turn_, store::ReplyPlace::Client);
}

void DocumentSession::Impl::did_save() {
  manuscript_.did_save();
  if (placed_turn_.empty() || !manuscript_.is_open()) return;
  host_.journal().reply_placed(std::exchange(placed_turn_, {}), store::ReplyPlace::File);
}

}  // namespace agent_doc::session
