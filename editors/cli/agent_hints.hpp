// What it is: how to get the agents that are not on this machine: each way once, below what is
// listed.
// What it is not: the search for them (agent_trial.hpp).
// Thread rule: pure.
#pragma once

#include "editors/cli/agent_trial.hpp"
#include "server/session/agent_directory.hpp"

#include <string>
#include <vector>

namespace agent_doc::cli {

/// Returns nothing when all of `found` have a program. `configuration` is the path where more
/// agents are added.
std::string hints_for_missing(const std::vector<FoundAgent>& found,
                              const session::AgentDirectory& directory,
                              const std::string& configuration);

}  // namespace agent_doc::cli
