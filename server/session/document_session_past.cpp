#include "server/markdown/turns.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/session/retry_plan.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>

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

/// A reply that a person has written into stays as it is: taking back only the agent's part of it would tear the rest apart.
Outcome<std::string> DocumentSession::Impl::retry() {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!turn_) return Refusal{RefusalKind::Invalid, "nothing was run in " + name() + " since agent-doc started: write a prompt and run it"};
  const std::string reply = standing_reply();
  if (reply.empty()) return run(RunRequest(request_));
  if (!reply_landed())
    return Refusal{RefusalKind::Busy, "the last reply is not all written into " + name() + " yet: try again in a moment"};
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent || engine_.shadow().text().substr(extent->begin, extent->end - extent->begin) != reply) {
    return Refusal{RefusalKind::Invalid,
                   "the last reply in " + name() + " was edited, so it is not replaced: ask again under the last `## User` heading"};
  }
  const markdown::FrontMatter front_matter = markdown::read_front_matter(engine_.shadow().text());
  learn_owner(front_matter);
  Outcome<SessionPlan> session = plan_agent(front_matter, RunRequest{});
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  SessionPlan& plan = std::get<SessionPlan>(session);
  Outcome<TurnPlan> turn = plan_retry(engine_.shadow(), front_matter, extent->begin);
  if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
  plan.launch.prompt = std::get<TurnPlan>(turn).prompt.text(plan.knows);
  if (const std::optional<Refusal> refusal = take(plan)) return *refusal;
  replaced_reply_ = reply;
  begin_turn(std::move(plan), std::move(std::get<TurnPlan>(turn)), front_matter, writer_->region());
  return turn_id_;
}

std::string DocumentSession::Impl::standing_reply() const {
  return turn_->reply().has_text() ? text::with_line_ends(turn_->reply().text(), line_end_) : replaced_reply_;
}

void DocumentSession::Impl::remember_turn() {
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent) return;
  past_turns_.push_back({engine_.add_anchor(extent->begin), *turn_view()});
  if (past_turns_.size() > sync::kMaxAnchors) past_turns_.pop_front();
}

std::string DocumentSession::Impl::reply_in_document() const {
  return text::with_line_ends(turn_->reply().text(), line_end_);
}

ReplyPlace DocumentSession::Impl::find_place() const {
  return place_of_reply(engine_.shadow().text(), asked_, reply_in_document(), line_end_);
}

bool DocumentSession::Impl::stands_in(std::string_view text) const {
  if (text == engine_.shadow().text()) return true;
  return turn_ && std::holds_alternative<PlaceInReply>(place_of_reply(text, asked_, reply_in_document(), line_end_));
}

/// What stands in the document is not written again.
void DocumentSession::Impl::put_reply(const ReplyPlace& place) {
  const std::string& text = engine_.shadow().text();
  std::size_t standing = 0;
  lost_by_opening_ = false;
  engine_.give_up_region(writer_->region());
  if (const auto* there = std::get_if<PlaceInReply>(&place)) {
    standing = there->reply.end - there->reply.begin;
    writer_->write_again(engine_.adopt_region(there->reply, there->frame), line_end_, standing);
  } else if (const auto* below = std::get_if<PlaceBelowPrompt>(&place)) {
    writer_->write_again(engine_.open_region(below->at, below->frame), line_end_, standing);
  } else {
    const std::size_t at = std::min(text.find_last_not_of(" \t\r\n") + 1, text.size());
    const markdown::InlineFrame frame = markdown::make_frame(text, at, line_end_);
    writer_->write_again(engine_.open_region(at, sync::Frame{frame.head, frame.tail}), line_end_, standing);
  }
  if (!turn_running()) engine_.finish_region(writer_->region());
}

void DocumentSession::Impl::put_reply_into_opened_text() {
  if (!opening_ || engine_.in_flight()) return;
  const OpenedBy by = *std::exchange(opening_, std::nullopt);
  lost_by_opening_ = lost_by_opening_ && can_continue_reply();
  if (!lost_by_opening_ || !engine_.is_open()) return;
  const ReplyPlace place = find_place();
  // What the person left in the file when they closed the document stays so, but for a reply that is there.
  const bool is_there = std::holds_alternative<PlaceInReply>(place);
  if (std::holds_alternative<NoPlace>(place) || (by == OpenedBy::File && !is_there)) return tell_lost_by_opening();
  put_reply(place);
  pacer_.look_again();
}

void DocumentSession::Impl::tell_lost_by_opening() {
  host_.show_message(MessageKind::Warning, name() + " was closed without being saved while " + agent_ +
                                               " replied in it, so the reply has no place in its text now. The reply is kept: it is "
                                               "written below its prompt as soon as the document "
                                               "is opened with that prompt, and `agent-doc recover FILE` puts it there, too.");
}

std::optional<sync::RegionExtent> DocumentSession::Impl::reply_extent() const {
  if (!turn_) return std::nullopt;
  return engine_.region_extent(writer_->region());
}

std::optional<TurnView> DocumentSession::Impl::turn_at(std::size_t begin, std::size_t end) const {
  const auto is_inside = [&](std::optional<std::size_t> place) { return place && begin <= *place && *place <= end; };
  const std::optional<sync::RegionExtent> reply = reply_extent();
  if (reply && is_inside(reply->begin)) return turn_view();
  const auto found =
      std::find_if(past_turns_.begin(), past_turns_.end(), [&](const PastTurn& past) { return is_inside(engine_.anchor(past.place)); });
  if (found == past_turns_.end()) return std::nullopt;
  return found->view;
}

}  // namespace agent_doc::session
