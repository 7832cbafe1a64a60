// What it is: a text that comes on standard input, such as a question.
// What it is not: the protocol (server/app/stdio_connection.hpp).
// Thread rule: blocks until there is no more.
#pragma once

#include <string>

namespace agent_doc::cli {

struct InputText {
  std::string text;
  std::string problem;  ///< a sentence; empty when the text is whole
};
/// Returns all of it: UTF-8, at most kMaxQuestionBytes.
InputText read_standard_input();

}  // namespace agent_doc::cli
