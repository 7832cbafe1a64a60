// What it is: what this process knows of itself: where its program is (the tour agent and the guard
// are the same one, started again), and where it looks for others.
// What it is not: argv[0], which says anything.
// Thread rule: functions of this process's environment.
#pragma once

#include <string>
#include <vector>

namespace agent_doc::cli {

/// Absolute.
std::string path_of_this_program();

/// What starts the guards of an agent (process::LauncherOptions).
std::vector<std::string> guard_command();

/// PATH.
std::string search_path();

}  // namespace agent_doc::cli
