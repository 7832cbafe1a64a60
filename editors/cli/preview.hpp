// What it is: what a run would send, on the command line: `run --dry-run`, and what it has in
// common with `diff`.
// What it is not: a run: the file is not written, no agent is started, nothing is sent.
// Thread rule: runs an io_context of its own on the thread that calls it.
#pragma once

#include "editors/cli/commands.hpp"

#include <string>

namespace agent_doc::cli {

/// Prints what a run of the document at `path` would send if `text` stood in it; gives the exit
/// code.
int show_prompt(const RunOptions& options, const std::string& path, const std::string& text);

}  // namespace agent_doc::cli
