// Requests the sessions of an ACP agent (`session/list`), page by page. acp_handshake.hpp runs
// before, session_list.hpp has the limits. Use one for each agent process.
#pragma once

#include "plugins/json_rpc_lines.hpp"
#include "plugins/session_list.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::plugins {

class AcpSessionList {
 public:
  static constexpr std::string_view kMethod = "session/list";

  AcpSessionList(const AgentSpec& spec, std::string cwd) : spec_(spec), cwd_(std::move(cwd)) {}

  void ask(JsonRpcLines& rpc, Actions& actions);
  /// Handles the answer to a request of kMethod.
  void on_answer(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  SessionList& list() { return list_; }

 private:
  void take(const boost::json::object& entry);

  const AgentSpec& spec_;
  std::string cwd_;
  SessionList list_;
};

}  // namespace agent_doc::plugins
