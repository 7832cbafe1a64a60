// What it is: an LSP client for tests: it starts the real program, speaks Content-Length frames and
// JSON-RPC on its pipes, and is strict: a broken frame, a message that is no JSON-RPC or one that
// the protocol's schema does not allow (wire_check.hpp) ends the test with what the program said on
// stderr.
// What it is not: an editor: documents that are edited are editor_model.hpp. A REQUIRE belongs into
// the test, not into a handler: the endpoint would take it for a failed handler and answer -32603.
// Thread rule: one thread. Things happen only inside the calls that wait (request,
// wait_for_notification, wait_until, run_for, wait_for_exit): they serve the connection with
// poll(2), and call the handlers that the test has registered. Handlers may call anything here.
//
//   LspClient client({.program = AGENT_DOC_BINARY, .arguments = {"serve"}});
//   client.initialize();
//   const auto turn = client.request("workspace/executeCommand", {{"command", "agentDoc.run"},
//   {"arguments", ...}}); client.wait_for_notification("agentDoc/turn", [](const auto& params) {
//   return params.at("state") == "done"; }); CHECK(client.shut_down() == 0);
#pragma once

#include "protocol/endpoint.hpp"
#include "protocol/framing.hpp"
#include "tests/fakes/child_program.hpp"
#include "tests/fakes/wire_check.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

/// Long enough for a sanitizer build on a busy machine; nothing waits that long when it works.
inline constexpr std::chrono::milliseconds kDefaultDeadline{20'000};

enum class Traffic {
  Checked,    ///< against the schema of the protocol
  Unchecked,  ///< the program is no agent-doc, or is measured
};

/// A deadline passed, the program ended too early, or it wrote what no client can read.
class LspClientFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The server answered a request with an error.
class RequestRefused : public std::runtime_error {
 public:
  RequestRefused(std::string_view method, protocol::Error refusal);
  const protocol::Error error;
};

class LspClient {
 public:
  struct Received {
    std::string method;
    boost::json::value params;
  };
  using Predicate = std::function<bool(const boost::json::value& params)>;

  /// `window/workDoneProgress/create` and `window/showMessageRequest` are answered null,
  /// `workspace/applyEdit` is refused, until the test registers its own handlers.
  explicit LspClient(const ProgramOptions& options, Traffic traffic = Traffic::Checked);
  /// Kills and reaps the program; calls no handler.
  ~LspClient() = default;
  LspClient(const LspClient&) = delete;
  LspClient& operator=(const LspClient&) = delete;

  // --- requests and notifications to the server ---

  /// Waits for the result. Throws RequestRefused, or LspClientFailure at the deadline.
  boost::json::value request(std::string_view method, const boost::json::value& params = {},
                             std::chrono::milliseconds deadline = kDefaultDeadline);
  /// Waits for the error that the server must answer; a result is a failure.
  protocol::Error request_error(std::string_view method, const boost::json::value& params = {},
                                std::chrono::milliseconds deadline = kDefaultDeadline);
  void notify(std::string_view method, const boost::json::value& params = {});
  /// For requests that do not wait, cancel(), and EditorModel.
  protocol::Endpoint& endpoint() { return *endpoint_; }

  /// `initialize` and `initialized`. Standard capabilities: utf-16, versioned document changes,
  /// work-done progress, agentDoc/turn and strict edits.
  boost::json::value initialize();
  boost::json::value initialize(const boost::json::object& capabilities);
  static boost::json::object standard_capabilities();
  /// `shutdown` and `exit`; the exit code of the program.
  int shut_down(std::chrono::milliseconds deadline = kDefaultDeadline);

  // --- what comes from the server ---

  void on_request(std::string method, protocol::RequestHandler handler);
  void on_notification(std::string method, protocol::NotificationHandler handler);
  /// The params of the first notification of `method` that fulfils `predicate`, among those that
  /// came after the one that the last call for this method returned, those that came already
  /// included.
  boost::json::value wait_for_notification(std::string_view method, const Predicate& predicate = {},
                                           std::chrono::milliseconds deadline = kDefaultDeadline);
  /// All notifications so far.
  const std::deque<Received>& notifications() const { return notifications_; }
  /// What the JSON-RPC endpoint found wrong, such as answers to requests that nobody made. Empty
  /// for a right server.
  const std::vector<std::string>& complaints() const { return complaints_; }

  // --- time and life ---

  /// Serves the connection until `condition`; `what` is for the failure.
  void wait_until(std::string_view what, const std::function<bool()>& condition,
                  std::chrono::milliseconds deadline = kDefaultDeadline);
  /// Serves the connection for a time: a person who thinks between two keys.
  void run_for(std::chrono::milliseconds time);
  /// Its exit code, or 128 and the signal.
  int wait_for_exit(std::chrono::milliseconds deadline = kDefaultDeadline);
  /// An editor that died: the server's stdin ends.
  void close_input();
  void kill(int signal) { program_.kill(signal); }
  pid_t pid() const { return program_.pid(); }
  /// The definitions of the schema that were seen on this connection.
  const WireCheck::Names& seen_definitions() const { return wire_check_.seen(); }
  /// Bytes as they are, for broken frames.
  void send_raw(std::string_view bytes);
  /// The end of what the program wrote on stderr so far.
  const std::string& stderr_text() const { return stderr_text_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  protocol::Result outcome_of(std::string_view method, const boost::json::value& params,
                              std::chrono::milliseconds deadline);
  /// Handles what is ready, waiting for it until `until` at most.
  void serve_once(TimePoint until);
  /// True when there were bytes.
  bool read_output();
  bool read_errors();
  void write_input();
  void receive(std::string body);
  [[noreturn]] void fail(const std::string& what);
  /// It has ended, and everything that it wrote was read.
  bool program_is_gone();

  Traffic traffic_;
  WireCheck wire_check_;
  ChildProgram program_;
  std::shared_ptr<protocol::Endpoint> endpoint_;
  protocol::FrameReader reader_;
  std::string unsent_;
  std::map<std::string, protocol::NotificationHandler, std::less<>> notification_handlers_;
  std::deque<Received> notifications_;
  std::map<std::string, std::size_t, std::less<>>
      next_unseen_;  ///< per method: where wait_for_notification goes on
  std::deque<std::string> last_messages_;
  std::vector<std::string> complaints_;
  std::string stderr_text_;
};

}  // namespace agent_doc::fakes
