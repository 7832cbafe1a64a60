#include "plugins/codex/codex_exec.hpp"

#include "plugins/codex/codex_failure.hpp"
#include "plugins/codex/codex_items.hpp"
#include "plugins/codex/codex_usage.hpp"
#include "plugins/json_line.hpp"
#include "plugins/system_note.hpp"

#include <optional>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// Returns a setting for the command line, which is TOML; a JSON string is valid TOML.
std::string setting(std::string_view key, std::string_view value) {
  return std::string(key).append("=").append(boost::json::serialize(boost::json::string(value)));
}

std::string_view sandbox_of(PermissionPolicy policy) {
  switch (policy) {
    case PermissionPolicy::Ask:
      return {};  // codex' own default, which is read-only
    case PermissionPolicy::AcceptEdits:
      return "workspace-write";
    case PermissionPolicy::Deny:
    case PermissionPolicy::Plan:
      break;
  }
  return "read-only";
}

/// Returns "2 of 5: the step that comes next".
std::string describe_list(const boost::json::object& item) {
  const boost::json::array* entries = array_of(item, "items");
  if (entries == nullptr) return {};
  std::size_t done = 0;
  std::string_view next;
  for (const boost::json::value& value : *entries) {
    const boost::json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    if (is_true(*entry, "completed")) {
      ++done;
    } else if (next.empty()) {
      next = string_of(*entry, "text");
    }
  }
  std::string text =
      "plan, " + std::to_string(done) + " of " + std::to_string(entries->size()) + " done";
  if (!next.empty()) text.append(": ").append(next);
  return text;
}

}  // namespace

class CodexExecProtocol final : public AgentProtocol {
 public:
  explicit CodexExecProtocol(AgentSpec spec) : spec_(std::move(spec)) {}

  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  void on_line(std::string_view line, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  /// Does nothing: codex exec does not ask.
  void answer(std::string_view, std::string_view, Actions&) override {}

 private:
  void on_object(const boost::json::object& line, Actions& actions);
  void on_item(std::string_view type, const boost::json::object& item, Actions& actions);
  void on_error(std::string_view message, Actions& actions);
  void on_completed(const boost::json::object& line, Actions& actions);
  void fail(const AgentFailure& failure, Actions& actions);
  void end_turn(Outcome outcome, Actions& actions);

  AgentSpec spec_;
  LaunchRequest request_;
  JsonLine json_;
  CodexItems items_;
  bool in_turn_ = false;
  bool cancelled_ = false;
  std::optional<AgentFailure> failure_;  ///< reported before the end of the turn
};

Launch CodexExecProtocol::launch(const LaunchRequest& request) {
  request_ = request;
  Launch launch;
  launch.command = spec_.command;
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Turn;
  launch.args = spec_.args;
  launch.args.emplace_back("exec");
  if (request.start == SessionStart::Resume) launch.args.emplace_back("resume");
  if (request.start == SessionStart::Fork) launch.args.emplace_back("fork");
  launch.args.emplace_back("--json");
  launch.args.emplace_back("--skip-git-repo-check");
  if (!request.model.empty()) launch.args.push_back("--model=" + request.model);
  launch.args.emplace_back("-c");
  launch.args.push_back(setting("developer_instructions", kSystemNote));
  if (const std::string_view sandbox = sandbox_of(request.permissions); !sandbox.empty()) {
    launch.args.emplace_back("-c");
    launch.args.push_back(setting("sandbox_mode", sandbox));
  }
  launch.args.emplace_back("--");
  if (request.start != SessionStart::New) launch.args.push_back(request.session_id);
  launch.args.emplace_back("-");
  return launch;
}

void CodexExecProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  cancelled_ = false;
  failure_.reset();
  items_.begin_turn();
  actions.write_line(request.prompt);
  actions.close_stdin();
  actions.prompt_sent();
}

void CodexExecProtocol::on_line(std::string_view line, Actions& actions) {
  json_.begin(line);
  while (const boost::json::object* object = json_.next()) on_object(*object, actions);
  if (!json_.malformed().empty()) actions.emit(Malformed{json_.malformed()});
}

void CodexExecProtocol::on_object(const boost::json::object& line, Actions& actions) {
  const std::string_view type = string_of(line, "type");
  const boost::json::object* item = object_of(line, "item");
  if (type.starts_with("item.") && item != nullptr) {
    on_item(type, *item, actions);
  } else if (type == "thread.started") {
    actions.emit(SessionStarted{string_of(line, "thread_id"), request_.model, request_.cwd});
  } else if (type == "error") {
    on_error(string_of(line, "message"), actions);
  } else if (type == "turn.completed") {
    on_completed(line, actions);
  } else if (type == "turn.failed") {
    const boost::json::object* error = object_of(line, "error");
    if (error != nullptr) failure_ = codex_failure_of_error(*error, spec_);
    if (in_turn_)
      fail(failure_ ? *failure_ : codex_failure_of_text("The turn failed", spec_), actions);
  } else if (type != "turn.started") {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  }
}

void CodexExecProtocol::on_item(std::string_view type, const boost::json::object& item,
                                Actions& actions) {
  const std::string_view item_type = string_of(item, "type");
  if (item_type == "error") {
    actions.emit(Notice{NoticeKind::Warning, string_of(item, "message")});
  } else if (item_type == "todo_list") {
    if (const std::string text = describe_list(item); !text.empty())
      actions.emit(Notice{NoticeKind::Status, text});
  } else if (type == "item.started") {
    items_.started({}, item, actions);
  } else if (type == "item.completed") {
    items_.completed({}, item, actions);
  } else if (type != "item.updated") {
    actions.emit(Unrecognised{type});
  }
}

/// Every attempt reports an error; after the last one turn.failed repeats it.
void CodexExecProtocol::on_error(std::string_view message, Actions& actions) {
  if (message.starts_with("Reconnecting... ")) {
    items_.give_up_open(actions);
    const std::string text = codex_retry_text(message, {});
    actions.emit(Notice{NoticeKind::Retry, text});
  } else {
    failure_ = codex_failure_of_text(message, spec_);
  }
}

/// The sums are those of the whole thread, so they are the turn's own only in its first turn.
void CodexExecProtocol::on_completed(const boost::json::object& line, Actions& actions) {
  const boost::json::object* usage = object_of(line, "usage");
  if (usage != nullptr && request_.start == SessionStart::New)
    actions.emit(codex_exec_usage(*usage));
  if (in_turn_) end_turn(cancelled_ ? Outcome::Cancelled : Outcome::Done, actions);
}

void CodexExecProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (in_turn_) fail(failure_ ? *failure_ : codex_failure_of_exit(status, spec_), actions);
}

void CodexExecProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  actions.send_signal(Signal::Interrupt);
}

void CodexExecProtocol::fail(const AgentFailure& failure, Actions& actions) {
  if (cancelled_) return end_turn(Outcome::Cancelled, actions);
  actions.emit(Failure{failure.kind, failure.message});
  end_turn(Outcome::Failed, actions);
}

void CodexExecProtocol::end_turn(Outcome outcome, Actions& actions) {
  in_turn_ = false;
  cancelled_ = false;
  actions.emit(TurnEnded{outcome, {}});
}

std::unique_ptr<AgentProtocol> make_codex_exec(const AgentSpec& spec) {
  return std::make_unique<CodexExecProtocol>(spec);
}

}  // namespace agent_doc::plugins
