// What it is: one end of a JSON-RPC connection: it dispatches what comes in to the handlers that
// were bound, sees that every request gets exactly one reply, sends requests of its own and finds
// their answers.
// What it is not: a transport. Bodies come in by receive() and go out by the sink; framing and
// bytes are the owner's. Which methods are allowed when is the owner's too (set_gate).
// Thread rule: not thread-safe; one thread. Handlers, the sink and callbacks may call back into the
// endpoint, close it and drop the last reference to it.
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

/// In each direction. What is beyond is refused with RequestFailed.
inline constexpr std::size_t kMaxPendingRequests = 10'000;

class Endpoint;
struct IncomingRequest;

/// The one answer to a request: move-only, answers once, and by destruction with InternalError when
/// nobody did. Answering after the endpoint is gone or closed, or after the request was cancelled,
/// does nothing.
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
  /// True when nobody waits for an answer any more: it was given, the request was cancelled, the
  /// connection is gone.
  bool answered() const;
  /// `callback` runs once, when the other side cancels the request; it was answered with
  /// RequestCancelled then. It must not own this Replier.
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
  /// One whole body to the other side, which may be answered from within. Must not throw.
  using Sink = std::function<void(std::string body)>;
  using Logger = std::function<void(std::string_view line)>;
  static std::shared_ptr<Endpoint> make(Sink sink, Logger logger);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  /// Calls no handler: who wants the pending requests answered calls close() first.
  ~Endpoint() = default;

  // --- binding: features register their own handlers; a method has one handler, the last that was
  // bound. close() drops them ---
  void on_request(std::string method, RequestHandler handler);
  void on_notification(std::string method, NotificationHandler handler);
  /// Asked before every request and notification but `$/cancelRequest`; an Error refuses it ("not
  /// initialized").
  void set_gate(std::function<std::optional<Error>(std::string_view method)> gate);

  /// One message body. Bad JSON is answered with -32700 and the connection goes on. An exception
  /// out of a handler becomes -32603, an InvalidField -32602. `$/cancelRequest` is handled here.
  void receive(std::string_view body);

  /// `handler` (may be empty) is called exactly once: with the answer, by close() with
  /// RequestCancelled, or from within request() when the connection is closed already or
  /// kMaxPendingRequests are waiting.
  Id request(std::string_view method, const boost::json::value& params, ResultHandler handler);
  /// `$/cancelRequest` for a request of ours; its handler is still called when the answer comes.
  void cancel(const Id& id);
  void notify(std::string_view method, const boost::json::value& params);

  /// From now on nothing but answers is sent: a notification is dropped, a request stays without an
  /// answer until close().
  void only_answer() { only_answers_ = true; }
  /// The connection is gone: pending requests are answered to their owners, nothing is sent any
  /// more, nothing that comes is looked at.
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
  /// False when no request of ours has this id.
  bool settle_outgoing(const Id& id, Result result);

  /// Does nothing when it was answered before.
  void answer(IncomingRequest& request, std::string body);
  void answer_unanswered(IncomingRequest& request);
  void replier_dropped(IncomingRequest& request);
  void send(std::string body);
  void log(std::string_view line) const;
  /// Calls `handler`; what it throws is logged and returned as the error for the other side.
  std::optional<Error> guarded(std::string_view method, const std::function<void()>& handler) const;

  Sink sink_;
  Logger logger_;
  std::function<std::optional<Error>(std::string_view)> gate_;
  // Shared, so that a handler may be replaced or dropped while it runs.
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
