#include "editors/cli/agent_hints.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::cli {

std::string hints_for_missing(const std::vector<FoundAgent>& found,
                              const session::AgentDirectory& directory,
                              const std::string& configuration) {
  std::vector<std::pair<std::string, std::string>> hints;
  for (const FoundAgent& agent : found) {
    if (!agent.program.empty()) continue;
    const std::string hint = directory.how_to_get(agent.spec.name);
    const auto same = std::find_if(hints.begin(), hints.end(),
                                   [&hint](const auto& one) { return one.second == hint; });
    if (same == hints.end()) {
      hints.emplace_back(agent.spec.name, hint);
    } else {
      same->first += ", " + agent.spec.name;
    }
  }
  if (hints.empty()) return {};
  std::string text = "\nNot found:\n";
  for (const auto& [names, hint] : hints) text += names + ": " + hint + "\n";
  if (!configuration.empty())
    text += "One that is elsewhere, and any other: [agents.NAME] with its `command` in " +
            configuration + "\n";
  return text;
}

}  // namespace agent_doc::cli
