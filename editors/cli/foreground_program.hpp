// Runs a program of the person's that takes over the terminal for a while: an editor or a pager. No
// shell is used, and the text to show is never part of a command. Blocks the calling thread until
// the program has ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// Splits a command such as `code --wait` or `'/opt/my editor/ed' -n` into words. Quotes and
/// backslashes work as in a shell, nothing else does. Returns an empty optional if a quote is not
/// closed or there is no word.
std::optional<std::vector<std::string>> split_command(std::string_view command);

/// Runs a program and returns its exit code, or 127 if it could not be started. `input` becomes its
/// standard input.
int run_in_foreground(const std::vector<std::string>& command, const std::string* input = nullptr);

struct EditedText {
  std::string text;
  std::string problem;  ///< a sentence; empty if the person has edited the text
};
/// Opens `text` in a private file with $VISUAL, $EDITOR or an installed editor.
EditedText edit_in_editor(const std::string& text);

/// Shows `text` with $PAGER, or with `less` if that is not set. Returns false if there is no pager.
bool show_in_pager(const std::string& text);

}  // namespace agent_doc::cli
