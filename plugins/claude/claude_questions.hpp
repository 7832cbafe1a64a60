// The permission questions of claude (`can_use_tool`): emits each at once and writes the answers.
// Which of several is shown first is decided by session/permission_broker.hpp. Use one for each
// agent process.
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
  /// Handles a question that the agent takes back.
  void withdraw(std::string_view request_id, Actions& actions);
  /// Answers a question. Unknown questions are ignored; an option that was not offered denies.
  void answer(std::string_view request_id, std::string_view option, Actions& actions);
  /// Denies all questions.
  void cancel_all(Actions& actions);
  /// Drops all questions, because the agent is gone.
  void drop_all(Actions& actions);

 private:
  struct Question {
    std::string request_id;
    std::string tool;
    ToolArguments arguments;
    boost::json::value input;
    boost::json::array rules;  ///< what "always" would add
    /// Suggestions that allow more than was asked: another mode, more folders.
    boost::json::array wider;
  };
  static void show(const Question& question, Actions& actions);

  std::vector<Question> questions_;  ///< unanswered, in order
};

/// Returns a `control_response` that denies the question `request_id`.
std::string claude_denial(std::string_view request_id, std::string_view message);
/// Returns a `control_response` for a request that we cannot carry out.
std::string claude_request_error(std::string_view request_id, std::string_view message);

}  // namespace agent_doc::plugins
