// Parses argv into one of the structs of commands.hpp. Pure: it executes and prints nothing.
#pragma once

#include "editors/cli/commands.hpp"

namespace agent_doc::cli {

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace agent_doc::cli
