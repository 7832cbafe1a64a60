// The permission questions of an ACP agent (`session/request_permission`): asks the user, or denies
// them by the policy, and writes the answers. The mode of the agent is in acp_mode.hpp. Use one for
// each agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Limit for one question; an agent that offers more options gets `cancelled`.
inline constexpr std::size_t kMaxPermissionOptions = 50;

class AcpQuestions {
 public:
  void set_policy(PermissionPolicy policy) { policy_ = policy; }

  /// The fate of a question; Asked when the user must answer.
  enum class Result { Asked, Allowed, Denied };
  struct Settled {
    Result result = Result::Asked;
    std::string tool;  ///< id of the tool call
  };
  /// Handles `request`. `call` is all that is known of its tool call.
  Settled ask(const RpcRequest& request, const boost::json::object& call, JsonRpcLines& rpc,
              Actions& actions);
  /// Answers a question. Unknown questions are ignored; an option that was not offered cancels.
  Settled answer(std::string_view name, std::string_view option, JsonRpcLines& rpc,
                 Actions& actions);
  /// Answers all questions `cancelled`, as the protocol demands when a turn is cancelled.
  void cancel_all(JsonRpcLines& rpc, Actions& actions);
  /// Drops all questions, because the agent is gone.
  void drop_all(Actions& actions);

 private:
  struct Question {
    std::string name;  ///< our own name
    RpcId id;
    std::string tool;
    std::vector<PermissionOption> options;
  };
  enum class About { Something, Nothing };
  bool is_denied_by_policy(const boost::json::object& call, About about) const;

  PermissionPolicy policy_ = PermissionPolicy::Ask;
  std::uint64_t last_ = 0;
  std::vector<Question> questions_;
};

/// Answers a question for which there is nobody to ask.
void cancel_question(const RpcId& id, JsonRpcLines& rpc, Actions& actions);

}  // namespace agent_doc::plugins
