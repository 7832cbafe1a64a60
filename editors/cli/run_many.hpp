// What it is: several documents at once: one `agent-doc run FILE --json` for each, and what they
// tell, together.
// What it is not: a run (run_session.hpp).
// Thread rule: runs an io_context of its own on the thread that calls it.
#pragma once

#include "editors/cli/commands.hpp"

#include <string>
#include <vector>

namespace agent_doc::cli {

/// Returns the exit code of the run that went worst. Nobody is asked, for who could tell the
/// questions apart: the agents' permission questions get a no, which is told with the file's name.
int run_many(const RunOptions& options, const std::vector<std::string>& files);

/// Returns the one that a person should hear of: stopped, failed, wrong usage, busy, nothing to
/// send, done.
int worse_of(int one, int other);

}  // namespace agent_doc::cli
