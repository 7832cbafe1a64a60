// One end of a JSON-RPC connection: dispatches incoming messages to the bound handlers, makes sure
// that every request gets exactly one reply, and matches responses to the requests it sent. Framing
// and I/O belong to the owner: bodies come in through receive() and leave through the sink.
//
// Not thread-safe. Handlers, the sink and callbacks may call back into the endpoint, close it, and
// drop the last reference to it.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/jsonrpc.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

namespace agent_doc::protocol {

/// Limit for each direction. Further requests are refused with RequestFailed.
inline constexpr std::size_t kMaxPendingRequests = 10'000;

class Endpoint;
struct IncomingRequest;

/// The reply to one request. Move-only; it sends one reply, and InternalError if it is destroyed
/// without one. Replying does nothing once the endpoint is closed or destroyed, or the request was
/// cancelled.
class Replier {
 public:
  Replier() = default;
  explicit Replier(std::shared_ptr<IncomingRequest> request);
  Replier(Replier&&) noexcept = default;
  Replier& operator=(Replier&& other) noexcept;
  Replier(const Replier&) = delete;
  Replier& operator=(const Replier&) = delete;
  ~Replier();

  void result(const boost::json::value& value);
  void error(const Error& error);
  /// Returns true when a reply can no longer be sent: it was sent already, the request was
  /// cancelled, or the connection is gone.
  bool answered() const;
  /// Sets the function that runs, once, when the other side cancels the request; RequestCancelled
  /// has been sent by then. `callback` must not own this Replier.
  void on_cancel(std::function<void()> callback);

 private:
  void drop();

  std::shared_ptr<IncomingRequest> request_;
};

using RequestHandler = std::function<void(const boost::json::value& params, Replier reply)>;
using NotificationHandler = std::function<void(const boost::json::value& params)>;
using Result = std::variant<boost::json::value, Error>;
using ResultHandler = std::function<void(Result)>;

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  /// Sends one complete body to the other side. The response may arrive before it returns. Must not
  /// throw.
  using Sink = std::function<void(std::string body)>;
  using Logger = std::function<void(std::string_view line)>;
  static std::shared_ptr<Endpoint> make(Sink sink, Logger logger);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  /// Calls no handler. Call close() first to fail the pending requests.
  ~Endpoint() = default;

  // --- binding. A method has one handler: binding it again replaces the handler. close() drops all
  // handlers ---
  void on_request(std::string method, RequestHandler handler);
  void on_notification(std::string method, NotificationHandler handler);
  /// Sets a function that is called before every request and notification except `$/cancelRequest`.
  /// An Error that it returns refuses the message ("not initialized").
  void set_gate(std::function<std::optional<Error>(std::string_view method)> gate);

  /// Handles one message body. Malformed JSON is answered with -32700 and the connection goes on.
  /// An exception from a handler becomes -32603, an InvalidField -32602. `$/cancelRequest` is
  /// handled here.
  void receive(std::string_view body);

  /// Sends a request. `handler` may be empty; otherwise it is called exactly once: with the
  /// response, with RequestCancelled from close(), or before request() returns when the connection
  /// is closed or kMaxPendingRequests requests are pending.
  Id request(std::string_view method, const boost::json::value& params, ResultHandler handler);
  /// Sends `$/cancelRequest` for a request of ours. Its handler still runs when the response
  /// arrives.
  void cancel(const Id& id);
  void notify(std::string_view method, const boost::json::value& params);

  /// Stops sending anything but responses: notifications are dropped, and requests stay pending
  /// until close().
  void only_answer() { only_answers_ = true; }
  /// Marks the connection as closed: fails all pending requests and ignores everything after that.
  void close();
  bool closed() const { return closed_; }

 private:
  friend class Replier;
  Endpoint(Sink sink, Logger logger);

  void handle(Request& request);
  void handle(Notification& notification);
  void handle(Response& response);
  void handle(Invalid& invalid);
  std::optional<Error> refusal(const Request& request) const;
  void cancel_incoming(const boost::json::value& params);
  /// Returns false when no request of ours has this id.
  bool settle_outgoing(const Id& id, Result result);

  /// Does nothing when the request was answered before.
  void answer(IncomingRequest& request, std::string body);
  void answer_unanswered(IncomingRequest& request);
  void replier_dropped(IncomingRequest& request);
  void send(std::string body);
  void log(std::string_view line) const;
  /// Calls `handler`. Logs what it throws and returns it as the error for the other side.
  std::optional<Error> guarded(std::string_view method, const std::function<void()>& handler) const;

  Sink sink_;
  Logger logger_;
  std::function<std::optional<Error>(std::string_view)> gate_;
  // Shared, so that a handler can be replaced or dropped while it runs.
  std::unordered_map<std::string, std::shared_ptr<const RequestHandler>> request_handlers_;
  std::unordered_map<std::string, std::shared_ptr<const NotificationHandler>>
      notification_handlers_;
  std::map<Id, ResultHandler> outgoing_;
  std::map<Id, std::shared_ptr<IncomingRequest>> incoming_;
  std::int64_t next_id_ = 1;
  bool only_answers_ = false;
  bool closed_ = false;
};

}  // namespace agent_doc::protocol
