// What it is: the agents of the person as a list to choose from: which are there, and what they can
// do with a session.
// What it is not: a look at their programs; nothing is started.
// Thread rule: pure functions.
#pragma once

#include "server/session/agent_directory.hpp"

#include <string>
#include <vector>

namespace agent_doc::session {

struct KnownAgent {
  plugins::AgentSpec spec;
  bool installed = false;
  bool is_default = false;
  plugins::SessionSupport support;  ///< as far as it is known before the agent runs
  std::string how_to_get;           ///< empty when it is installed
};

/// In the directory's order.
std::vector<KnownAgent> known_agents(const AgentDirectory& directory);

}  // namespace agent_doc::session
