#include "server/session/known_agents.hpp"

#include <utility>

namespace agent_doc::session {

std::vector<KnownAgent> known_agents(const AgentDirectory& directory) {
  std::vector<KnownAgent> known;
  const std::string preferred = directory.default_agent();
  for (const std::string& name : directory.names()) {
    std::optional<plugins::AgentSpec> spec = directory.find(name);
    if (!spec) continue;
    KnownAgent agent;
    agent.installed = directory.is_installed(name);
    agent.is_default = name == preferred;
    agent.support = plugins::session_support(*spec);
    if (!agent.installed) agent.how_to_get = directory.how_to_get(name);
    agent.spec = std::move(*spec);
    known.push_back(std::move(agent));
  }
  return known;
}

}  // namespace agent_doc::session
