// What it is: claude's permission questions (`can_use_tool`): asks each at once, writes the
// answers.
// What it is not: it decides no answer, and not which of several is shown first
// (session/permission_broker).
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/tool_question.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

class ClaudeQuestions {
 public:
  void ask(std::string_view request_id, const boost::json::object& request, Actions& actions);
  /// The agent took the question back.
  void withdraw(std::string_view request_id, Actions& actions);
  /// Unknown questions are ignored; an option that was not offered denies.
  void answer(std::string_view request_id, std::string_view option, Actions& actions);
  /// Denies all of them.
  void cancel_all(Actions& actions);
  /// The agent is gone: nobody waits for an answer.
  void drop_all(Actions& actions);

 private:
  struct Question {
    std::string request_id;
    std::string tool;
    ToolArguments arguments;
    boost::json::value input;
    boost::json::array rules;  ///< what "always" would add
    boost::json::array
        wider;  ///< suggestions that allow more than what is asked: another mode, more folders
  };
  static void show(const Question& question, Actions& actions);

  std::vector<Question> questions_;  ///< that are not answered, in order
};

/// A `control_response` that denies the question `request_id`.
std::string claude_denial(std::string_view request_id, std::string_view message);
/// A `control_response` for a request that we cannot carry out.
std::string claude_request_error(std::string_view request_id, std::string_view message);

}  // namespace agent_doc::plugins
