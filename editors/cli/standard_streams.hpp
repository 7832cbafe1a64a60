// Describes the standard streams of this process and writes to them. Nothing here makes a stream
// non-blocking: the flag would stay on the person's terminal. Writes block. Not thread-safe.
#pragma once

#include "editors/cli/commands.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// Opens /dev/null for each closed standard stream, so that no file of ours gets its number. Called
/// first in main(). Returns false on failure.
bool open_closed_standard_streams();

/// Writes all of `bytes`. Returns false if nobody reads any more.
bool write_all(int descriptor, std::string_view bytes);

/// Prints `message` on standard error in the format of all our errors. Returns `code`.
int complain(ExitCode code, const std::string& message);

/// Three independent facts about where output goes.
struct StreamFacts {
  bool live = false;    ///< a terminal: a person watches the output grow
  bool cursor = false;  ///< lines can be overwritten
  bool colour = false;
};

/// The environment variables that matter; null if not set.
struct TerminalVariables {
  const char* term = nullptr;           ///< TERM
  const char* no_colour = nullptr;      ///< NO_COLOR
  const char* colour = nullptr;         ///< CLICOLOR
  const char* colour_forced = nullptr;  ///< CLICOLOR_FORCE
};
TerminalVariables terminal_variables();

StreamFacts facts_of(bool is_terminal, const TerminalVariables& variables);
StreamFacts facts_of(int descriptor);

/// Returns `text`, with its lines broken between words if standard output is a narrower terminal.
std::string wrapped_for_terminal(const std::string& text, std::size_t indent);

/// Returns the columns of the terminal at `descriptor`, or 80 if unknown.
int columns_of(int descriptor);

}  // namespace agent_doc::cli
