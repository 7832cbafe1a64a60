#include "server/session/document_session_impl.hpp"
#include "server/session/retry_plan.hpp"

#include <algorithm>

namespace agent_doc::session {

/// A reply that a person has written into stays as it is: taking back only the agent's part of it would tear the rest apart.
Outcome<std::string> DocumentSession::Impl::retry() {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!turn_) return Refusal{RefusalKind::Invalid, "nothing was run in " + name() + " since agent-doc started: write a prompt and run it"};
  const std::string reply = standing_reply();
  if (reply.empty()) return run(RunRequest(request_));
  if (!reply_landed()) return Refusal{RefusalKind::Busy, "the last reply is not all written into " + name() + " yet: try again in a moment"};
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent || engine_.shadow().text().substr(extent->begin, extent->end - extent->begin) != reply) {
    return Refusal{RefusalKind::Invalid, "the last reply in " + name() + " was edited, so it is not replaced: ask again under the last `## User` heading"};
  }
  const markdown::FrontMatter front_matter = markdown::read_front_matter(engine_.shadow().text());
  Outcome<SessionPlan> session = plan_agent(front_matter, RunRequest{});
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  SessionPlan& plan = std::get<SessionPlan>(session);
  Outcome<TurnPlan> turn = plan_retry(engine_.shadow(), front_matter, extent->begin);
  if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
  plan.launch.prompt = std::get<TurnPlan>(turn).prompt.text(plan.knows);
  if (const std::optional<Refusal> refusal = connect(plan)) return *refusal;
  replaced_reply_ = reply;
  begin_turn(std::move(plan), std::move(std::get<TurnPlan>(turn)), front_matter, writer_->region());
  return turn_id_;
}

std::string DocumentSession::Impl::standing_reply() const {
  return turn_->reply().has_text() ? with_line_ends(turn_->reply().text(), line_end_) : replaced_reply_;
}

void DocumentSession::Impl::remember_turn() {
  const std::optional<sync::RegionExtent> extent = reply_extent();
  if (!extent) return;
  past_turns_.push_back({engine_.add_anchor(extent->begin), *turn_view()});
  if (past_turns_.size() > sync::kMaxAnchors) past_turns_.pop_front();
}

std::optional<sync::RegionExtent> DocumentSession::Impl::reply_extent() const {
  if (!turn_) return std::nullopt;
  return engine_.region_extent(writer_->region());
}

std::optional<TurnView> DocumentSession::Impl::turn_at(std::size_t begin, std::size_t end) const {
  const auto is_inside = [&](std::optional<std::size_t> place) { return place && begin <= *place && *place <= end; };
  const std::optional<sync::RegionExtent> reply = reply_extent();
  if (reply && is_inside(reply->begin)) return turn_view();
  const auto found = std::find_if(past_turns_.begin(), past_turns_.end(), [&](const PastTurn& past) { return is_inside(engine_.anchor(past.place)); });
  if (found == past_turns_.end()) return std::nullopt;
  return found->view;
}

}  // namespace agent_doc::session
