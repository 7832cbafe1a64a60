// The dialect `opencode-run`: `opencode run --format json`, one process per turn. Texts arrive when
// they are complete. There is no final line; the exit code tells the result. Opencode over ACP
// (agent `opencode`) streams.
#include "plugins/arguments.hpp"
#include "plugins/claude/claude_messages.hpp"
#include "plugins/failure_words.hpp"
#include "plugins/one_shot/one_shot.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxTitle = 200;

Usage usage_of(const boost::json::object& step) {
  Usage usage;
  if (const boost::json::object* tokens = object_of(step, "tokens")) {
    usage.input = integer_of(*tokens, "input", 0);
    usage.output = integer_of(*tokens, "output", 0) + integer_of(*tokens, "reasoning", 0);
    if (const boost::json::object* cache = object_of(*tokens, "cache")) {
      usage.cache_read = integer_of(*cache, "read", 0);
      usage.cache_write = integer_of(*cache, "write", 0);
    }
  }
  constexpr double kMaxDollars = 1e9;
  if (const double cost = number_of(step, "cost");
      std::isfinite(cost) && std::abs(cost) < kMaxDollars)
    usage.cost_micros = std::llround(cost * 1e6);
  return usage;
}

AgentFailure failure_of(const boost::json::object& error, const AgentSpec& spec) {
  const std::string_view name = string_of(error, "name");
  const boost::json::object* data = object_of(error, "data");
  const std::string_view message =
      data != nullptr ? string_of(*data, "message") : std::string_view();
  const std::string_view text = message.empty() ? name : message;
  if (name == "ProviderAuthError") return describe_failure(FailureKind::Auth, text, spec);
  if (name == "ContentFilterError") return describe_failure(FailureKind::Refused, text, spec);
  if (name == "MessageOutputLengthError")
    return describe_failure(FailureKind::MaxTokens, text, spec);
  if (name == "ContextOverflowError") return describe_failure(FailureKind::ContextFull, text, spec);
  return describe_failure(
      kind_of_failure(data != nullptr ? integer_of(*data, "statusCode", 0) : 0, text), text, spec);
}

}  // namespace

class OpencodeRunProtocol final : public OneShotProtocol {
 public:
  using OneShotProtocol::OneShotProtocol;

  Launch launch(const LaunchRequest& request) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;

 private:
  void on_object(const boost::json::object& line, Actions& actions) override;
  void on_text(const boost::json::object& part, BlockKind kind, Actions& actions);
  void on_tool(const boost::json::object& part, Actions& actions);
  AgentFailure failure_of_exit(const ExitStatus& status) const override;

  /// The position of a part among the texts, by its id.
  std::map<std::string, std::int64_t, std::less<>> blocks_;
  std::string reason_;  ///< why the last step ended
};

Launch OpencodeRunProtocol::launch(const LaunchRequest& request) {
  std::vector<std::string> args = {"run", "--format", "json", "--thinking"};
  if (request.permissions == PermissionPolicy::Plan) add_option(args, "--agent", "plan");
  if (!request.model.empty()) add_option(args, "--model", request.model);
  if (request.start != SessionStart::New) add_option(args, "--session", request.session_id);
  if (request.start == SessionStart::Fork) args.emplace_back("--fork");
  return launch_with(request, std::move(args));
}

void OpencodeRunProtocol::on_object(const boost::json::object& line, Actions& actions) {
  session_started(string_of(line, "sessionID"), {}, {}, actions);
  const std::string_view type = string_of(line, "type");
  const boost::json::object* part = object_of(line, "part");
  if (type == "error") {
    if (const boost::json::object* error = object_of(line, "error"))
      fail(failure_of(*error, spec()));
  } else if (part == nullptr) {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  } else if (type == "text") {
    on_text(*part, BlockKind::Text, actions);
  } else if (type == "reasoning") {
    on_text(*part, BlockKind::Thinking, actions);
  } else if (type == "tool_use") {
    on_tool(*part, actions);
  } else if (type == "step_start") {
    actions.emit(MessageStarted{{}, string_of(*part, "messageID")});
  } else if (type == "step_finish") {
    reason_ = string_of(*part, "reason");
    actions.emit(usage_of(*part));
  } else {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  }
}

void OpencodeRunProtocol::on_text(const boost::json::object& part, BlockKind kind,
                                  Actions& actions) {
  const auto place = static_cast<std::int64_t>(blocks_.size());
  const auto block = blocks_.emplace(string_of(part, "id"), place).first;
  actions.emit(
      Snapshot{{{}, string_of(part, "messageID"), block->second}, kind, string_of(part, "text")});
}

void OpencodeRunProtocol::on_tool(const boost::json::object& part, Actions& actions) {
  const std::string_view id = string_of(part, "callID");
  const boost::json::object* state = object_of(part, "state");
  std::string summary;
  if (const boost::json::object* input = state != nullptr ? object_of(*state, "input") : nullptr) {
    summary = describe_tool_input(*input, kMaxTitle);
  }
  actions.emit(ToolStarted{{}, id, string_of(part, "tool"), summary});
  const std::string_view status =
      state != nullptr ? string_of(*state, "status") : std::string_view();
  if (status == "completed" || status == "error")
    actions.emit(ToolEnded{{}, id, status == "error"});
}

void OpencodeRunProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (reason_ == "length")
    fail(describe_failure(FailureKind::MaxTokens, "The answer reached the limit of its length",
                          spec()));
  if (status.code == 0 && status.signal == 0 && !reason_.empty() && reason_ != "tool-calls")
    complete({});
  OneShotProtocol::on_exit(status, actions);
}

AgentFailure OpencodeRunProtocol::failure_of_exit(const ExitStatus& status) const {
  if (says_session_unknown(status.stderr_tail)) {
    return describe_exit(FailureKind::SessionUnknown, status, last_lines(status.stderr_tail),
                         spec());
  }
  return OneShotProtocol::failure_of_exit(status);
}

std::unique_ptr<AgentProtocol> make_opencode_run(const AgentSpec& spec) {
  return std::make_unique<OpencodeRunProtocol>(spec);
}

}  // namespace agent_doc::plugins
