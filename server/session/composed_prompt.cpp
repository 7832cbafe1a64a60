#include "server/session/composed_prompt.hpp"

#include <utility>

namespace agent_doc::session {

ComposedPrompt compose_prompt(const SessionPlan& plan, const turn::PromptSource& prompt,
                              const turn::SeenDocument& now,
                              const std::optional<std::string>& earlier) {
  using turn::Shape;
  ComposedPrompt composed;
  if (earlier && plan.launch.start != plugins::SessionStart::New) {
    turn::PromptMessage message = turn::message_about(now, *earlier, prompt.asked());
    composed.shape = message.shape;
    composed.text = std::move(message.text);
    composed.changes = std::move(message.changes.text);
    composed.places = message.changes.places.size();
    return composed;
  }
  composed.text = prompt.text(plan.knows);
  composed.is_unknown = plan.knows == turn::SessionKnows::EarlierTurns && now.above > 0;
  if (!composed.text.empty())
    composed.shape = composed.text == prompt.asked() ? Shape::Prompt : Shape::Document;
  return composed;
}

}  // namespace agent_doc::session
