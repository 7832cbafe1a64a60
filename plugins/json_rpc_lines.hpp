// JSON-RPC with an agent, one message a line, with requests in both directions: ours get ids and
// are remembered until they are answered; the agent's are answered or refused. Content-Length
// frames are in protocol/. Use one for each agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/json_line.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::plugins {

/// Limit for an id or a method chosen by the agent, in bytes. Messages that exceed it are ignored.
inline constexpr std::size_t kMaxRpcName = 1000;

inline constexpr std::int64_t kRpcMethodNotFound = -32601;
inline constexpr std::int64_t kRpcInvalidParams = -32602;
inline constexpr std::int64_t kRpcInternalError = -32603;

/// An id as the agent wrote it.
using RpcId = std::variant<std::int64_t, std::string>;

/// A request from the agent, which waits for answer() or refuse(). `params` is empty when there
/// were none.
struct RpcRequest {
  RpcId id;
  std::string_view method;
  const boost::json::object& params;
};
struct RpcNotification {
  std::string_view method;
  const boost::json::object& params;
};
struct RpcError {
  std::int64_t code = 0;
  std::string_view message;
  const boost::json::value* data = nullptr;
};
/// The response to our request `id` for `method`: `result` (null JSON when the agent sent none) or
/// `error`.
struct RpcAnswer {
  std::int64_t id = 0;
  std::string_view method;
  const boost::json::value* result = nullptr;
  std::optional<RpcError> error;
};
/// Handles the agent's messages. Arguments are valid during the call only.
class RpcReceiver {
 public:
  virtual void on_request(const RpcRequest& request, Actions& actions) = 0;
  virtual void on_notification(const RpcNotification& notification, Actions& actions) = 0;
  virtual void on_answer(const RpcAnswer& answer, Actions& actions) = 0;

 protected:
  ~RpcReceiver() = default;
};

class JsonRpcLines {
 public:
  /// Whether our messages contain `"jsonrpc": "2.0"`, which some agents do not expect.
  enum class Version { Included, Omitted };
  explicit JsonRpcLines(Version version) : version_(version) {}

  /// Sends a request; returns the id of its response.
  std::int64_t request(std::string_view method, boost::json::object params, Actions& actions);
  void notify(std::string_view method, boost::json::object params, Actions& actions);
  void answer(const RpcId& id, boost::json::value result, Actions& actions);
  void refuse(const RpcId& id, std::int64_t code, std::string_view message, Actions& actions);
  /// Refuses a request for an unknown method.
  void refuse_unknown(const RpcRequest& request, Actions& actions);

  /// Passes every message in the agent's line to `receiver`. Emits Unrecognised for an object that
  /// is no message and for a response that nobody waits for, and Malformed where the line cannot be
  /// parsed.
  void deliver(std::string_view line, RpcReceiver& receiver, Actions& actions);

 private:
  void deliver_message(const boost::json::object& message, RpcReceiver& receiver, Actions& actions);
  void deliver_answer(const boost::json::object& message, RpcReceiver& receiver, Actions& actions);
  void send(boost::json::object message, Actions& actions) const;

  Version version_;
  JsonLine json_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::string> pending_;  ///< the methods of our open requests
};

}  // namespace agent_doc::plugins
