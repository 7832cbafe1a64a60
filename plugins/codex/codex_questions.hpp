// Codex' approval requests (commands, file changes, more permissions, tools of MCP servers): emits
// each at once and writes the answers. Which of several is shown first is decided by
// session/permission_broker.hpp. Use one for each agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/json_rpc_lines.hpp"
#include "plugins/tool_question.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Limit for open questions; further ones are denied.
inline constexpr std::size_t kMaxCodexQuestions = 100;

class CodexQuestions {
 public:
  static bool is_question(const RpcRequest& request);
  /// Asks the user. `changes` are the file changes of the item in question. Precondition:
  /// is_question(request).
  void ask(const RpcRequest& request, const std::vector<PermissionPart>& changes, JsonRpcLines& rpc,
           Actions& actions);
  /// Denies a question without showing it.
  static void deny(const RpcRequest& request, JsonRpcLines& rpc, Actions& actions);
  /// Handles a question for whose answer the agent no longer waits.
  void withdraw(const RpcId& id, Actions& actions);
  enum class Answer { Yes, No, Ignored };
  /// Answers a question. Unknown questions are ignored; an option that was not offered denies.
  Answer answer(std::string_view question, std::string_view option, JsonRpcLines& rpc,
                Actions& actions);
  /// Denies all questions, and thereby the turn.
  void cancel_all(JsonRpcLines& rpc, Actions& actions);
  /// Drops all questions, because nobody waits for an answer.
  void drop_all(Actions& actions);

 private:
  struct Choice {
    PermissionOption option;
    boost::json::value result;
  };
  struct Question {
    RpcId id;
    std::string key;
    std::string tool;
    ToolArguments wanted;
    std::vector<Choice> choices;  ///< the last one denies
    boost::json::value cancelled;
  };
  static Question read(const RpcRequest& request, const std::vector<PermissionPart>& changes);
  static void read_decisions(const boost::json::object& params, Question& question);
  static void read_permissions(const boost::json::object& params, Question& question);
  static void read_mcp_call(const boost::json::object& params, Question& question);
  static Choice choice_of(const boost::json::value& decision);

  std::vector<Question> questions_;  ///< unanswered, in order
};

}  // namespace agent_doc::plugins
