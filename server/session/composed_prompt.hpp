// What it is: what a run sends to its agent: of the document, of what was changed in it, and of
// what is asked, as much as the session does not have yet.
// What it is not: how that is known (seen_by_agents.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/session/run_plan.hpp"
#include "server/turn/prompt.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::session {

struct ComposedPrompt {
  turn::Shape shape = turn::Shape::Nothing;
  std::string text;        ///< empty: there is nothing to send
  std::string changes;     ///< above the prompt since the agent saw it, as a unified diff
  std::size_t places = 0;  ///< of changes: how many there are
  /// The session goes on, and nobody knows what it has of the document: it gets what is asked
  /// alone.
  bool is_unknown = false;
};

/// `now`: prompt.seen(). `earlier`: what the session has (SeenByAgents::earlier_text()).
ComposedPrompt compose_prompt(const SessionPlan& plan, const turn::PromptSource& prompt,
                              const turn::SeenDocument& now,
                              const std::optional<std::string>& earlier);

}  // namespace agent_doc::session
