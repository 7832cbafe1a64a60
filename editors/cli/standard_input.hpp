// Reads a text such as a question from standard input. Blocks until the input ends.
#pragma once

#include <string>

namespace agent_doc::cli {

struct InputText {
  std::string text;
  std::string problem;  ///< a sentence; empty if the text is complete
};
/// Returns the whole input: UTF-8, at most kMaxQuestionBytes.
InputText read_standard_input();

}  // namespace agent_doc::cli
