// The dialect `cursor-agent`: Cursor's command line with `--output-format stream-json
// --stream-partial-output`, one process per turn. An `assistant` line with a timestamp and without
// a model call is a delta, with a model call it is the complete text before a tool call, and with
// neither it is the complete text at the end.
#include "plugins/arguments.hpp"
#include "plugins/claude/claude_messages.hpp"
#include "plugins/one_shot/one_shot.hpp"

#include <memory>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxSummary = 200;
constexpr std::string_view kToolCall = "ToolCall";

std::string text_of(const boost::json::object& line) {
  std::string text;
  const boost::json::object* message = object_of(line, "message");
  const boost::json::array* content = message != nullptr ? array_of(*message, "content") : nullptr;
  if (content == nullptr) return text;
  for (const boost::json::value& block : *content) {
    if (const boost::json::object* object = block.if_object())
      text.append(string_of(*object, "text"));
  }
  return text;
}

}  // namespace

class CursorAgentProtocol final : public OneShotProtocol {
 public:
  using OneShotProtocol::OneShotProtocol;

  SessionSupport session_support() const override { return {.resume = true, .fork = false}; }
  Launch launch(const LaunchRequest& request) override;

 private:
  void on_object(const boost::json::object& line, Actions& actions) override;
  void on_assistant(const boost::json::object& line, Actions& actions);
  void on_thinking(const boost::json::object& line, Actions& actions);
  void on_tool_call(const boost::json::object& line, Actions& actions);
  void on_result(const boost::json::object& line, Actions& actions);
  BlockKey key(std::int64_t index) const { return {{}, message_, index}; }
  void message_ends();

  /// Cursor does not name messages: a message is what is between two tool calls.
  std::string message_ = "1";
  std::uint64_t messages_ = 1;
  std::string streamed_;  ///< the deltas of this message
  bool has_text_ = false;
};

Launch CursorAgentProtocol::launch(const LaunchRequest& request) {
  std::vector<std::string> args = {"--print", "--output-format", "stream-json",
                                   "--stream-partial-output"};
  if (request.permissions == PermissionPolicy::Plan) add_option(args, "--mode", "plan");
  if (!request.model.empty()) add_option(args, "--model", request.model);
  if (request.start == SessionStart::Resume) add_option(args, "--resume", request.session_id);
  return launch_with(request, std::move(args));
}

void CursorAgentProtocol::on_object(const boost::json::object& line, Actions& actions) {
  const std::string_view type = string_of(line, "type");
  if (type == "assistant") {
    on_assistant(line, actions);
  } else if (type == "thinking") {
    on_thinking(line, actions);
  } else if (type == "tool_call") {
    on_tool_call(line, actions);
  } else if (type == "result") {
    on_result(line, actions);
  } else if (type == "system" && string_of(line, "subtype") == "init") {
    session_started(string_of(line, "session_id"), string_of(line, "model"), string_of(line, "cwd"),
                    actions);
  } else if (type != "user") {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  }
}

void CursorAgentProtocol::on_assistant(const boost::json::object& line, Actions& actions) {
  constexpr std::int64_t kText = 1;
  const std::string text = text_of(line);
  const bool has_model_call = line.contains("model_call_id");
  if (line.contains("timestamp_ms") && !has_model_call) {
    streamed_ += text;
    has_text_ = true;
    return actions.emit(TextDelta{key(kText), text});
  }
  // The last one may repeat the texts of earlier messages before this one.
  const bool repeats = !has_model_call && !streamed_.empty() && text.ends_with(streamed_);
  if (!repeats) actions.emit(Snapshot{key(kText), BlockKind::Text, text});
  has_text_ = true;
  if (has_model_call) message_ends();
}

void CursorAgentProtocol::on_thinking(const boost::json::object& line, Actions& actions) {
  if (string_of(line, "subtype") != "delta") return;
  actions.emit(ThinkingDelta{key(0), string_of(line, "text")});
}

void CursorAgentProtocol::on_tool_call(const boost::json::object& line, Actions& actions) {
  message_ends();
  const std::string_view id = string_of(line, "call_id");
  const boost::json::object* call = object_of(line, "tool_call");
  if (call == nullptr || call->empty()) return actions.emit(Unrecognised{"tool_call"});
  // {"readToolCall": {"args": {…}, "result": {"success" | "error": {…}}}}
  std::string_view name = call->begin()->key();
  if (name.ends_with(kToolCall)) name.remove_suffix(kToolCall.size());
  const boost::json::object* tool = call->begin()->value().if_object();
  if (string_of(line, "subtype") == "completed") {
    const boost::json::object* result = tool != nullptr ? object_of(*tool, "result") : nullptr;
    return actions.emit(ToolEnded{{}, id, result != nullptr && !result->contains("success")});
  }
  const boost::json::object* input = tool != nullptr ? object_of(*tool, "args") : nullptr;
  const std::string summary =
      input != nullptr ? describe_tool_input(*input, kMaxSummary) : std::string();
  actions.emit(ToolStarted{{}, id, name, summary});
}

void CursorAgentProtocol::message_ends() {
  if (!has_text_) return;
  has_text_ = false;
  streamed_.clear();
  message_ = std::to_string(++messages_);
}

void CursorAgentProtocol::on_result(const boost::json::object& line, Actions& actions) {
  session_started(string_of(line, "session_id"), {}, {}, actions);
  const std::string_view text = string_of(line, "result");
  if (is_true(line, "is_error")) return fail(failure_in_words(text, FailureKind::Unknown, spec()));
  complete(text);
}

std::unique_ptr<AgentProtocol> make_cursor_agent(const AgentSpec& spec) {
  return std::make_unique<CursorAgentProtocol>(spec);
}

}  // namespace agent_doc::plugins
