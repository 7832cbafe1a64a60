#include "protocol/endpoint.hpp"

#include <cassert>
#include <exception>
#include <utility>

namespace agent_doc::protocol {
namespace {

/// Longer method names are cut before they are quoted in a message or a log line.
constexpr std::size_t kMaxShownMethodBytes = 200;

std::string shown(std::string_view method) {
  if (method.size() <= kMaxShownMethodBytes) return quote_json(method);
  return quote_json(method.substr(0, kMaxShownMethodBytes)) + " (cut)";
}

Error error_of(ErrorCode code, std::string message) {
  return Error{code, std::move(message), {}};
}

}  // namespace

/// A request from the other side, from its dispatch to its reply.
struct IncomingRequest {
  enum class State {
    Dispatching,  ///< the handler runs; an open request is settled when it returns
    Waiting,      ///< somebody holds the Replier
    Answered,
    Void,  ///< cancelled, or the connection is gone: later replies are ignored
  };

  bool open() const { return state == State::Dispatching || state == State::Waiting; }

  std::weak_ptr<Endpoint> endpoint;
  Id id;
  std::string method;
  State state = State::Dispatching;
  bool dropped = false;  ///< the Replier was destroyed while the handler ran
  std::function<void()> on_cancel;
};

// --- Replier ---

Replier::Replier(std::shared_ptr<IncomingRequest> request) : request_(std::move(request)) {}

Replier& Replier::operator=(Replier&& other) noexcept {
  if (this != &other) {
    drop();
    request_ = std::move(other.request_);
  }
  return *this;
}

Replier::~Replier() {
  drop();
}

void Replier::drop() {
  const auto request = std::exchange(request_, nullptr);
  if (!request) return;
  if (const auto endpoint = request->endpoint.lock()) endpoint->replier_dropped(*request);
}

void Replier::result(const boost::json::value& value) {
  if (!request_) return;
  if (const auto endpoint = request_->endpoint.lock())
    endpoint->answer(*request_, serialise_result(request_->id, value));
}

void Replier::error(const Error& error) {
  if (!request_) return;
  if (const auto endpoint = request_->endpoint.lock())
    endpoint->answer(*request_, serialise_error(request_->id, error));
}

bool Replier::answered() const {
  return !request_ || !request_->open() || request_->endpoint.expired();
}

void Replier::on_cancel(std::function<void()> callback) {
  if (request_ && request_->open()) request_->on_cancel = std::move(callback);
}

// --- Endpoint ---

std::shared_ptr<Endpoint> Endpoint::make(Sink sink, Logger logger) {
  assert(sink && logger);
  return std::shared_ptr<Endpoint>(new Endpoint(std::move(sink), std::move(logger)));
}

Endpoint::Endpoint(Sink sink, Logger logger) : sink_(std::move(sink)), logger_(std::move(logger)) {}

void Endpoint::on_request(std::string method, RequestHandler handler) {
  request_handlers_.insert_or_assign(std::move(method),
                                     std::make_shared<const RequestHandler>(std::move(handler)));
}

void Endpoint::on_notification(std::string method, NotificationHandler handler) {
  notification_handlers_.insert_or_assign(
      std::move(method), std::make_shared<const NotificationHandler>(std::move(handler)));
}

void Endpoint::set_gate(std::function<std::optional<Error>(std::string_view method)> gate) {
  gate_ = std::move(gate);
}

void Endpoint::receive(std::string_view body) {
  if (closed_) return;
  const auto self = shared_from_this();
  Message message = parse_message(body);
  std::visit([this](auto& kind) { handle(kind); }, message);
}

std::optional<Error> Endpoint::refusal(const Request& request) const {
  if (incoming_.contains(request.id))
    return error_of(ErrorCode::InvalidRequest,
                    "a request with the id " + to_json(request.id) + " is still being answered");
  if (incoming_.size() >= kMaxPendingRequests)
    return error_of(ErrorCode::RequestFailed,
                    "too many requests are waiting for their answers; try again later");
  if (gate_) {
    if (auto refused = gate_(request.method)) return refused;
  }
  if (!request_handlers_.contains(request.method))
    return error_of(ErrorCode::MethodNotFound, "there is no method " + shown(request.method));
  return std::nullopt;
}

void Endpoint::handle(Request& request) {
  if (const auto refused = refusal(request)) {
    send(serialise_error(request.id, *refused));
    return;
  }
  const auto handler = request_handlers_.at(request.method);
  const auto incoming = std::make_shared<IncomingRequest>();
  incoming->endpoint = weak_from_this();
  incoming->id = std::move(request.id);
  incoming->method = std::move(request.method);
  incoming_.emplace(incoming->id, incoming);

  const auto failure =
      guarded(incoming->method, [&] { (*handler)(request.params, Replier(incoming)); });
  if (!incoming->open()) return;
  incoming->state = IncomingRequest::State::Waiting;
  if (failure)
    answer(*incoming, serialise_error(incoming->id, *failure));
  else if (incoming->dropped)
    answer_unanswered(*incoming);
}

void Endpoint::handle(Notification& notification) {
  if (notification.method == "$/cancelRequest") {
    cancel_incoming(notification.params);
    return;
  }
  if (gate_) {
    if (const auto refused = gate_(notification.method)) {
      log("ignored the notification " + shown(notification.method) + ": " + refused->message);
      return;
    }
  }
  const auto found = notification_handlers_.find(notification.method);
  if (found == notification_handlers_.end()) {
    if (!notification.method.starts_with("$/"))
      log("ignored the unknown notification " + shown(notification.method));
    return;
  }
  const auto handler = found->second;
  guarded(notification.method, [&] { (*handler)(notification.params); });
}

void Endpoint::handle(Response& response) {
  if (!response.id) {
    const auto* error = std::get_if<Error>(&response.result);
    log("the other side could not read a message: " +
        (error == nullptr ? std::string("it answered without an id") : error->message));
    return;
  }
  std::visit(
      [&](auto& result) {
        if (!settle_outgoing(*response.id, std::move(result)))
          log("ignored an answer to the unknown request " + to_json(*response.id));
      },
      response.result);
}

void Endpoint::handle(Invalid& invalid) {
  log("could not read a message: " + invalid.error.message);
  // A malformed response must not leave its request pending for ever.
  if (invalid.id && settle_outgoing(*invalid.id, invalid.error)) return;
  send(serialise_error(invalid.id, invalid.error));
}

void Endpoint::cancel_incoming(const boost::json::value& params) {
  const boost::json::object* object = params.if_object();
  const boost::json::value* value = object == nullptr ? nullptr : object->if_contains("id");
  const auto id = value == nullptr ? std::nullopt : read_id(*value);
  const auto found = id ? incoming_.find(*id) : incoming_.end();
  if (found == incoming_.end()) return;

  const auto request = found->second;
  incoming_.erase(found);
  request->state = IncomingRequest::State::Void;
  const auto callback = std::exchange(request->on_cancel, nullptr);
  send(serialise_error(request->id,
                       error_of(ErrorCode::RequestCancelled, "the request was cancelled")));
  if (callback) guarded(request->method, callback);
}

bool Endpoint::settle_outgoing(const Id& id, Result result) {
  const auto found = outgoing_.find(id);
  if (found == outgoing_.end()) return false;
  const auto self = shared_from_this();
  const ResultHandler handler = std::move(found->second);
  outgoing_.erase(found);
  if (handler) guarded("the answer to request " + to_json(id), [&] { handler(std::move(result)); });
  return true;
}

Id Endpoint::request(std::string_view method, const boost::json::value& params,
                     ResultHandler handler) {
  const Id id = next_id_++;
  const bool full = outgoing_.size() >= kMaxPendingRequests;
  outgoing_.emplace(id, std::move(handler));
  if (closed_) {
    settle_outgoing(id, error_of(ErrorCode::RequestCancelled, "the connection is closed"));
  } else if (full) {
    settle_outgoing(id, error_of(ErrorCode::RequestFailed,
                                 "too many requests are waiting for the other side's answers"));
  } else if (!only_answers_) {
    send(serialise_request(id, method, params));
  }
  return id;
}

void Endpoint::cancel(const Id& id) {
  if (!outgoing_.contains(id)) return;
  boost::json::object params;
  std::visit([&](const auto& value) { params["id"] = value; }, id);
  notify("$/cancelRequest", params);
}

void Endpoint::notify(std::string_view method, const boost::json::value& params) {
  if (!closed_ && !only_answers_) send(serialise_notification(method, params));
}

void Endpoint::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  const auto incoming = std::exchange(incoming_, {});
  for (const auto& [id, request] : incoming) {
    request->state = IncomingRequest::State::Void;
    request->on_cancel = nullptr;
  }
  // Handlers often own the endpoint that they are bound to.
  const auto request_handlers = std::exchange(request_handlers_, {});
  const auto notification_handlers = std::exchange(notification_handlers_, {});
  while (!outgoing_.empty())
    settle_outgoing(Id(outgoing_.begin()->first),
                    error_of(ErrorCode::RequestCancelled, "the connection is closed"));
}

void Endpoint::answer(IncomingRequest& request, std::string body) {
  if (request.state == IncomingRequest::State::Answered)
    log(request.method + ": a second answer was ignored");
  if (!request.open()) return;
  request.state = IncomingRequest::State::Answered;
  const auto callback = std::exchange(request.on_cancel, nullptr);
  incoming_.erase(request.id);
  send(std::move(body));
}

void Endpoint::answer_unanswered(IncomingRequest& request) {
  log(request.method + ": the handler gave no answer");
  answer(request,
         serialise_error(request.id, error_of(ErrorCode::InternalError,
                                              request.method + " ended without an answer")));
}

void Endpoint::replier_dropped(IncomingRequest& request) {
  if (request.state == IncomingRequest::State::Dispatching)
    request.dropped = true;
  else if (request.state == IncomingRequest::State::Waiting)
    answer_unanswered(request);
}

void Endpoint::send(std::string body) {
  if (closed_) return;
  const auto self = shared_from_this();
  sink_(std::move(body));
}

void Endpoint::log(std::string_view line) const {
  logger_(line);
}

std::optional<Error> Endpoint::guarded(std::string_view method,
                                       const std::function<void()>& handler) const {
  const std::string name(method);
  try {
    handler();
    return std::nullopt;
  } catch (const InvalidField& problem) {
    log(name + ": " + problem.message());
    return problem.to_error();
  } catch (const std::exception& problem) {
    log(name + ": the handler threw: " + problem.what());
  } catch (...) {
    log(name + ": the handler threw something that is no std::exception");
  }
  return error_of(ErrorCode::InternalError, "internal error in " + name + "; the log says more");
}

}  // namespace agent_doc::protocol
