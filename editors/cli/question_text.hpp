// Words an agent's permission question for a terminal, and reads the typed answer.
// permission_prompt.hpp does the I/O; turn/question.hpp has already made the texts visible. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// The rows of a question's beginning and end that are shown before `v` shows all of it.
inline constexpr std::size_t kShownBegin = 20;
inline constexpr std::size_t kShownEnd = 2;

struct AskedOption {
  std::string id;  ///< the id to answer with
  std::string label;
  std::string
      kind;  ///< "allow_once", "allow_always", "widen", "deny"; anything else is treated as "widen"
};

struct AskedQuestion {
  std::string tool;
  std::string detail;
  std::vector<AskedOption> options;
};

/// Returns the key of each option: `y` for the first that allows once, `a` for the first that
/// allows always by a rule, `n` for the first that denies, and its number for any other. An option
/// that allows more than the question never has a letter.
std::vector<std::string> keys_of(const std::vector<AskedOption>& options);

/// Returns the question with every option in the agent's words, and the line that asks, for a
/// terminal of `columns` columns. Each row of the agent's text begins with a bar, so that it cannot
/// look like one of ours.
std::string question_text(const AskedQuestion& question, int columns);
/// Returns the whole question, with the bars.
std::string whole_question_text(const AskedQuestion& question, int columns);

struct TypedAnswer {
  enum class Kind {
    Option,     ///< `option` was chosen
    Cancelled,  ///< a no, if the question offers none
    View,       ///< show all of the question first
  };
  Kind kind = Kind::Cancelled;
  std::size_t option = 0;
};
/// Reads a typed line. Everything but a known key is a no.
TypedAnswer read_answer(std::string_view line, const std::vector<AskedOption>& options);

}  // namespace agent_doc::cli
