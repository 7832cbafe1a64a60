#include "server/markdown/turns.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/session/retry_plan.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>

namespace agent_doc::session {

/// A reply that a person has written into stays as it is: taking back only the agent's part of it would tear the rest apart.
Outcome<std::string> DocumentSession::Impl::retry() {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!turn_) return Refusal{RefusalKind::Invalid, "nothing was run in " + name() + " since agent-doc started: write a prompt and run it"};
  const std::string reply = turn_->standing_reply();
  if (reply.empty()) return run(RunRequest(turn_->terms().request));
  if (!turn_->reply().has_landed())
    return Refusal{RefusalKind::Busy, "the last reply is not all written into " + name() + " yet: try again in a moment"};
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent || manuscript_.text().substr(extent->begin, extent->end - extent->begin) != reply) {
    return Refusal{RefusalKind::Invalid,
                   "the last reply in " + name() + " was edited, so it is not replaced: ask again under the last `## User` heading"};
  }
  const markdown::FrontMatter front_matter = markdown::read_front_matter(manuscript_.text());
  learn_owner(front_matter);
  Outcome<SessionPlan> session = plan_agent(front_matter, RunRequest{});
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  SessionPlan& plan = std::get<SessionPlan>(session);
  Outcome<TurnPlan> turn = plan_retry(engine().shadow(), front_matter, extent->begin);
  if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
  plan.launch.prompt = std::get<TurnPlan>(turn).prompt.text(plan.knows);
  if (const std::optional<Refusal> refusal = take(plan)) return *refusal;
  begin_turn({std::move(plan), std::move(std::get<TurnPlan>(turn)), turn_->terms().request,
              ReplyToReplace{turn_->reply().region(), reply, turn_->reply().line_end()}},
             front_matter);
  return turn_->id();
}

void DocumentSession::Impl::remember_turn() {
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent) return;
  past_turns_.push_back({manuscript_.regions().add_anchor(extent->begin), *turn_view()});
  if (past_turns_.size() > sync::kMaxAnchors) past_turns_.pop_front();
}

bool DocumentSession::Impl::stands_in(std::string_view text) const {
  return text == manuscript_.text() || (turn_ && turn_->reply().stands_in(text));
}

void DocumentSession::Impl::put_reply_into_opened_text() {
  if (!opening_ || engine().in_flight()) return;
  const OpenedBy by = *std::exchange(opening_, std::nullopt);
  if (!turn_ || !turn_->reply().is_lost_by_opening() || !manuscript_.is_open()) return;
  const ReplyPlace place = turn_->reply().find_place();
  // What the person left in the file when they closed the document stays so, but for a reply that is there.
  const bool is_there = std::holds_alternative<PlaceInReply>(place);
  if (std::holds_alternative<NoPlace>(place) || (by == OpenedBy::File && !is_there)) return tell_lost_by_opening();
  turn_->reply().put(place);
}

void DocumentSession::Impl::tell_lost_by_opening() {
  host_.show_message(MessageKind::Warning, name() + " was closed without being saved while " + turn_->agent() +
                                               " replied in it, so the reply has no place in its text now. The reply is kept: it is "
                                               "written below its prompt as soon as the document "
                                               "is opened with that prompt, and `agent-doc recover FILE` puts it there, too.");
}

std::optional<sync::RegionExtent> DocumentSession::Impl::reply_extent() const {
  if (!turn_) return std::nullopt;
  return turn_->reply().extent();
}

std::optional<TurnView> DocumentSession::Impl::turn_at(std::size_t begin, std::size_t end) const {
  const auto is_inside = [&](std::optional<std::size_t> place) { return place && begin <= *place && *place <= end; };
  const std::optional<sync::RegionExtent> reply = reply_extent();
  if (reply && is_inside(reply->begin)) return turn_view();
  const auto found =
      std::find_if(past_turns_.begin(), past_turns_.end(), [&](const PastTurn& past) { return is_inside(engine().anchor(past.place)); });
  if (found == past_turns_.end()) return std::nullopt;
  return found->view;
}

}  // namespace agent_doc::session
