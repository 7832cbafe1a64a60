#include "server/session/conversation.hpp"
#include "server/session/document_parts.hpp"
#include "server/session/unseen_by_agent.hpp"

#include <numeric>
#include <utility>

namespace agent_doc::session {

void Conversation::look_for_unseen(const DocumentParts& parts) {
  if (turn_running() || manuscript_.is_busy() || !manuscript_.is_open()) return;
  const Outcome<SessionPlan> planned = agent_.plan(parts.front_matter, RunRequest{});
  const auto* plan = std::get_if<SessionPlan>(&planned);
  // The agent reads the component of the turns last, wherever it stands: places of the one text are
  // none of the other.
  const markdown::InlineTurn& last = parts.turns.turns.back();
  const bool is_reordered = parts.turns.components.around(last.heading_begin) != nullptr;
  if (plan == nullptr || plan->launch.start == plugins::SessionStart::New || is_reordered) {
    unseen_->forget();
    return unseen_->look(manuscript_.text(), parts, text_changes_);
  }
  Knower knower{plan->agent, plan->launch.session_id, known_id(parts.front_matter),
                plan->launch.start, agent_.use_of(*plan)};
  if (!unseen_->compares_with(knower)) {
    std::optional<std::string> earlier = seen_.earlier_text(knower.document, *plan, knower.use, {});
    unseen_->compare_with(std::move(knower), std::move(earlier));
  }
  unseen_->look(manuscript_.text(), parts, text_changes_);
}

bool Conversation::is_unseen_current() const {
  return unseen_->is_of(text_changes_);
}

Outcome<std::size_t> Conversation::leave_out(std::optional<std::size_t> at) {
  if (turn_running())
    return Refusal{RefusalKind::Busy, "a turn is running in " + name() +
                                          ": what goes with the next one is known at its end"};
  if (!manuscript_.is_open() || manuscript_.is_busy())
    return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: try again"};
  const DocumentParts parts = parts_of(manuscript_.text());
  look_for_unseen(parts);
  std::vector<std::size_t> numbers(unseen_->count());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (at) numbers = unseen_->places_at(manuscript_.text(), *at, *at);
  if (numbers.empty())
    return Refusal{RefusalKind::Invalid,
                   std::string(at ? "what stands here" : "what stands above the prompt") + " in " +
                       name() + " is nothing that was changed since its agent saw it"};
  const Outcome<SessionPlan> planned = agent_.plan(parts.front_matter, RunRequest{});
  const auto& plan = std::get<SessionPlan>(planned);
  if (plan.launch.start == plugins::SessionStart::Fork)
    return Refusal{RefusalKind::Invalid,
                   "the fork " + name() +
                       " has no session of its own yet: run it first, then leave changes out"};
  turn::CountedAsSeen counted = unseen_->counted(numbers, seen_.above_last_prompt(plan));
  seen_.count_as_seen(known_id(parts.front_matter), plan, std::move(counted.text), counted.mark);
  unseen_->forget();
  look_for_unseen(parts);
  return numbers.size();
}

}  // namespace agent_doc::session
