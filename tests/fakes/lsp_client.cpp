#include "tests/fakes/lsp_client.hpp"

#include <boost/json/array.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace agent_doc::fakes {
namespace lsp_client_internal {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kMaxKeptStderrBytes = 64 * 1024;
constexpr std::size_t kShownMessages = 8;
constexpr std::size_t kMaxShownMessageBytes = 400;

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

/// The bytes that are there; nothing when there are none now; an empty string at the end of the
/// stream.
std::optional<std::string> read_some(int descriptor) {
  std::string bytes(kReadBytes, '\0');
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  return bytes;
}

}  // namespace lsp_client_internal

RequestRefused::RequestRefused(std::string_view method, protocol::Error refusal)
    : std::runtime_error(std::string(method) + " was refused: " +
                         std::to_string(static_cast<int>(refusal.code)) + " " + refusal.message),
      error(std::move(refusal)) {}

LspClient::LspClient(const ProgramOptions& options, Traffic traffic)
    : traffic_(traffic),
      program_(options),
      endpoint_(protocol::Endpoint::make(
          [this](const std::string& body) {
            if (traffic_ == Traffic::Checked) wire_check_.from_client(body);
            send_raw(protocol::frame(body));
          },
          [this](std::string_view line) { complaints_.emplace_back(line); })) {
  const auto answer_null = [](const boost::json::value&, protocol::Replier reply) {
    reply.result(nullptr);
  };
  endpoint_->on_request("window/workDoneProgress/create", answer_null);
  endpoint_->on_request("window/showMessageRequest", answer_null);
  endpoint_->on_request(
      "workspace/applyEdit", [](const boost::json::value&, protocol::Replier reply) {
        reply.result(boost::json::object{{"applied", false},
                                         {"failureReason", "this test client has no documents"}});
      });
}

// --- requests and notifications ---

protocol::Result LspClient::outcome_of(std::string_view method, const boost::json::value& params,
                                       std::chrono::milliseconds deadline) {
  // Shared, since the answer may come after the deadline.
  const auto outcome = std::make_shared<std::optional<protocol::Result>>();
  endpoint_->request(method, params,
                     [outcome](protocol::Result result) { *outcome = std::move(result); });
  wait_until(
      "the answer to " + std::string(method), [&] { return outcome->has_value(); }, deadline);
  return std::move(**outcome);
}

boost::json::value LspClient::request(std::string_view method, const boost::json::value& params,
                                      std::chrono::milliseconds deadline) {
  protocol::Result outcome = outcome_of(method, params, deadline);
  if (auto* refusal = std::get_if<protocol::Error>(&outcome))
    throw RequestRefused(method, std::move(*refusal));
  return std::move(std::get<boost::json::value>(outcome));
}

protocol::Error LspClient::request_error(std::string_view method, const boost::json::value& params,
                                         std::chrono::milliseconds deadline) {
  protocol::Result outcome = outcome_of(method, params, deadline);
  if (const auto* result = std::get_if<boost::json::value>(&outcome))
    fail(std::string(method) + " was expected to be refused, but answered " +
         protocol::serialise_json(*result));
  return std::move(std::get<protocol::Error>(outcome));
}

void LspClient::notify(std::string_view method, const boost::json::value& params) {
  endpoint_->notify(method, params);
}

boost::json::object LspClient::standard_capabilities() {
  return boost::json::object{
      {"general", boost::json::object{{"positionEncodings", boost::json::array{"utf-16"}}}},
      {"workspace",
       boost::json::object{{"applyEdit", true},
                           {"workspaceEdit", boost::json::object{{"documentChanges", true}}}}},
      {"window", boost::json::object{{"workDoneProgress", true}}},
      {"experimental",
       boost::json::object{
           {"agentDoc", boost::json::object{{"turn", true}, {"strictEdits", true}}}}},
  };
}

boost::json::value LspClient::initialize() {
  return initialize(standard_capabilities());
}

boost::json::value LspClient::initialize(const boost::json::object& capabilities) {
  boost::json::object params{
      {"processId", ::getpid()}, {"rootUri", nullptr}, {"capabilities", capabilities}};
  params["clientInfo"] = boost::json::object{{"name", "agent-doc test client"}, {"version", "1"}};
  boost::json::value result = request("initialize", params);
  notify("initialized", boost::json::object{});
  return result;
}

int LspClient::shut_down(std::chrono::milliseconds deadline) {
  request("shutdown", {}, deadline);
  notify("exit");
  return wait_for_exit(deadline);
}

void LspClient::on_request(std::string method, protocol::RequestHandler handler) {
  endpoint_->on_request(std::move(method), std::move(handler));
}

void LspClient::on_notification(std::string method, protocol::NotificationHandler handler) {
  notification_handlers_.insert_or_assign(std::move(method), std::move(handler));
}

boost::json::value LspClient::wait_for_notification(std::string_view method,
                                                    const Predicate& predicate,
                                                    std::chrono::milliseconds deadline) {
  std::size_t& next = next_unseen_[std::string(method)];
  const auto found = [&] {
    while (next < notifications_.size()) {
      const Received& candidate = notifications_[next++];
      if (candidate.method == method && (!predicate || predicate(candidate.params))) return true;
    }
    return false;
  };
  wait_until("the notification " + std::string(method), found, deadline);
  return notifications_[next - 1].params;
}

// --- time and life ---

void LspClient::wait_until(std::string_view what, const std::function<bool()>& condition,
                           std::chrono::milliseconds deadline) {
  const TimePoint until = lsp_client_internal::Clock::now() + deadline;
  while (true) {
    const bool gone = program_is_gone();
    if (condition()) return;
    if (gone) fail("the program ended while the test waited for " + std::string(what));
    if (lsp_client_internal::Clock::now() >= until)
      fail("waited " + std::to_string(deadline.count()) + " ms in vain for " + std::string(what));
    serve_once(until);
  }
}

void LspClient::run_for(std::chrono::milliseconds time) {
  const TimePoint until = lsp_client_internal::Clock::now() + time;
  while (lsp_client_internal::Clock::now() < until) serve_once(until);
}

int LspClient::wait_for_exit(std::chrono::milliseconds deadline) {
  const TimePoint until = lsp_client_internal::Clock::now() + deadline;
  while (!program_is_gone()) {
    if (lsp_client_internal::Clock::now() >= until)
      fail("the program did not end within " + std::to_string(deadline.count()) + " ms");
    serve_once(until);
  }
  return *program_.exit_code();
}

void LspClient::close_input() {
  program_.close_input();
}

void LspClient::send_raw(std::string_view bytes) {
  unsent_.append(bytes);
  write_input();
}

bool LspClient::program_is_gone() {
  if (!program_.exit_code()) return false;
  // A child of the program may hold the pipes open: what the program itself wrote is there already.
  while (read_output() || read_errors()) {
  }
  return true;
}

// --- the connection ---

void LspClient::serve_once(TimePoint until) {
  std::array<pollfd, 4> waiting{{
      {program_.output(), POLLIN, 0},
      {program_.errors(), POLLIN, 0},
      {unsent_.empty() ? -1 : program_.input(), POLLOUT, 0},
      {program_.exit_watch(), POLLIN, 0},
  }};
  if (::poll(waiting.data(), waiting.size(), lsp_client_internal::milliseconds_until(until)) <= 0)
    return;
  if (waiting[1].revents != 0) read_errors();
  if (waiting[2].revents != 0) write_input();
  if (waiting[3].revents != 0) program_.exit_code();
  if (waiting[0].revents != 0) read_output();
}

bool LspClient::read_output() {
  if (program_.output() < 0) return false;
  const auto bytes = lsp_client_internal::read_some(program_.output());
  if (!bytes) return false;
  if (bytes->empty()) {
    program_.close_output();
    if (reader_.mid_frame()) fail("the program's output ended inside a message");
    return false;
  }
  reader_.feed(*bytes);
  while (const auto body = reader_.next()) receive(std::string(*body));
  if (reader_.error() != protocol::FramingError::None)
    fail("the program wrote a broken frame: " + std::string(protocol::describe(reader_.error())));
  return true;
}

void LspClient::receive(std::string body) {
  last_messages_.push_back(body.substr(0, lsp_client_internal::kMaxShownMessageBytes));
  if (last_messages_.size() > lsp_client_internal::kShownMessages) last_messages_.pop_front();

  if (traffic_ == Traffic::Checked) wire_check_.from_server(body);
  for (const std::string& problem : wire_check_.take_problems())
    fail("against the protocol's schema: " + problem);

  protocol::Message message = protocol::parse_message(body);
  if (const auto* invalid = std::get_if<protocol::Invalid>(&message))
    fail("the program wrote a bad message: " + invalid->error.message);
  auto* notification = std::get_if<protocol::Notification>(&message);
  if (notification == nullptr || notification->method == "$/cancelRequest") {
    endpoint_->receive(body);
    return;
  }
  notifications_.push_back({notification->method, notification->params});
  const auto handler = notification_handlers_.find(notification->method);
  if (handler != notification_handlers_.end()) handler->second(notification->params);
}

bool LspClient::read_errors() {
  if (program_.errors() < 0) return false;
  const auto bytes = lsp_client_internal::read_some(program_.errors());
  if (!bytes) return false;
  if (bytes->empty()) program_.close_errors();
  stderr_text_ += *bytes;
  if (stderr_text_.size() > lsp_client_internal::kMaxKeptStderrBytes)
    stderr_text_.erase(0, stderr_text_.size() - lsp_client_internal::kMaxKeptStderrBytes);
  return !bytes->empty();
}

void LspClient::write_input() {
  while (!unsent_.empty() && program_.input() >= 0) {
    const ssize_t count = ::write(program_.input(), unsent_.data(), unsent_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return program_.close_input();
    unsent_.erase(0, static_cast<std::size_t>(count));
  }
  if (program_.input() < 0) unsent_.clear();
}

void LspClient::fail(const std::string& what) {
  std::string text = what;
  const auto code = program_.exit_code();
  text += code ? "\nThe program ended with " + std::to_string(*code)
               : "\nThe program is running as " + std::to_string(pid());
  for (const std::string& message : last_messages_) text += "\nreceived: " + message;
  for (const std::string& complaint : complaints_) text += "\ncomplaint: " + complaint;
  text += "\nstderr:\n" + stderr_text_;
  throw LspClientFailure(text);
}

}  // namespace agent_doc::fakes
