// Finds the question among the arguments of the command line, and adds it to the text of the
// document. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

inline constexpr std::size_t kMaxQuestionBytes = 8 * 1024 * 1024;

/// The files and the question of `agent-doc run`.
struct RunTargets {
  std::vector<std::string> files;
  std::optional<std::string> question;  ///< "-": on standard input
  std::string problem;                  ///< a sentence; empty if all is well
};
/// Sorts the arguments. The first is a file. Another one is a file if it exists or has a markdown
/// name; else it is the question, and must be the last one.
RunTargets run_targets(const std::vector<std::string>& arguments,
                       const std::function<bool(const std::string&)>& is_there);

/// Returns whether `path` has a markdown extension (`.md` and similar) or none.
bool has_markdown_name(std::string_view path);

struct WithQuestion {
  std::string text;
  std::string problem;  ///< why the question cannot be added; empty if it was
};
enum class OpenPromptIs {
  Continued,  ///< the question follows the existing text
  Replaced,
};
/// Returns `document` with `question` in its open prompt; adds a prompt if there is none. A
/// question that is already there is not repeated. Its lines that would begin a turn become
/// headings of level three.
WithQuestion with_question(std::string_view document, std::string_view question,
                           OpenPromptIs open_prompt);

/// Returns the open prompt, or an empty string if there is none.
std::string open_prompt_of(std::string_view document);

/// Returns `question` without line ends around it, with "\n" for each line end, and without
/// headings that begin a turn.
std::string cleaned_question(std::string_view question);

}  // namespace agent_doc::cli
