// What it is: the next question of a document, as the command line is given it: which argument it
// is, and the text of the document with it at its end.
// What it is not: I/O.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

inline constexpr std::size_t kMaxQuestionBytes = 8 * 1024 * 1024;

/// What `agent-doc run` is about.
struct RunTargets {
  std::vector<std::string> files;
  std::optional<std::string> question;  ///< "-": on standard input
  std::string problem;                  ///< a sentence; empty when all is well
};
/// The first argument is a file. Others are files when they are there or have the name of a
/// markdown file; one that is not is the question, and the last one.
RunTargets run_targets(const std::vector<std::string>& arguments,
                       const std::function<bool(const std::string&)>& is_there);

/// Returns true for a name that markdown files have: `.md` and its kin, or none after a dot.
bool has_markdown_name(std::string_view path);

struct WithQuestion {
  std::string text;
  std::string problem;  ///< why it cannot be put there; empty when it is
};
enum class OpenPromptIs {
  Continued,  ///< the question follows what is written there already
  Replaced,
};
/// Returns `document` with `question` in its open prompt, which is made where there is none. A
/// question that is there already is not doubled. Lines of it that would begin a turn become
/// headings of the third level.
WithQuestion with_question(std::string_view document, std::string_view question,
                           OpenPromptIs open_prompt);

/// Returns the open prompt; empty when there is none.
std::string open_prompt_of(std::string_view document);

/// Returns `question` without line ends around it, with "\n" for each, and without headings that
/// begin a turn.
std::string cleaned_question(std::string_view question);

}  // namespace agent_doc::cli
