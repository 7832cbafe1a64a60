#include "server/session/seen_by_agents.hpp"

#include <utility>

namespace agent_doc::session {

std::optional<std::string> SeenByAgents::earlier_text(const std::string& document,
                                                      const SessionPlan& plan, SessionUse use,
                                                      const std::string& without_reply_of) const {
  if (plan.launch.start == plugins::SessionStart::New) return std::nullopt;
  if (has(plan) && use == SessionUse::OnlyHere) return of_last_turn(without_reply_of);
  // A fork has an id of its own: what its session has is what the session has that it is a fork of.
  const bool forks = plan.launch.start == plugins::SessionStart::Fork;
  if (!document.empty() || forks) {
    std::optional<store::SeenText> seen =
        journal_.seen_by({forks ? std::string() : document, plan.agent, plan.launch.session_id});
    if (seen)
      return turn::earlier_text({std::move(seen->text), seen->above, std::move(seen->reply)});
  }
  if (has(plan)) return of_last_turn(without_reply_of);
  return std::nullopt;
}

void SeenByAgents::count_as_seen(const std::string& document, const SessionPlan& plan,
                                 std::string text, std::size_t above) {
  const auto counted = std::make_shared<const std::string>(std::move(text));
  if (has(plan)) last_.counted = {counted, above};
  if (!document.empty())
    journal_.counts_as_seen({document, plan.agent, plan.launch.session_id}, counted);
}

std::size_t SeenByAgents::above_last_prompt(const SessionPlan& plan) const {
  if (!has(plan)) return 0;
  return last_.counted.text ? last_.counted.above : last_.sent.above;
}

bool SeenByAgents::has(const SessionPlan& plan) const {
  return last_.sent.text && plan.launch.start == plugins::SessionStart::Resume &&
         plan.agent == last_.agent && plan.launch.session_id == last_.session;
}

std::string SeenByAgents::of_last_turn(const std::string& without_reply_of) const {
  if (last_.turn == without_reply_of) {
    const SentDocument& asked = last_.counted.text ? last_.counted : last_.sent;
    return asked.text->substr(0, asked.above);
  }
  if (last_.counted.text) return *last_.counted.text;
  return turn::earlier_text({*last_.sent.text, last_.sent.above, last_.reply});
}

}  // namespace agent_doc::session
