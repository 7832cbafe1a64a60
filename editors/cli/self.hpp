// What it is: where the running program is: the tour agent and the guard are the same program, started again.
// What it is not: argv[0], which says anything.
// Thread rule: a pure function of this process.
#pragma once

#include <string>

namespace agent_doc::cli {

/// Absolute.
std::string path_of_this_program();

}  // namespace agent_doc::cli
