// What it is: codex' approval requests (of commands, changes of files, more permissions, tools of
// MCP servers): asks each at once, writes the answers.
// What it is not: it decides no answer, and not which of several is shown first
// (session/permission_broker).
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/json_rpc_lines.hpp"
#include "plugins/tool_question.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Questions that wait; more are denied.
inline constexpr std::size_t kMaxCodexQuestions = 100;

class CodexQuestions {
 public:
  static bool is_question(const RpcRequest& request);
  /// Precondition: is_question(request). `changes` are those of files that the item it is about
  /// makes.
  void ask(const RpcRequest& request, const std::vector<PermissionPart>& changes, JsonRpcLines& rpc,
           Actions& actions);
  /// Denies it, unseen.
  static void deny(const RpcRequest& request, JsonRpcLines& rpc, Actions& actions);
  /// The agent no longer waits for it.
  void withdraw(const RpcId& id, Actions& actions);
  enum class Answer { Yes, No, Ignored };
  /// Unknown questions are ignored; an option that was not offered denies.
  Answer answer(std::string_view question, std::string_view option, JsonRpcLines& rpc,
                Actions& actions);
  /// Denies all of them, and the turn with them.
  void cancel_all(JsonRpcLines& rpc, Actions& actions);
  /// Nobody waits for an answer any more.
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

  std::vector<Question> questions_;  ///< that are not answered, in order
};

}  // namespace agent_doc::plugins
