// What it is: this process's standard streams as the command line uses them: what they are, and
// writing to them.
// What it is not: rendering (terminal.hpp). Nothing here makes a stream non-blocking: the flag
// would stay on the person's terminal.
// Thread rule: one thread. Writes block.
#pragma once

#include "editors/cli/commands.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// First thing in main: a standard stream that was closed becomes /dev/null, so that no file of
/// ours gets its number. False when not even that works.
bool open_closed_standard_streams();

/// All of `bytes`. False when nobody reads any more.
bool write_all(int descriptor, std::string_view bytes);

/// `message` on standard error, as every complaint of the command line looks; gives `code` back.
int complain(ExitCode code, const std::string& message);

/// Three independent facts about where output goes.
struct StreamFacts {
  bool live = false;    ///< a terminal: somebody watches it grow
  bool cursor = false;  ///< lines can be overwritten
  bool colour = false;
};

/// The variables of the environment that have a say; null when not set.
struct TerminalVariables {
  const char* term = nullptr;           ///< TERM
  const char* no_colour = nullptr;      ///< NO_COLOR
  const char* colour = nullptr;         ///< CLICOLOR
  const char* colour_forced = nullptr;  ///< CLICOLOR_FORCE
};
TerminalVariables terminal_variables();

StreamFacts facts_of(bool is_terminal, const TerminalVariables& variables);
StreamFacts facts_of(int descriptor);

/// Returns `text` with its lines broken between words where standard output is a terminal that is
/// narrower.
std::string wrapped_for_terminal(const std::string& text, std::size_t indent);

/// Columns of the terminal behind `descriptor`; 80 when it does not say.
int columns_of(int descriptor);

}  // namespace agent_doc::cli
