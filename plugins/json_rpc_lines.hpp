// What it is: JSON-RPC with an agent, one message a line, both sides asking: our requests get ids
// and are remembered until their answer; the agent's requests are answered or refused.
// What it is not: it knows no agent and no method; what a message means is the plugin's.
// Content-Length frames are protocol/.
// Thread rule: not thread-safe; one per agent process. What a receiver gets is valid within that
// call.
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

/// Of an id or a method that the agent chose, in bytes. A message with a longer one is not read.
inline constexpr std::size_t kMaxRpcName = 1000;

inline constexpr std::int64_t kRpcMethodNotFound = -32601;
inline constexpr std::int64_t kRpcInvalidParams = -32602;
inline constexpr std::int64_t kRpcInternalError = -32603;

/// As the agent wrote it.
using RpcId = std::variant<std::int64_t, std::string>;

/// The agent asks; it waits for answer() or refuse(). `params` is empty when there were none.
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
/// To our request `id` for `method`: either `result` (null JSON when the agent gave none) or
/// `error`.
struct RpcAnswer {
  std::int64_t id = 0;
  std::string_view method;
  const boost::json::value* result = nullptr;
  std::optional<RpcError> error;
};
/// Who knows what the agent's messages mean.
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
  /// Whether each of our messages says `"jsonrpc": "2.0"`; not all agents want it.
  enum class Version { Told, LeftOut };
  explicit JsonRpcLines(Version version) : version_(version) {}

  /// Sends a request; the id under which its answer will come.
  std::int64_t request(std::string_view method, boost::json::object params, Actions& actions);
  void notify(std::string_view method, boost::json::object params, Actions& actions);
  void answer(const RpcId& id, boost::json::value result, Actions& actions);
  void refuse(const RpcId& id, std::int64_t code, std::string_view message, Actions& actions);
  /// The answer to a request of a method that we do not have.
  void refuse_unknown(const RpcRequest& request, Actions& actions);

  /// Gives `receiver` every message of the agent's line. An object that is none, and an answer that
  /// nobody waits for, are Unrecognised; where the line cannot be read on, it is Malformed.
  void deliver(std::string_view line, RpcReceiver& receiver, Actions& actions);

 private:
  void deliver_message(const boost::json::object& message, RpcReceiver& receiver, Actions& actions);
  void deliver_answer(const boost::json::object& message, RpcReceiver& receiver, Actions& actions);
  void send(boost::json::object message, Actions& actions) const;

  Version version_;
  JsonLine json_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::string> pending_;  ///< our requests without answer: their methods
};

}  // namespace agent_doc::plugins
