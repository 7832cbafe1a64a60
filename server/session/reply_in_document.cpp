#include "server/session/reply_in_document.hpp"

#include "server/markdown/turns.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::session {

std::string_view title_of(Continuation continuation) {
  switch (continuation) {
    case Continuation::PutBelowPrompt:
      return "Put the whole reply below its prompt";
    case Continuation::PutAtEnd:
      return "Put the whole reply at the end";
    case Continuation::WriteRest:
    case Continuation::None:
      break;
  }
  return "Write the rest of the reply";
}

ReplyInDocument::ReplyInDocument(Manuscript& manuscript, std::string asked, std::string line_end)
    : manuscript_(manuscript),
      writer_(manuscript.regions(), line_end),
      asked_(std::move(asked)),
      line_end_(std::move(line_end)) {}

void ReplyInDocument::open(std::size_t at, sync::Frame frame, sync::TypedAtPlace typed) {
  writer_.write_to(manuscript_.regions().open_region(at, std::move(frame), typed));
}

void ReplyInDocument::open_over(sync::RegionId region, std::string standing) {
  replaced_ = std::move(standing);
  manuscript_.regions().reopen_region(region, replaced_);
  writer_.write_over(region);
}

void ReplyInDocument::finish() {
  finished_ = true;
  manuscript_.regions().finish_region(region());
}

void ReplyInDocument::retract() {
  finished_ = true;
  manuscript_.regions().retract_region(region());
}

std::string ReplyInDocument::text() const {
  return text::with_line_ends(writer_.text(), line_end_);
}

bool ReplyInDocument::has_stopped() const {
  return state() == sync::RegionState::Paused || state() == sync::RegionState::Detached;
}

Continuation ReplyInDocument::continuation() const {
  if (!has_stopped()) return Continuation::None;
  if (is_paused()) return Continuation::WriteRest;
  const ReplyPlace place = find_place();
  if (std::holds_alternative<PlaceInReply>(place)) return Continuation::WriteRest;
  return std::holds_alternative<PlaceBelowPrompt>(place) ? Continuation::PutBelowPrompt
                                                         : Continuation::PutAtEnd;
}

bool ReplyInDocument::stands_in(std::string_view document) const {
  return std::holds_alternative<PlaceInReply>(place_of_reply(document, asked_, text(), line_end_));
}

ReplyPlace ReplyInDocument::find_place() const {
  return place_of_reply(manuscript_.text(), asked_, text(), line_end_);
}

void ReplyInDocument::resume() {
  manuscript_.regions().resume_region(region());
  manuscript_.look_again();
}

void ReplyInDocument::put(const ReplyPlace& place) {
  sync::SyncEngine& regions = manuscript_.regions();
  const std::string& document = manuscript_.text();
  std::size_t standing = 0;
  lost_by_opening_ = false;
  regions.give_up_region(region());
  if (const auto* there = std::get_if<PlaceInReply>(&place)) {
    standing = there->reply.end - there->reply.begin;
    writer_.write_again(regions.adopt_region(there->reply, there->frame), line_end_, standing);
  } else if (const auto* below = std::get_if<PlaceBelowPrompt>(&place)) {
    writer_.write_again(regions.open_region(below->at, below->frame), line_end_, standing);
  } else {
    const std::size_t at = std::min(document.find_last_not_of(" \t\r\n") + 1, document.size());
    const markdown::InlineFrame frame = markdown::make_frame(document, at, line_end_);
    writer_.write_again(regions.open_region(at, sync::Frame{frame.head, frame.tail}), line_end_,
                        standing);
  }
  if (finished_) regions.finish_region(region());
  manuscript_.look_again();
}

void ReplyInDocument::line_ends_changed(const sync::Notice& notice) {
  line_end_ = notice.line_end;
  if (notice.region == region()) writer_.adopt_line_ends(notice.reply_offset, notice.line_end);
}

bool ReplyInDocument::is_lost_by_opening() {
  lost_by_opening_ = lost_by_opening_ && has_stopped();
  return lost_by_opening_;
}

}  // namespace agent_doc::session
