// What it is: the command line of agent-doc: argv becomes one of the structs of commands.hpp.
// What it is not: it carries nothing out and prints nothing.
// Thread rule: a pure function.
#pragma once

#include "editors/cli/commands.hpp"

namespace agent_doc::cli {

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace agent_doc::cli
