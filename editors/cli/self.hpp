// The path of this program, which is also the tour agent and the guard, and the search path for
// others. argv[0] is not used: it can be anything.
#pragma once

#include <string>
#include <vector>

namespace agent_doc::cli {

/// Returns the absolute path.
std::string path_of_this_program();

/// Returns the command that starts the guards of an agent (process::LauncherOptions).
std::vector<std::string> guard_command();

/// Returns PATH.
std::string search_path();

}  // namespace agent_doc::cli
