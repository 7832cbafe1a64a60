// Says how to install the agents that are missing on this machine, each way once. agent_trial.hpp
// searches for them. Pure.
#pragma once

#include "editors/cli/agent_trial.hpp"
#include "server/session/agent_directory.hpp"

#include <string>
#include <vector>

namespace agent_doc::cli {

/// Returns the hints, or an empty string if all of `found` have a program. `configuration` is the
/// path of the file that adds agents.
std::string hints_for_missing(const std::vector<FoundAgent>& found,
                              const session::AgentDirectory& directory,
                              const std::string& configuration);

}  // namespace agent_doc::cli
