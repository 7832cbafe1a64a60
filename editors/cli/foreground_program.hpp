// What it is: a program of the person's that takes the terminal over for a while: an editor, a
// pager.
// What it is not: an agent (server/process). No shell is used: what is to be looked at is never
// part of a command.
// Thread rule: the thread that has no other work; blocks until the program has ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// Returns the words of a command such as `code --wait` or `'/opt/my editor/ed' -n`: quotes and
/// backslashes as in a shell, nothing else of a shell. Nothing when a quote is not closed, or there
/// is no word.
std::optional<std::vector<std::string>> split_command(std::string_view command);

/// Returns the exit code; 127 when it could not be started. With `input` that is its standard
/// input.
int run_in_foreground(const std::vector<std::string>& command, const std::string* input = nullptr);

struct EditedText {
  std::string text;
  std::string problem;  ///< a sentence; empty when the person has edited it
};
/// Has `text` edited in a private file, with $VISUAL, $EDITOR or what is there.
EditedText edit_in_editor(const std::string& text);

/// Shows `text` with $PAGER, or `less` where that is not set; false when there is none.
bool show_in_pager(const std::string& text);

}  // namespace agent_doc::cli
