#include "plugins/codex/codex.hpp"

#include "plugins/codex/codex_failure.hpp"
#include "plugins/codex/codex_items.hpp"
#include "plugins/codex/codex_limits.hpp"
#include "plugins/codex/codex_questions.hpp"
#include "plugins/codex/codex_steering.hpp"
#include "plugins/codex/codex_thread_list.hpp"
#include "plugins/codex/codex_usage.hpp"
#include "plugins/json_rpc_lines.hpp"
#include "plugins/system_note.hpp"
#include "plugins/version_number.hpp"
#include "protocol/version.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// Notifications that we would discard: the output of commands and the text of changes can be
/// large.
constexpr std::array<std::string_view, 4> kNotWanted = {
    "item/commandExecution/outputDelta", "item/fileChange/outputDelta",
    "item/fileChange/patchUpdated", "turn/diff/updated"};

/// Limit for the different warnings shown to the user.
constexpr std::size_t kMaxWarnings = 100;

/// Known notifications that are no news for a turn. Those of MCP servers, accounts and the like are
/// counted as unrecognised.
constexpr std::array<std::string_view, 14> kSilent = {"deprecationNotice",
                                                      "hook/completed",
                                                      "hook/started",
                                                      "item/commandExecution/terminalInteraction",
                                                      "item/mcpToolCall/progress",
                                                      "item/plan/delta",
                                                      "rawResponse/completed",
                                                      "rawResponseItem/completed",
                                                      "remoteControl/status/changed",
                                                      "thread/goal/cleared",
                                                      "thread/name/updated",
                                                      "thread/settings/updated",
                                                      "thread/started",
                                                      "thread/status/changed"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

boost::json::object initialize_params() {
  boost::json::object capabilities{{"experimentalApi", false}, {"requestAttestation", false}};
  boost::json::array not_wanted;
  for (const std::string_view method : kNotWanted) not_wanted.emplace_back(method);
  capabilities["optOutNotificationMethods"] = std::move(not_wanted);
  boost::json::object params;
  params["clientInfo"] = boost::json::object{
      {"name", "agent-doc"}, {"title", "agent-doc"}, {"version", protocol::kServerVersion}};
  params["capabilities"] = std::move(capabilities);
  return params;
}

/// With Ask the user's own codex configuration applies; without one codex is read-only and asks.
void add_permissions(PermissionPolicy policy, boost::json::object& params) {
  if (policy == PermissionPolicy::Ask) return;
  const bool edits = policy == PermissionPolicy::AcceptEdits;
  params["approvalPolicy"] = edits ? "on-request" : "never";
  params["sandbox"] = edits ? "workspace-write" : "read-only";
}

std::string_view method_of(SessionStart start) {
  switch (start) {
    case SessionStart::New:
      return "thread/start";
    case SessionStart::Resume:
      return "thread/resume";
    case SessionStart::Fork:
      break;
  }
  return "thread/fork";
}

enum class Turns { Included, Omitted };

/// Versions before this one do not know the field `excludeTurns`, and some reject it.
constexpr VersionNumber kFirstToExcludeTurns = {0, 142, 0};

/// Returns the version in "agent-doc/0.169.0 (…)".
VersionNumber version_in(std::string_view user_agent) {
  const std::size_t slash = user_agent.find('/');
  return version_number(slash == std::string_view::npos ? "" : user_agent.substr(slash + 1));
}

boost::json::object thread_params(const LaunchRequest& request, Turns turns) {
  boost::json::object params;
  if (request.start != SessionStart::New) {
    params["threadId"] = request.session_id;
    if (turns == Turns::Omitted) params["excludeTurns"] = true;
  }
  if (!request.cwd.empty()) params["cwd"] = request.cwd;
  if (!request.model.empty()) params["model"] = request.model;
  add_permissions(request.permissions, params);
  params["developerInstructions"] = kSystemNote;
  return params;
}

/// Returns the last message among the items of a finished turn.
std::string_view final_text(const boost::json::object& turn) {
  std::string_view text;
  const boost::json::array* items = array_of(turn, "items");
  if (items == nullptr) return text;
  for (const boost::json::value& value : *items) {
    const boost::json::object* item = value.if_object();
    if (item != nullptr && string_of(*item, "type") == "agentMessage")
      text = string_of(*item, "text");
  }
  return text;
}

std::string_view id_of(const boost::json::value* object) {
  const boost::json::object* fields = object != nullptr ? object->if_object() : nullptr;
  return fields != nullptr ? string_of(*fields, "id") : std::string_view();
}

/// Returns the step of `params.plan` that is in progress.
std::string current_step(const boost::json::object& params) {
  const boost::json::array* plan = array_of(params, "plan");
  if (plan == nullptr) return {};
  for (const boost::json::value& value : *plan) {
    const boost::json::object* step = value.if_object();
    if (step != nullptr && string_of(*step, "status") == "inProgress")
      return "plan: " + std::string(string_of(*step, "step"));
  }
  return {};
}

}  // namespace

class CodexProtocol final : public AgentProtocol, private RpcReceiver {
 public:
  explicit CodexProtocol(AgentSpec spec) : spec_(std::move(spec)) {}

  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  void on_line(std::string_view line, Actions& actions) override {
    rpc_.deliver(line, *this, actions);
  }
  bool can_steer() const override {
    return in_turn_ && !cancelled_ && !turn_.empty() && steering_.is_known();
  }
  void steer(const SteerRequest& request, Actions& actions) override {
    steering_.say(request.text, {thread_, turn_}, rpc_, actions);
  }
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  void answer(std::string_view permission, std::string_view option, Actions& actions) override {
    if (questions_.answer(permission, option, rpc_, actions) == CodexQuestions::Answer::No)
      denied_ = true;
  }
  SessionSupport session_support() const override {
    return {.resume = true, .fork = true, .list = true};
  }
  void list_sessions(Actions& actions) override;

 private:
  enum class Stage { Started, Initializing, Initialized, OpeningThread, Ready };

  void advance(Actions& actions);
  void on_answer(const RpcAnswer& answer, Actions& actions) override;
  void on_initialized(const RpcAnswer& answer, Actions& actions);
  void on_thread(const RpcAnswer& answer, Actions& actions);
  void on_request(const RpcRequest& request, Actions& actions) override;
  void on_notification(const RpcNotification& notification, Actions& actions) override;
  bool on_item(std::string_view method, std::string_view lane, const boost::json::object& params,
               Actions& actions);
  bool on_notice(std::string_view method, std::string_view lane, const boost::json::object& params,
                 Actions& actions);
  void on_warning(std::string_view text, Actions& actions);
  void on_error(const boost::json::object& params, Actions& actions);
  void on_turn_completed(const boost::json::object& turn, Actions& actions);
  void turn_began(std::string_view turn, Actions& actions);
  void interrupt(Actions& actions);
  void fail(const AgentFailure& failure, Actions& actions);
  void end_turn(Outcome outcome, std::string_view text, Actions& actions);

  AgentSpec spec_;
  LaunchRequest request_;
  JsonRpcLines rpc_{JsonRpcLines::Version::Omitted};
  CodexItems items_;
  CodexQuestions questions_;
  CodexUsage usage_;
  CodexLimits limits_;
  CodexSteering steering_;
  std::optional<CodexThreadList> threads_;  ///< set when the process only lists sessions

  Stage stage_ = Stage::Started;
  Turns turns_ = Turns::Included;  ///< of a thread that is resumed
  std::string thread_;
  std::string model_;
  std::set<std::string, std::less<>> warnings_;  ///< those shown already

  bool in_turn_ = false;
  bool cancelled_ = false;
  bool denied_ = false;                  ///< a question of this turn was denied
  std::optional<std::string> prompt_;    ///< the prompt of this turn, until it is sent
  std::int64_t turn_request_ = 0;        ///< the id of our turn/start
  std::string turn_;                     ///< codex' id of this turn, once it is known
  std::string last_turn_;                ///< codex' id of the previous turn
  std::optional<AgentFailure> failure_;  ///< reported before the end of the turn
};

Launch CodexProtocol::launch(const LaunchRequest& request) {
  request_ = request;
  Launch launch;
  launch.command = spec_.command;
  launch.args = spec_.args;
  launch.args.emplace_back("app-server");
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Session;
  return launch;
}

void CodexProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  cancelled_ = false;
  denied_ = false;
  prompt_ = request.prompt;
  steering_.begin_turn(request.prompt);
  failure_.reset();
  items_.begin_turn();
  advance(actions);
}

/// Sends what can be sent now: the prompt waits for the thread, the thread for the handshake.
void CodexProtocol::advance(Actions& actions) {
  if (stage_ == Stage::Started) {
    stage_ = Stage::Initializing;
    static_cast<void>(rpc_.request("initialize", initialize_params(), actions));
  } else if (stage_ == Stage::Initialized && threads_) {
    threads_->ask(rpc_, actions);
  } else if (stage_ == Stage::Initialized) {
    stage_ = Stage::OpeningThread;
    static_cast<void>(
        rpc_.request(method_of(request_.start), thread_params(request_, turns_), actions));
  } else if (stage_ == Stage::Ready && prompt_) {
    turn_request_ = rpc_.request(
        "turn/start", codex_input(thread_, *std::exchange(prompt_, std::nullopt)), actions);
    actions.prompt_sent();
  }
}

void CodexProtocol::on_answer(const RpcAnswer& answer, Actions& actions) {
  if (answer.method == "initialize") return on_initialized(answer, actions);
  if (threads_ && answer.method == CodexThreadList::kMethod)
    return threads_->on_answer(answer, rpc_, actions);
  if (answer.method == method_of(request_.start)) return on_thread(answer, actions);
  if (steering_.is_refused_by(answer)) {
    if (in_turn_ && !cancelled_) actions.emit(SteerRefused{});
    return;
  }
  if (answer.id != turn_request_ || !in_turn_) return;
  if (answer.error) return fail(codex_failure_of_text(answer.error->message, spec_), actions);
  const boost::json::object* result = answer.result->if_object();
  turn_began(id_of(result != nullptr ? result->if_contains("turn") : nullptr), actions);
}

void CodexProtocol::on_initialized(const RpcAnswer& answer, Actions& actions) {
  stage_ = answer.error ? Stage::Started : Stage::Initialized;
  const boost::json::object* result =
      answer.result != nullptr ? answer.result->if_object() : nullptr;
  const VersionNumber version =
      version_in(result != nullptr ? string_of(*result, "userAgent") : std::string_view());
  turns_ = version >= kFirstToExcludeTurns ? Turns::Omitted : Turns::Included;
  steering_.version_is(version);
  if (!answer.error) rpc_.notify("initialized", {}, actions);
  if (threads_ && !answer.error) return advance(actions);
  if (threads_)
    return threads_->list().fail(codex_failure_of_text(answer.error->message, spec_).message,
                                 actions);
  if (!in_turn_) return;
  if (cancelled_) return end_turn(Outcome::Cancelled, {}, actions);
  if (answer.error) return fail(codex_failure_of_text(answer.error->message, spec_), actions);
  advance(actions);
}

void CodexProtocol::on_thread(const RpcAnswer& answer, Actions& actions) {
  const boost::json::object* result =
      answer.result != nullptr ? answer.result->if_object() : nullptr;
  const std::string_view thread =
      id_of(result != nullptr ? result->if_contains("thread") : nullptr);
  stage_ = thread.empty() ? Stage::Initialized : Stage::Ready;
  thread_ = thread;
  if (!thread.empty()) model_ = string_of(*result, "model");
  if (!in_turn_) return;
  if (cancelled_) return end_turn(Outcome::Cancelled, {}, actions);
  if (answer.error)
    return fail(codex_failure_of_start(request_.start, answer.error->message, spec_), actions);
  if (thread.empty())
    return fail(codex_failure_of_text("The agent started no thread", spec_), actions);
  advance(actions);
}

void CodexProtocol::on_request(const RpcRequest& request, Actions& actions) {
  if (CodexQuestions::is_question(request)) {
    if (!in_turn_ || cancelled_) return CodexQuestions::deny(request, rpc_, actions);
    return questions_.ask(request, items_.parts_of(string_of(request.params, "itemId")), rpc_,
                          actions);
  }
  actions.emit(Unrecognised{request.method});
  rpc_.refuse_unknown(request, actions);
}

void CodexProtocol::on_notification(const RpcNotification& notification, Actions& actions) {
  const boost::json::object& params = notification.params;
  const std::string_view method = notification.method;
  const std::string_view thread = string_of(params, "threadId");
  const std::string_view lane = thread == thread_ ? std::string_view() : thread;
  if (method == "thread/tokenUsage/updated") {
    if (!lane.empty()) return;
    const bool ours = in_turn_ && string_of(params, "turnId") == turn_;
    return usage_.update(params, ours ? CodexUsage::Of::ThisTurn : CodexUsage::Of::Earlier,
                         actions);
  }
  if (method == "serverRequest/resolved") {
    const boost::json::value* id = params.if_contains("requestId");
    if (id != nullptr && id->is_int64()) questions_.withdraw(RpcId(id->get_int64()), actions);
    if (id != nullptr && id->is_string())
      questions_.withdraw(RpcId(std::string(string_of(params, "requestId"))), actions);
    return;
  }
  if (is_one_of(kSilent, method) || is_one_of(kNotWanted, method)) return;
  const boost::json::object* turn = object_of(params, "turn");
  const std::string_view turn_id =
      turn != nullptr ? string_of(*turn, "id") : string_of(params, "turnId");
  if (method == "turn/started") {
    if (lane.empty() && turn_request_ != 0 && turn_id != last_turn_) turn_began(turn_id, actions);
    return;
  }
  if (lane.empty() && !turn_id.empty() && turn_id != turn_) return;  // of an earlier turn
  if (method == "turn/completed") {
    if (lane.empty() && in_turn_ && turn != nullptr) on_turn_completed(*turn, actions);
  } else if (!on_item(method, lane, params, actions) && !on_notice(method, lane, params, actions)) {
    actions.emit(Unrecognised{method});
  }
}

bool CodexProtocol::on_item(std::string_view method, std::string_view lane,
                            const boost::json::object& params, Actions& actions) {
  const std::string_view id = string_of(params, "itemId");
  const boost::json::object* item = object_of(params, "item");
  if (method == "item/agentMessage/delta") {
    items_.text_delta(lane, id, string_of(params, "delta"), actions);
  } else if (method == "item/reasoning/summaryTextDelta") {
    items_.reasoning_delta(lane, id, CodexItems::Reasoning::Summary,
                           integer_of(params, "summaryIndex", 0), string_of(params, "delta"),
                           actions);
  } else if (method == "item/reasoning/textDelta") {
    items_.reasoning_delta(lane, id, CodexItems::Reasoning::Raw,
                           integer_of(params, "contentIndex", 0), string_of(params, "delta"),
                           actions);
  } else if (method == "item/reasoning/summaryPartAdded") {
    items_.reasoning_part(lane, id, integer_of(params, "summaryIndex", 0), actions);
  } else if (method == "item/started" && item != nullptr) {
    if (lane.empty() && in_turn_ && !cancelled_ && steering_.hears(*item)) {
      items_.turn_goes_on();
      actions.emit(SteerHeard{{}});
    }
    items_.started(lane, *item, actions);
  } else if (method == "item/completed" && item != nullptr) {
    items_.completed(lane, *item, actions);
  } else {
    return false;
  }
  return true;
}

bool CodexProtocol::on_notice(std::string_view method, std::string_view lane,
                              const boost::json::object& params, Actions& actions) {
  if (method == "error") {
    if (lane.empty()) on_error(params, actions);
  } else if (method == "warning" || method == "guardianWarning") {
    on_warning(string_of(params, "message"), actions);
  } else if (method == "configWarning") {
    actions.emit(Notice{NoticeKind::Status, string_of(params, "summary")});
  } else if (method == "thread/compacted") {
    actions.emit(Notice{NoticeKind::Compaction, "the session's history was shortened"});
  } else if (method == "turn/plan/updated") {
    if (const std::string step = current_step(params); !step.empty())
      actions.emit(Notice{NoticeKind::Status, step});
  } else if (method == "model/rerouted") {
    const std::string text = "answered by the model " + std::string(string_of(params, "toModel"));
    actions.emit(Notice{NoticeKind::Warning, text});
  } else if (const boost::json::object* limits = object_of(params, "rateLimits");
             method == "account/rateLimits/updated" && limits != nullptr) {
    limits_.update(*limits, actions);
  } else {
    return false;
  }
  return true;
}

/// Codex repeats some warnings in every turn; the user sees each once.
void CodexProtocol::on_warning(std::string_view text, Actions& actions) {
  const bool is_new = warnings_.size() < kMaxWarnings && warnings_.emplace(text).second;
  actions.emit(Notice{is_new ? NoticeKind::Warning : NoticeKind::Status, text});
}

void CodexProtocol::on_error(const boost::json::object& params, Actions& actions) {
  const boost::json::object* error = object_of(params, "error");
  if (error == nullptr) return;
  if (!is_true(params, "willRetry")) {
    failure_ = codex_failure_of_error(*error, spec_);
    return;
  }
  items_.give_up_open(actions);
  actions.emit(Notice{NoticeKind::Retry, codex_retry_text(string_of(*error, "message"),
                                                          string_of(*error, "additionalDetails"))});
}

void CodexProtocol::on_turn_completed(const boost::json::object& turn, Actions& actions) {
  const std::string_view status = string_of(turn, "status");
  if (!cancelled_ && denied_ && status == "interrupted")
    return fail(describe_denied_end(spec_), actions);
  if (cancelled_ || status == "interrupted") return end_turn(Outcome::Cancelled, {}, actions);
  if (status == "completed") {
    // Of a turn that was steered it may be the text of what came before.
    return end_turn(Outcome::Done, steering_.was_heard() ? std::string_view() : final_text(turn),
                    actions);
  }
  if (const boost::json::object* error = object_of(turn, "error"))
    return fail(codex_failure_of_error(*error, spec_), actions);
  fail(failure_ ? *failure_
                : codex_failure_of_text("The turn ended as \"" + std::string(status) + "\"", spec_),
       actions);
}

/// Called by the answer to turn/start or by turn/started, whichever comes first. Only from now on
/// can the session be resumed.
void CodexProtocol::turn_began(std::string_view turn, Actions& actions) {
  if (!in_turn_ || !turn_.empty() || turn.empty()) return;
  turn_ = turn;
  actions.emit(SessionStarted{thread_, model_, request_.cwd});
  if (cancelled_) interrupt(actions);
}

void CodexProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  prompt_.reset();
  questions_.cancel_all(rpc_, actions);
  if (!turn_.empty()) interrupt(actions);
}

void CodexProtocol::interrupt(Actions& actions) {
  boost::json::object params{{"threadId", thread_}, {"turnId", turn_}};
  static_cast<void>(rpc_.request("turn/interrupt", std::move(params), actions));
}

void CodexProtocol::list_sessions(Actions& actions) {
  threads_.emplace(spec_, request_.cwd);
  advance(actions);
}

void CodexProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (threads_) threads_->list().ended(status, spec_, actions);
  if (!in_turn_) return questions_.drop_all(actions);
  fail(failure_ ? *failure_ : codex_failure_of_exit(status, spec_), actions);
}

void CodexProtocol::fail(const AgentFailure& failure, Actions& actions) {
  if (cancelled_) return end_turn(Outcome::Cancelled, {}, actions);
  if (failure.kind == FailureKind::RateLimit) limits_.tell(actions);
  actions.emit(Failure{failure.kind, failure.message});
  end_turn(Outcome::Failed, {}, actions);
}

void CodexProtocol::end_turn(Outcome outcome, std::string_view text, Actions& actions) {
  in_turn_ = false;
  cancelled_ = false;
  prompt_.reset();
  turn_request_ = 0;
  if (!turn_.empty()) last_turn_ = std::exchange(turn_, {});
  questions_.drop_all(actions);
  actions.emit(TurnEnded{outcome, text});
}

std::unique_ptr<AgentProtocol> make_codex(const AgentSpec& spec) {
  return std::make_unique<CodexProtocol>(spec);
}

}  // namespace agent_doc::plugins
