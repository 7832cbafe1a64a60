#include "plugins/claude/claude.hpp"

#include "plugins/arguments.hpp"
#include "plugins/claude/claude_failure.hpp"
#include "plugins/claude/claude_messages.hpp"
#include "plugins/claude/claude_questions.hpp"
#include "plugins/claude/claude_steering.hpp"
#include "plugins/json_line.hpp"
#include "plugins/rate_limit.hpp"
#include "plugins/system_note.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace agent_doc::plugins {
namespace {

std::string interrupt_line(std::uint64_t number) {
  boost::json::object line{{"type", "control_request"},
                           {"request_id", "interrupt-" + std::to_string(number)}};
  line["request"] = boost::json::object{{"subtype", "interrupt"}};
  return boost::json::serialize(line);
}

std::string reason_of_retry(const boost::json::object& line) {
  const std::int64_t status = integer_of(line, "error_status", 0);
  const std::string code = status != 0 ? " (" + std::to_string(status) + ")" : "";
  if (status == 401 || status == 403) return "login refused" + code;
  if (status == 429) return "rate limit" + code;
  if (status == 529) return "the service is overloaded" + code;
  if (status >= 500) return "error of the service" + code;
  if (status != 0) return "request refused" + code;
  return "connection lost";
}

/// Returns what this turn used. Newer versions report it by model, including sub-agents and failed
/// requests; older ones report the sum of the whole process.
Usage usage_of(const boost::json::object& result, double& total_cost) {
  Usage usage;
  const double total = std::max(total_cost, number_of(result, "total_cost_usd"));
  double cost = total - total_cost;
  total_cost = total;
  if (const boost::json::object* models = object_of(result, "model_usage_since_last_result")) {
    cost = 0;
    for (const auto& [name, value] : *models) {
      const boost::json::object* model = value.if_object();
      if (model == nullptr) continue;
      usage.input += integer_of(*model, "inputTokens", 0);
      usage.output += integer_of(*model, "outputTokens", 0);
      usage.cache_read += integer_of(*model, "cacheReadInputTokens", 0);
      usage.cache_write += integer_of(*model, "cacheCreationInputTokens", 0);
      cost += number_of(*model, "costUSD");
    }
  } else if (const boost::json::object* sum = object_of(result, "usage")) {
    usage.input = integer_of(*sum, "input_tokens", 0);
    usage.output = integer_of(*sum, "output_tokens", 0);
    usage.cache_read = integer_of(*sum, "cache_read_input_tokens", 0);
    usage.cache_write = integer_of(*sum, "cache_creation_input_tokens", 0);
  }
  constexpr double kMaxDollars = 1e9;
  if (std::isfinite(cost) && std::abs(cost) < kMaxDollars)
    usage.cost_micros = std::llround(cost * 1e6);
  return usage;
}

/// Empty: the user's settings of claude apply, and the host answers what it asks.
std::string_view mode_of(PermissionPolicy policy) {
  if (policy == PermissionPolicy::AcceptEdits) return "acceptEdits";
  return policy == PermissionPolicy::Plan ? "plan" : "";
}

/// Returns why a tool is denied without asking; empty when it is not.
std::string_view reason_to_deny(std::string_view tool, PermissionPolicy policy) {
  if (tool == "AskUserQuestion") {
    return "There is no dialog for questions here: the person reads and answers in the document. "
           "Ask in your reply, and end your turn.";
  }
  if (tool == "ExitPlanMode" && policy == PermissionPolicy::Plan) {
    return "The person's configuration allows plans only. Give the plan as your reply, and end "
           "your turn.";
  }
  return {};
}

bool is_running_state(std::string_view status) {
  return status.empty() || status == "running" || status == "pending";
}

}  // namespace

class ClaudeProtocol final : public AgentProtocol {
 public:
  explicit ClaudeProtocol(AgentSpec spec) : spec_(std::move(spec)) {}

  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  bool can_steer() const override { return in_turn_ && !cancelled_ && steering_.is_known(); }
  void steer(const SteerRequest& request, Actions& actions) override {
    steering_.say(request, actions);
  }
  void on_line(std::string_view line, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  void answer(std::string_view permission, std::string_view option, Actions& actions) override {
    questions_.answer(permission, option, actions);
  }

 private:
  void on_object(const boost::json::object& line, Actions& actions);
  void on_system(const boost::json::object& line, Actions& actions);
  void session_started(const boost::json::object& line, Actions& actions);
  void on_task(std::string_view subtype, const boost::json::object& line, Actions& actions);
  void on_control_request(const boost::json::object& line, Actions& actions);
  void on_rate_limit(const boost::json::object& line, Actions& actions);
  void on_lifecycle(const boost::json::object& line, Actions& actions);
  void on_result(const boost::json::object& line, Actions& actions);
  std::optional<AgentFailure> failure_in(const boost::json::object& result) const;
  bool belongs_to_turn(const boost::json::object& result) const;
  void interrupt(Actions& actions);
  void fail(const AgentFailure& failure, Actions& actions);
  void end_turn(Outcome outcome, std::string_view text, Actions& actions);

  AgentSpec spec_;
  PermissionPolicy policy_ = PermissionPolicy::Ask;
  JsonLine json_;
  ClaudeMessages messages_;
  ClaudeQuestions questions_;
  ClaudeSteering steering_;
  std::uint64_t interrupts_ = 0;
  double total_cost_ = 0;  ///< in dollars, up to the last result

  bool session_known_ = false;
  bool in_turn_ = false;
  bool answered_ = false;  ///< a part of this turn's answer arrived
  bool cancelled_ = false;
  bool nobody_waits_ = false;  ///< claude answers something that was said in a turn that is stopped
  std::set<std::string, std::less<>> background_;  ///< sub-agents of this turn that still run
  std::optional<std::string> result_;  ///< the text of the turn, while it waits for them
};

Launch ClaudeProtocol::launch(const LaunchRequest& request) {
  Launch launch;
  launch.command = spec_.command;
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Session;
  policy_ = request.permissions;
  launch.args = spec_.args;
  for (const char* arg :
       {"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
        "--include-partial-messages", "--permission-prompt-tool", "stdio"}) {
    launch.args.emplace_back(arg);
  }
  add_option(launch.args, "--append-system-prompt", std::string(kSystemNote));
  if (const std::string_view mode = mode_of(policy_); !mode.empty()) {
    add_option(launch.args, "--permission-mode", std::string(mode));
  }
  if (!request.model.empty()) add_option(launch.args, "--model", request.model);
  if (request.start != SessionStart::New) add_option(launch.args, "--resume", request.session_id);
  if (request.start == SessionStart::Fork) launch.args.emplace_back("--fork-session");
  return launch;
}

void ClaudeProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  answered_ = false;
  cancelled_ = false;
  background_.clear();
  result_.reset();
  messages_.begin_turn();
  steering_.begin_turn();
  actions.write_line(claude_user_line(request.prompt));
  actions.prompt_sent();
}

void ClaudeProtocol::on_line(std::string_view line, Actions& actions) {
  json_.begin(line);
  while (const boost::json::object* object = json_.next()) on_object(*object, actions);
  if (!json_.malformed().empty()) actions.emit(Malformed{json_.malformed()});
}

void ClaudeProtocol::on_object(const boost::json::object& line, Actions& actions) {
  const std::string_view type = string_of(line, "type");
  if (nobody_waits_ && (type == "stream_event" || type == "assistant" || type == "user")) return;
  if (type == "stream_event") {
    if (!answered_) answered_ = string_of(line, "parent_tool_use_id").empty();
    messages_.on_stream_event(line, actions);
  } else if (type == "assistant") {
    if (!answered_) answered_ = string_of(line, "parent_tool_use_id").empty();
    messages_.on_assistant(line, actions);
  } else if (type == "user") {
    messages_.on_user(line, actions);
  } else if (type == "system") {
    on_system(line, actions);
  } else if (type == "result") {
    on_result(line, actions);
  } else if (type == "control_request") {
    on_control_request(line, actions);
  } else if (type == "control_cancel_request") {
    questions_.withdraw(string_of(line, "request_id"), actions);
  } else if (type == "rate_limit_event") {
    on_rate_limit(line, actions);
  } else if (type == "command_lifecycle") {
    on_lifecycle(line, actions);
  } else if (type == "control_response") {
    if (steering_.is_drop_answer(line) && in_turn_) interrupt(actions);
  } else {
    actions.emit(Unrecognised{type.empty() ? "(no type)" : type});
  }
}

void ClaudeProtocol::on_system(const boost::json::object& line, Actions& actions) {
  const std::string_view subtype = string_of(line, "subtype");
  if (subtype == "init") {
    answered_ = true;
    session_started(line, actions);
  } else if (subtype == "thinking_tokens") {
    messages_.on_thinking_tokens(line, actions);
  } else if (subtype == "api_retry") {
    const std::string text = "retrying (" + std::to_string(integer_of(line, "attempt", 0)) + "/" +
                             std::to_string(integer_of(line, "max_retries", 0)) +
                             "): " + reason_of_retry(line);
    actions.emit(Notice{NoticeKind::Retry, text});
  } else if (subtype == "status") {
    if (string_of(line, "status") == "compacting")
      actions.emit(Notice{NoticeKind::Compaction, "shortening the session's history"});
  } else if (subtype == "compact_boundary") {
    actions.emit(Notice{NoticeKind::Compaction, "the session's history was shortened"});
  } else if (subtype == "permission_denied") {
    const std::string text = "denied: " + std::string(string_of(line, "message"));
    actions.emit(Notice{NoticeKind::Warning, text});
  } else if (subtype == "informational") {
    actions.emit(Notice{NoticeKind::Status, string_of(line, "content")});
  } else if (subtype.starts_with("task_") || subtype == "background_tasks_changed") {
    on_task(subtype, line, actions);
  } else if (subtype != "model_refusal_no_fallback") {
    const std::string type = "system/" + std::string(subtype);
    actions.emit(Unrecognised{type});
  }
}

void ClaudeProtocol::session_started(const boost::json::object& line, Actions& actions) {
  const std::string_view session = string_of(line, "session_id");
  if (session.empty()) return;
  session_known_ = true;
  if (const std::string_view version = string_of(line, "claude_code_version"); !version.empty())
    steering_.version_is(version);
  actions.emit(SessionStarted{session, string_of(line, "model"), string_of(line, "cwd")});
}

void ClaudeProtocol::on_task(std::string_view subtype, const boost::json::object& line,
                             Actions& actions) {
  const std::string_view id = string_of(line, "task_id");
  if (subtype == "task_started") {
    const bool waits_for_it =
        is_true(line, "is_backgrounded") && string_of(line, "task_type") == "local_agent";
    if (waits_for_it && in_turn_) background_.emplace(id);
  } else if (subtype == "task_notification") {
    if (const auto task = background_.find(id); task != background_.end()) background_.erase(task);
  } else if (subtype == "task_updated") {
    const boost::json::object* patch = object_of(line, "patch");
    const bool ended = patch != nullptr && !is_running_state(string_of(*patch, "status"));
    if (const auto task = background_.find(id); ended && task != background_.end())
      background_.erase(task);
  } else if (const boost::json::array* tasks = array_of(line, "tasks");
             subtype == "background_tasks_changed" && tasks != nullptr) {
    if (tasks->empty()) background_.clear();
  }
  if (subtype != "task_started" && subtype != "task_progress") return;
  const std::string text = "sub-agent: " + std::string(string_of(line, "description"));
  actions.emit(Notice{NoticeKind::Status, text});
}

void ClaudeProtocol::on_control_request(const boost::json::object& line, Actions& actions) {
  const std::string_view id = string_of(line, "request_id");
  const boost::json::object* request = object_of(line, "request");
  const std::string_view subtype =
      request != nullptr ? string_of(*request, "subtype") : std::string_view();
  if (subtype != "can_use_tool") {
    const std::string type = "control_request/" + std::string(subtype);
    actions.emit(Unrecognised{type});
    actions.write_line(claude_request_error(
        id, "agent-doc does not know the request \"" + std::string(subtype) + "\""));
  } else if (!in_turn_ || cancelled_) {
    actions.write_line(claude_denial(id, cancelled_ ? "The turn was cancelled by the person."
                                                    : "No turn runs: there is nobody to ask."));
  } else if (const std::string_view reason =
                 reason_to_deny(string_of(*request, "tool_name"), policy_);
             !reason.empty()) {
    actions.write_line(claude_denial(id, reason));
  } else {
    questions_.ask(id, *request, actions);
  }
}

void ClaudeProtocol::on_rate_limit(const boost::json::object& line, Actions& actions) {
  const boost::json::object* limit = object_of(line, "rate_limit_info");
  if (limit == nullptr) return actions.emit(Unrecognised{"rate_limit_event"});
  const std::string_view status = string_of(*limit, "status");
  if (status == "allowed") return;
  const LimitState state = status == "rejected" ? LimitState::Reached : LimitState::Close;
  const std::string text = limit_in_words(state, integer_of(*limit, "resetsAt", 0));
  actions.emit(Notice{NoticeKind::RateLimit, text});
}

void ClaudeProtocol::on_lifecycle(const boost::json::object& line, Actions& actions) {
  using News = ClaudeSteering::News;
  const News news = steering_.on_lifecycle(line);
  if (news == News::Unwanted || (news == News::Started && !in_turn_)) {
    nobody_waits_ = true;
    return interrupt(actions);
  }
  if (news == News::None || !in_turn_ || cancelled_) return;  // a stop: the interruption follows
  if (news == News::Dropped) return actions.emit(SteerRefused{});
  const std::string text = std::exchange(result_, std::nullopt).value_or("");
  actions.emit(SteerHeard{text});
}

void ClaudeProtocol::on_result(const boost::json::object& line, Actions& actions) {
  actions.emit(usage_of(line, total_cost_));
  if (std::exchange(nobody_waits_, false)) return;
  if (!in_turn_ || !belongs_to_turn(line)) return;
  const bool aborted = string_of(line, "terminal_reason").starts_with("aborted");
  if (cancelled_ || aborted) return end_turn(Outcome::Cancelled, {}, actions);
  const std::optional<AgentFailure> failure = failure_in(line);
  if (steering_.is_unheard()) {
    if (failure) actions.emit(Failure{failure->kind, failure->message});
    steering_.is_next();
    messages_.begin_turn();
    return actions.emit(SteerHeard{failure ? std::string_view() : string_of(line, "result")});
  }
  if (failure) return fail(*failure, actions);
  if (!session_known_) session_started(line, actions);
  if (background_.empty()) return end_turn(Outcome::Done, string_of(line, "result"), actions);
  result_ = string_of(line, "result");
  const std::string text = "waiting for " + std::to_string(background_.size()) +
                           (background_.size() == 1 ? " sub-agent" : " sub-agents");
  actions.emit(Notice{NoticeKind::Status, text});
}

std::optional<AgentFailure> ClaudeProtocol::failure_in(const boost::json::object& result) const {
  if (is_true(result, "is_error") || string_of(result, "subtype").starts_with("error"))
    return failure_of_result(result, messages_.error(), spec_);
  const std::string_view stop_reason = string_of(result, "stop_reason");
  AgentFailure stopped =
      failure_of_stop_reason(stop_reason.empty() ? messages_.stop_reason() : stop_reason, spec_);
  if (stopped.kind == FailureKind::Unknown) return std::nullopt;
  return stopped;
}

/// Returns false for a result of an earlier turn, from its background task or its interruption,
/// which can only come before anything else of this turn.
bool ClaudeProtocol::belongs_to_turn(const boost::json::object& result) const {
  if (answered_ || cancelled_) return true;
  const boost::json::object* origin = object_of(result, "origin");
  const bool of_a_task = origin != nullptr && string_of(*origin, "kind") == "task-notification";
  return !of_a_task && !string_of(result, "terminal_reason").starts_with("aborted");
}

void ClaudeProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (!in_turn_) return questions_.drop_all(actions);
  if (cancelled_) return end_turn(Outcome::Cancelled, {}, actions);
  if (result_ && status.code == 0 && status.signal == 0)
    return end_turn(Outcome::Done, std::string(*result_), actions);
  fail(messages_.error().text.empty() ? failure_of_exit(status, spec_)
                                      : failure_of_error(messages_.error(), spec_),
       actions);
}

void ClaudeProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  questions_.cancel_all(actions);
  if (!steering_.take_back(actions)) interrupt(actions);
}

void ClaudeProtocol::interrupt(Actions& actions) {
  actions.write_line(interrupt_line(++interrupts_));
}

void ClaudeProtocol::fail(const AgentFailure& failure, Actions& actions) {
  actions.emit(Failure{failure.kind, failure.message});
  end_turn(Outcome::Failed, {}, actions);
}

void ClaudeProtocol::end_turn(Outcome outcome, std::string_view text, Actions& actions) {
  in_turn_ = false;
  cancelled_ = false;
  questions_.drop_all(actions);
  actions.emit(TurnEnded{outcome, text});
}

std::unique_ptr<AgentProtocol> make_claude(const AgentSpec& spec) {
  return std::make_unique<ClaudeProtocol>(spec);
}

}  // namespace agent_doc::plugins
