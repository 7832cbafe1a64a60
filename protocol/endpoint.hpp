// What it is: one end of a JSON-RPC connection: it dispatches what comes in to the handlers that were bound, sees that every request gets exactly one
// reply, sends requests of its own and finds their answers.
// What it is not: a transport. Bodies come in by receive() and go out by the sink; framing and bytes are the owner's.
// Thread rule: not thread-safe; one thread. Handlers may call back into the endpoint.
#pragma once

#include "protocol/jsonrpc.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace agent_doc::protocol {

inline constexpr std::size_t kMaxPendingRequests = 10'000;

class Endpoint;

/// The one answer to a request: move-only, answers once, and by destruction with InternalError when nobody did. Answering after the endpoint is gone
/// or after the request was cancelled does nothing.
class Replier {
 public:
  Replier() = default;
  Replier(std::weak_ptr<Endpoint> endpoint, Id id);
  Replier(Replier&&) noexcept;
  Replier& operator=(Replier&&) noexcept;
  ~Replier();

  void result(const boost::json::value& value);
  void error(Error error);
  bool answered() const;

 private:
  std::weak_ptr<Endpoint> endpoint_;
  std::optional<Id> id_;
};

using RequestHandler = std::function<void(const boost::json::value& params, Replier reply)>;
using NotificationHandler = std::function<void(const boost::json::value& params)>;
using Result = std::variant<boost::json::value, Error>;
using ResultHandler = std::function<void(Result)>;

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  using Sink = std::function<void(std::string body)>;
  using Logger = std::function<void(std::string_view line)>;
  static std::shared_ptr<Endpoint> make(Sink sink, Logger logger);
  ~Endpoint();

  // --- binding: features register their own handlers; a method has one handler ---
  void on_request(std::string method, RequestHandler handler);
  void on_notification(std::string method, NotificationHandler handler);
  /// Asked before every request and notification; an Error refuses it ("not initialized").
  void set_gate(std::function<std::optional<Error>(std::string_view method)> gate);

  /// One message body. Bad JSON is answered with -32700 and the connection goes on; an exception out of a handler becomes -32603.
  void receive(std::string_view body);

  /// `handler` is called exactly once, at the latest by close() with RequestCancelled.
  Id request(std::string_view method, const boost::json::value& params, ResultHandler handler);
  /// `$/cancelRequest` for a request of ours; its handler is still called when the answer comes.
  void cancel(const Id& id);
  void notify(std::string_view method, const boost::json::value& params);

  /// The connection is gone: pending requests are answered to their owners, nothing is sent any more.
  void close();
  bool closed() const { return closed_; }

 private:
  friend class Replier;
  Endpoint(Sink sink, Logger logger);

  Sink sink_;
  Logger logger_;
  std::function<std::optional<Error>(std::string_view)> gate_;
  std::unordered_map<std::string, RequestHandler> request_handlers_;
  std::unordered_map<std::string, NotificationHandler> notification_handlers_;
  std::map<Id, ResultHandler> outgoing_;
  std::map<Id, std::function<void()>> incoming_;
  std::int64_t next_id_ = 1;
  bool closed_ = false;
};

/// Thrown by the field readers below inside a handler: becomes -32602 with the field's path in the message.
class InvalidField {
 public:
  InvalidField(std::string path, std::string expected);
  Error to_error() const;

 private:
  std::string path_;
  std::string expected_;
};

}  // namespace agent_doc::protocol
