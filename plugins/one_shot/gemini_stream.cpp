// The dialect `gemini-stream`: gemini's `-o stream-json`, one process per turn. Text arrives as
// deltas, without message ids and thoughts, and the exit code may be the only sign of an error.
// Gemini over ACP (agent `gemini`) can do more.
#include "plugins/arguments.hpp"
#include "plugins/claude/claude_messages.hpp"
#include "plugins/failure_words.hpp"
#include "plugins/one_shot/one_shot.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxToolSummary = 200;

/// Exit codes that gemini defines; others are an HTTP status modulo 256.
constexpr int kExitAuth = 41;
constexpr int kExitInput = 42;
constexpr int kExitUntrustedFolder = 55;

std::int64_t http_status_of_exit(int code) {
  constexpr std::array<std::int64_t, 9> kStatuses = {400, 401, 403, 404, 429, 500, 502, 503, 504};
  const auto found = std::find_if(kStatuses.begin(), kStatuses.end(),
                                  [code](std::int64_t status) { return status % 256 == code; });
  return found == kStatuses.end() ? 0 : *found;
}

/// Returns true for what gemini prints at every start about the terminal and itself.
bool is_noise(std::string_view line) {
  constexpr std::array<std::string_view, 5> kNoise = {"Warning: ", "[STARTUP]", "Ripgrep is not",
                                                      "YOLO mode", "    at "};
  return std::any_of(kNoise.begin(), kNoise.end(),
                     [line](std::string_view noise) { return line.starts_with(noise); });
}

std::string without_noise(std::string_view text) {
  std::string useful;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::string_view line = text.substr(0, end); !is_noise(line))
      useful.append(line).push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return useful;
}

/// Returns X of "[API Error: X]…", or the message in it when X is the service's JSON.
std::string service_message(std::string_view text) {
  constexpr std::string_view kBegin = "[API Error: ";
  if (!text.starts_with(kBegin)) return std::string(text);
  text.remove_prefix(kBegin.size());
  const std::string_view inner = text.substr(0, text.rfind(']'));
  JsonLine json;
  json.begin(inner);
  const boost::json::object* object = json.next();
  const boost::json::object* error = object != nullptr ? object_of(*object, "error") : nullptr;
  const std::string_view message =
      error != nullptr ? string_of(*error, "message") : std::string_view();
  return std::string(message.empty() ? inner : message);
}

}  // namespace

class GeminiStreamProtocol final : public OneShotProtocol {
 public:
  using OneShotProtocol::OneShotProtocol;

  SessionSupport session_support() const override { return {.resume = true, .fork = false}; }
  Launch launch(const LaunchRequest& request) override;

 private:
  void on_object(const boost::json::object& line, Actions& actions) override;
  void on_message(const boost::json::object& line, Actions& actions);
  void on_tool_use(const boost::json::object& line, Actions& actions);
  void on_result(const boost::json::object& line, Actions& actions);
  AgentFailure failure_of_exit(const ExitStatus& status) const override;
  void text_ends();

  /// Gemini does not name messages: a message is what is between two tool calls.
  std::string message_ = "1";
  std::uint64_t messages_ = 1;
  bool in_text_ = false;
  /// The last reported error; whether the turn failed by it is known at the end of the process.
  std::string error_;
};

Launch GeminiStreamProtocol::launch(const LaunchRequest& request) {
  std::vector<std::string> args = {"--output-format", "stream-json"};
  if (request.permissions == PermissionPolicy::AcceptEdits)
    add_option(args, "--approval-mode", "auto_edit");
  if (request.permissions == PermissionPolicy::Plan) add_option(args, "--approval-mode", "plan");
  if (!request.model.empty()) add_option(args, "--model", request.model);
  if (request.start == SessionStart::Resume) add_option(args, "--resume", request.session_id);
  Launch launch = launch_with(request, std::move(args));
  // Otherwise it starts itself again, half a second later, just to have more memory.
  launch.env.emplace("GEMINI_CLI_NO_RELAUNCH", "true");
  return launch;
}

void GeminiStreamProtocol::on_object(const boost::json::object& line, Actions& actions) {
  const std::string_view type = string_of(line, "type");
  if (type == "message") {
    on_message(line, actions);
  } else if (type == "init") {
    session_started(string_of(line, "session_id"), string_of(line, "model"), {}, actions);
  } else if (type == "tool_use") {
    text_ends();
    on_tool_use(line, actions);
  } else if (type == "tool_result") {
    text_ends();
    actions.emit(ToolEnded{{}, string_of(line, "tool_id"), string_of(line, "status") == "error"});
  } else if (type == "error") {
    if (string_of(line, "severity") == "error") error_ = string_of(line, "message");
    actions.emit(Notice{NoticeKind::Status, string_of(line, "message")});
  } else if (type == "result") {
    on_result(line, actions);
  } else {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  }
}

void GeminiStreamProtocol::text_ends() {
  if (!in_text_) return;
  in_text_ = false;
  message_ = std::to_string(++messages_);
}

void GeminiStreamProtocol::on_message(const boost::json::object& line, Actions& actions) {
  if (string_of(line, "role") != "assistant") return;  // an echo of the prompt
  const std::string_view text = string_of(line, "content");
  const bool is_delta = is_true(line, "delta");
  if (!is_delta) text_ends();
  in_text_ = true;
  if (is_delta) {
    actions.emit(TextDelta{{{}, message_, 0}, text});
  } else {
    actions.emit(Snapshot{{{}, message_, 0}, BlockKind::Text, text});
    text_ends();
  }
}

void GeminiStreamProtocol::on_tool_use(const boost::json::object& line, Actions& actions) {
  const boost::json::object* input = object_of(line, "parameters");
  const std::string summary =
      input != nullptr ? describe_tool_input(*input, kMaxToolSummary) : std::string();
  actions.emit(ToolStarted{{}, string_of(line, "tool_id"), string_of(line, "tool_name"), summary});
}

void GeminiStreamProtocol::on_result(const boost::json::object& line, Actions& actions) {
  if (const boost::json::object* stats = object_of(line, "stats")) {
    Usage usage;
    usage.input = integer_of(*stats, "input", 0);  // without cached tokens
    usage.output = integer_of(*stats, "output_tokens", 0);
    usage.cache_read = integer_of(*stats, "cached", 0);
    actions.emit(usage);
  }
  if (string_of(line, "status") == "success") return complete({});
  if (const boost::json::object* error = object_of(line, "error");
      error != nullptr && !string_of(*error, "message").empty()) {
    error_ = service_message(string_of(*error, "message"));
  }
  if (error_.empty()) error_ = "The turn ended with an error";
}

AgentFailure GeminiStreamProtocol::failure_of_exit(const ExitStatus& status) const {
  if (!error_.empty()) {
    return describe_failure(kind_of_failure(http_status_of_exit(status.code), error_), error_,
                            spec());
  }
  if (status.code == kExitUntrustedFolder) {
    return {FailureKind::Invalid, spec().name +
                                      ": gemini does not work in a folder that it does not trust. "
                                      "Start `gemini` there once and trust it, or give it `args = "
                                      "[\"--skip-trust\"]` in [agents." +
                                      spec().name +
                                      "] of agent-doc's config.toml; then run again."};
  }
  const std::string said = last_lines(without_noise(status.stderr_tail));
  FailureKind kind = kind_of_words(said);
  if (kind == FailureKind::Unknown) kind = FailureKind::Crashed;
  if (status.code == kExitAuth) kind = FailureKind::Auth;
  if (status.code == kExitInput) {
    kind = says_session_unknown(said) ? FailureKind::SessionUnknown : FailureKind::Invalid;
  }
  return describe_exit(kind, status, said, spec());
}

std::unique_ptr<AgentProtocol> make_gemini_stream(const AgentSpec& spec) {
  return std::make_unique<GeminiStreamProtocol>(spec);
}

}  // namespace agent_doc::plugins
