// What it is: the permission questions of an ACP agent (`session/request_permission`): asks the
// person, or denies them by the policy, and writes the answers.
// What it is not: it decides nothing else; which mode the agent works in is acp_session.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Of one question; an agent that offers more is answered `cancelled`.
inline constexpr std::size_t kMaxPermissionOptions = 50;

class AcpQuestions {
 public:
  void set_policy(PermissionPolicy policy) { policy_ = policy; }

  /// What became of a question when nobody has to answer it any more.
  enum class Result { Asked, Allowed, Denied };
  struct Settled {
    Result result = Result::Asked;
    std::string tool;  ///< id of the tool call
  };
  /// `call`: all that is known of the tool call that `request` is about.
  Settled ask(const RpcRequest& request, const boost::json::object& call, JsonRpcLines& rpc,
              Actions& actions);
  /// Unknown questions are ignored; an option that was not offered cancels.
  Settled answer(std::string_view name, std::string_view option, JsonRpcLines& rpc,
                 Actions& actions);
  /// Answers all of them `cancelled`, as the protocol demands when a turn is cancelled.
  void cancel_all(JsonRpcLines& rpc, Actions& actions);
  /// The agent is gone: nobody waits for an answer.
  void drop_all(Actions& actions);

 private:
  struct Question {
    std::string name;  ///< ours
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

/// Answers a question that nobody is there for.
void cancel_question(const RpcId& id, JsonRpcLines& rpc, Actions& actions);

}  // namespace agent_doc::plugins
