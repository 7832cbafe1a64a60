// What it is: an agent's permission question in the words and keys of a terminal, and what a typed
// line means.
// What it is not: I/O (permission_prompt.hpp). Its texts are visible already (turn/question.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// Of what is asked, before `v` shows the whole: rows of the begin and of the end.
inline constexpr std::size_t kShownBegin = 20;
inline constexpr std::size_t kShownEnd = 2;

struct AskedOption {
  std::string id;  ///< what answers with it
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
/// allows always by a rule, `n` for the first that denies, and for each other one its number. What
/// widens more than was asked has never a letter.
std::vector<std::string> keys_of(const std::vector<AskedOption>& options);

/// Returns the question with every option in its own words, and the line that asks. Every row of
/// what is asked has a bar before it, on a terminal of `columns` columns: nothing of it can look
/// like one of ours.
std::string question_text(const AskedQuestion& question, int columns);
/// Returns all of what is asked, with the bars.
std::string whole_question_text(const AskedQuestion& question, int columns);

struct TypedAnswer {
  enum class Kind {
    Option,     ///< `option` of the question
    Cancelled,  ///< a no, where the question offers none
    View,       ///< the whole is wanted first
  };
  Kind kind = Kind::Cancelled;
  std::size_t option = 0;
};
/// Everything but a clear key is a no.
TypedAnswer read_answer(std::string_view line, const std::vector<AskedOption>& options);

}  // namespace agent_doc::cli
