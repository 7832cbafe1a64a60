#include "plugins/acp.hpp"

#include "plugins/acp_failure.hpp"
#include "plugins/acp_questions.hpp"
#include "plugins/acp_session.hpp"
#include "plugins/acp_updates.hpp"
#include "plugins/json_rpc_lines.hpp"
#include "plugins/system_note.hpp"

#include <boost/json.hpp>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace agent_doc::plugins {
namespace acp_internal {

/// What has to be known of an agent beyond the protocol.
struct Preset {
  std::string_view dialect;
  std::string_view argument;  ///< that makes it speak ACP
  AcpUpdates::Flavour flavour;
  /// How the agent is told what every agent is told (system_note.hpp).
  enum class Note { InFirstPrompt, InSystemPrompt } note;
  /// It cannot create a file when the read of the missing file fails, as it should: it gets an empty text instead.
  enum class MissingFile { Fails, ReadsEmpty } missing_file;
};

constexpr std::array<Preset, 4> kPresets = {{
    {"gemini", "--acp", AcpUpdates::Flavour::Gemini, Preset::Note::InFirstPrompt, Preset::MissingFile::ReadsEmpty},
    {"opencode", "acp", AcpUpdates::Flavour::Standard, Preset::Note::InFirstPrompt, Preset::MissingFile::Fails},
    {"claude-code-acp", "", AcpUpdates::Flavour::Standard, Preset::Note::InSystemPrompt, Preset::MissingFile::Fails},
    {"acp", "", AcpUpdates::Flavour::Standard, Preset::Note::InFirstPrompt, Preset::MissingFile::Fails},
}};

const Preset& preset_of(std::string_view dialect) {
  for (const Preset& preset : kPresets) {
    if (preset.dialect == dialect) return preset;
  }
  return kPresets.back();
}

/// No agent knows it; each has to answer that, in its turn. So it shows when what came before is over.
constexpr std::string_view kBarrier = "_agent-doc/barrier";

boost::json::object initialize_params() {
  boost::json::object capabilities{{"terminal", false}};
  capabilities["fs"] = boost::json::object{{"readTextFile", true}, {"writeTextFile", true}};
  boost::json::object params{{"protocolVersion", kAcpVersion}};
  params["clientCapabilities"] = std::move(capabilities);
  params["clientInfo"] = boost::json::object{{"name", "agent-doc"}, {"title", "agent-doc"}, {"version", AGENT_DOC_VERSION}};
  return params;
}

boost::json::object text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

std::optional<std::uint32_t> count_of(const boost::json::object& params, std::string_view key) {
  const std::int64_t count = integer_of(params, key, 0);
  if (count <= 0 || count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(count);
}

/// Of a prompt's answer. The protocol's own field, or gemini's.
Usage usage_of(const boost::json::object& result) {
  Usage usage;
  if (const boost::json::object* told = object_of(result, "usage")) {
    usage.input = integer_of(*told, "inputTokens", 0);
    usage.output = integer_of(*told, "outputTokens", 0);
    usage.cache_read = integer_of(*told, "cachedReadTokens", 0);
    usage.cache_write = integer_of(*told, "cachedWriteTokens", 0);
    return usage;
  }
  const boost::json::object* meta = object_of(result, "_meta");
  const boost::json::object* quota = meta != nullptr ? object_of(*meta, "quota") : nullptr;
  const boost::json::object* count = quota != nullptr ? object_of(*quota, "token_count") : nullptr;
  if (count == nullptr) return usage;
  usage.input = integer_of(*count, "input_tokens", 0);
  usage.output = integer_of(*count, "output_tokens", 0);
  return usage;
}

const boost::json::object& object_or_none(const boost::json::value* value) {
  static const boost::json::object kNone;
  const boost::json::object* object = value != nullptr ? value->if_object() : nullptr;
  return object != nullptr ? *object : kNone;
}

}  // namespace acp_internal

class AcpProtocol final : public AgentProtocol {
 public:
  explicit AcpProtocol(AgentSpec spec)
      : spec_(std::move(spec)),
        preset_(acp_internal::preset_of(spec_.dialect)),
        rpc_(JsonRpcLines::Version::Told),
        updates_(preset_.flavour) {}

  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  void on_line(std::string_view line, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  void answer(std::string_view permission, std::string_view option, Actions& actions) override;
  void file_answered(std::string_view request, const FileAnswer& answer, Actions& actions) override;

 private:
  enum class Stage {
    Fresh,         ///< nothing was sent
    Initializing,  ///< until `initialize` is answered
    Starting,      ///< until the session is there
    Setting,       ///< until its model and mode are set
    Replaying,     ///< until the agent has told the old turns of the session that it loaded
    Ready,         ///< for prompts
    Failed,        ///< there will be no session
  };
  struct PendingFile {
    RpcId id;
    enum class Access { Read, Write } access;
  };

  void on_answer(const RpcAnswer& answer, Actions& actions);
  void on_notification(const RpcNotification& notification, Actions& actions);
  void on_request(const RpcRequest& request, Actions& actions);
  void ask_for_file(const RpcRequest& request, PendingFile::Access access, Actions& actions);
  void settled(const AcpQuestions::Settled& settled, Actions& actions);

  void initialized(const RpcAnswer& answer, Actions& actions);
  void start_session(Actions& actions);
  void request_session(std::string_view method, Actions& actions);
  void session_answered(const RpcAnswer& answer, Actions& actions);
  void session_refused(const RpcAnswer& answer, Actions& actions);
  void apply_settings(const boost::json::object& session, Actions& actions);
  void setting_answered(const RpcAnswer& answer, Actions& actions);
  void settings_done(Actions& actions);
  void barrier_answered(Actions& actions);
  void ready(Actions& actions);
  void give_up(AgentFailure failure, Actions& actions);

  void send_prompt(Actions& actions);
  void prompt_answered(const RpcAnswer& answer, Actions& actions);
  void fail(const AgentFailure& failure, Actions& actions);
  void end_turn(Outcome outcome, Actions& actions);

  AgentSpec spec_;
  acp_internal::Preset preset_;
  JsonRpcLines rpc_;
  AcpUpdates updates_;
  AcpQuestions questions_;

  LaunchRequest wanted_;
  Stage stage_ = Stage::Fresh;
  AcpAbilities abilities_;
  std::string session_id_;
  std::string model_;
  std::string started_by_;         ///< the method that gave the session
  std::size_t open_settings_ = 0;  ///< requests without answer
  bool replay_goes_on_ = false;    ///< something of it came since the last barrier was sent
  bool note_is_told_ = false;
  std::optional<AgentFailure> failure_;  ///< in stage Failed

  bool in_turn_ = false;
  bool cancelled_ = false;
  std::optional<std::string> prompt_;  ///< not yet sent
  std::optional<std::int64_t> prompt_request_;
  std::uint64_t last_file_ = 0;
  std::map<std::string, PendingFile, std::less<>> files_;
};

// --- the handshake ---

Launch AcpProtocol::launch(const LaunchRequest& request) {
  wanted_ = request;
  questions_.set_policy(request.permissions);
  Launch launch;
  launch.command = spec_.command;
  launch.args = spec_.args;
  if (!preset_.argument.empty()) launch.args.emplace_back(preset_.argument);
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Session;
  return launch;
}

void AcpProtocol::initialized(const RpcAnswer& answer, Actions& actions) {
  if (answer.error) return give_up(failure_of_acp_error(*answer.error, spec_), actions);
  abilities_ = read_abilities(acp_internal::object_or_none(answer.result));
  if (abilities_.version != kAcpVersion) {
    const std::string text = "The agent speaks version " + std::to_string(abilities_.version) + " of ACP, agent-doc speaks version " +
                             std::to_string(kAcpVersion) + ": install a version of the agent that fits";
    return give_up(describe_failure(FailureKind::Unknown, text, spec_), actions);
  }
  start_session(actions);
}

void AcpProtocol::start_session(Actions& actions) {
  stage_ = Stage::Starting;
  switch (wanted_.start) {
    case SessionStart::New:
      return request_session("session/new", actions);
    case SessionStart::Resume:
      if (abilities_.resume) return request_session("session/resume", actions);
      if (abilities_.load) return request_session("session/load", actions);
      return give_up(describe_failure(FailureKind::SessionUnknown, "The agent cannot go on with an earlier session", spec_), actions);
    case SessionStart::Fork:
      if (abilities_.fork) return request_session("session/fork", actions);
      return give_up(describe_failure(FailureKind::ForkUnsupported, "The agent cannot fork a session", spec_), actions);
  }
}

void AcpProtocol::request_session(std::string_view method, Actions& actions) {
  boost::json::object params{{"cwd", wanted_.cwd}, {"mcpServers", boost::json::array()}};
  if (wanted_.start != SessionStart::New) params["sessionId"] = wanted_.session_id;
  if (preset_.note == acp_internal::Preset::Note::InSystemPrompt) {
    boost::json::object meta;
    meta["systemPrompt"] = boost::json::object{{"append", kSystemNote}};
    params["_meta"] = std::move(meta);
  }
  started_by_ = method;
  rpc_.request(method, std::move(params), actions);
}

void AcpProtocol::session_answered(const RpcAnswer& answer, Actions& actions) {
  if (answer.error) return session_refused(answer, actions);
  const boost::json::object& session = acp_internal::object_or_none(answer.result);
  session_id_ = string_of(session, "sessionId");
  if (session_id_.empty() && wanted_.start == SessionStart::Resume) session_id_ = wanted_.session_id;
  if (session_id_.empty())
    return give_up(describe_failure(FailureKind::Unknown, "The agent began a session without a name", spec_), actions);
  if (wanted_.start == SessionStart::New) updates_.begin_new_session();
  note_is_told_ = wanted_.start != SessionStart::New || preset_.note == acp_internal::Preset::Note::InSystemPrompt;
  model_ = model_of_session(session);
  apply_settings(session, actions);
}

/// The ladder: resume, load; what then is up to the caller.
void AcpProtocol::session_refused(const RpcAnswer& answer, Actions& actions) {
  const AgentFailure failure = failure_of_acp_error(*answer.error, spec_);
  if (failure.kind == FailureKind::Auth) return give_up(failure_of_acp_login(*answer.error, abilities_.ways_to_log_in, spec_), actions);
  if (answer.method == "session/resume" && abilities_.load) return request_session("session/load", actions);
  const std::string text = text_of_error(*answer.error);
  switch (wanted_.start) {
    case SessionStart::New:
      return give_up(failure, actions);
    case SessionStart::Resume:
      return give_up(describe_failure(FailureKind::SessionUnknown, text, spec_), actions);
    case SessionStart::Fork: {
      const bool cannot = answer.error->code == kRpcMethodNotFound;
      return give_up(describe_failure(cannot ? FailureKind::ForkUnsupported : FailureKind::SessionUnknown, text, spec_), actions);
    }
  }
}

void AcpProtocol::apply_settings(const boost::json::object& session, Actions& actions) {
  stage_ = Stage::Setting;
  AcpChoice model = wanted_.model.empty() ? AcpChoice{} : choose_model(session, wanted_.model);
  if (!model.problem.empty()) return give_up(describe_failure(FailureKind::Invalid, model.problem, spec_), actions);
  AcpChoice mode = choose_mode(session, wanted_.permissions);
  if (!mode.problem.empty()) actions.emit(Notice{NoticeKind::Warning, mode.problem});
  for (std::optional<AcpSetting>* setting : {&model.setting, &mode.setting}) {
    if (!*setting) continue;
    if (setting == &model.setting) model_ = wanted_.model;
    ++open_settings_;
    (*setting)->params["sessionId"] = session_id_;
    rpc_.request((*setting)->method, std::move((*setting)->params), actions);
  }
  if (open_settings_ == 0) settings_done(actions);
}

void AcpProtocol::setting_answered(const RpcAnswer& answer, Actions& actions) {
  if (stage_ != Stage::Setting) return;
  if (answer.error) {
    const std::string text = "The agent does not take the model or the permissions that you want: " + text_of_error(*answer.error);
    return give_up(describe_failure(FailureKind::Invalid, text, spec_), actions);
  }
  if (--open_settings_ == 0) settings_done(actions);
}

void AcpProtocol::settings_done(Actions& actions) {
  const bool replays = started_by_ == "session/load" || started_by_ == "session/fork";
  if (!replays) return ready(actions);
  stage_ = Stage::Replaying;
  replay_goes_on_ = false;
  rpc_.request(acp_internal::kBarrier, {}, actions);
}

/// Some agents answer first and replay then. A replay that goes on leaves something between two barriers.
void AcpProtocol::barrier_answered(Actions& actions) {
  if (stage_ != Stage::Replaying) return;
  if (!std::exchange(replay_goes_on_, false)) return ready(actions);
  rpc_.request(acp_internal::kBarrier, {}, actions);
}

void AcpProtocol::ready(Actions& actions) {
  stage_ = Stage::Ready;
  if (prompt_) send_prompt(actions);
}

void AcpProtocol::give_up(AgentFailure failure, Actions& actions) {
  stage_ = Stage::Failed;
  failure_ = std::move(failure);
  actions.close_stdin();
  actions.send_signal(Signal::Terminate);
  if (in_turn_) fail(*failure_, actions);
}

// --- what comes from the agent ---

void AcpProtocol::on_line(std::string_view line, Actions& actions) {
  rpc_.begin(line);
  while (const std::optional<RpcMessage> message = rpc_.next()) {
    if (const auto* notification = std::get_if<RpcNotification>(&*message)) {
      on_notification(*notification, actions);
    } else if (const auto* answer = std::get_if<RpcAnswer>(&*message)) {
      on_answer(*answer, actions);
    } else if (const auto* request = std::get_if<RpcRequest>(&*message)) {
      on_request(*request, actions);
    } else {
      actions.emit(Unrecognised{std::get<RpcUnknown>(*message).type});
    }
  }
  if (!rpc_.malformed().empty()) actions.emit(Malformed{rpc_.malformed()});
}

void AcpProtocol::on_answer(const RpcAnswer& answer, Actions& actions) {
  if (stage_ == Stage::Failed) return;
  if (answer.method == "session/prompt") {
    if (answer.id == prompt_request_) prompt_answered(answer, actions);
  } else if (answer.method == "initialize") {
    initialized(answer, actions);
  } else if (answer.method == acp_internal::kBarrier) {
    barrier_answered(actions);
  } else if (answer.method.starts_with("session/set_")) {
    setting_answered(answer, actions);
  } else {
    session_answered(answer, actions);
  }
}

void AcpProtocol::on_notification(const RpcNotification& notification, Actions& actions) {
  if (notification.method != "session/update") return actions.emit(Unrecognised{notification.method});
  const boost::json::object* update = object_of(notification.params, "update");
  if (update == nullptr) return actions.emit(Unrecognised{"session/update without update"});
  const bool is_of_session = string_of(notification.params, "sessionId") == session_id_;
  if (prompt_request_ && is_of_session) return updates_.on_update(*update, actions);
  if (prompt_request_) return actions.emit(Unrecognised{"session/update of another session"});
  if (!is_of_session) return;
  const std::string_view type = string_of(*update, "sessionUpdate");
  if (type.ends_with("_chunk") || type.starts_with("tool_call")) replay_goes_on_ = true;
  updates_.on_update_outside_of_turn(*update, actions);
}

void AcpProtocol::on_request(const RpcRequest& request, Actions& actions) {
  if (request.method == "session/request_permission") {
    if (!prompt_request_ || cancelled_) return cancel_question(request.id, rpc_, actions);
    if (const boost::json::object* call = object_of(request.params, "toolCall")) updates_.on_tool_call(*call, actions);
    settled(questions_.ask(request, rpc_, actions), actions);
  } else if (request.method == "fs/read_text_file") {
    ask_for_file(request, PendingFile::Access::Read, actions);
  } else if (request.method == "fs/write_text_file") {
    ask_for_file(request, PendingFile::Access::Write, actions);
  } else {
    actions.emit(Unrecognised{request.method});
    rpc_.refuse_unknown(request, actions);
  }
}

void AcpProtocol::ask_for_file(const RpcRequest& request, PendingFile::Access access, Actions& actions) {
  std::string path(string_of(request.params, "path"));
  if (path.empty()) return rpc_.refuse(request.id, kRpcInvalidParams, "a path is missing", actions);
  std::string name = "file-" + std::to_string(++last_file_);
  if (access == PendingFile::Access::Read) {
    files_.emplace(name, PendingFile{request.id, access});
    return actions.read_file({std::move(name), std::move(path), acp_internal::count_of(request.params, "line"),
                              acp_internal::count_of(request.params, "limit")});
  }
  if (!prompt_request_ || cancelled_) return rpc_.refuse(request.id, kRpcInternalError, "no turn runs: nothing is written", actions);
  if (wanted_.permissions == PermissionPolicy::Plan) {
    return rpc_.refuse(request.id, kRpcInternalError, "the person's settings (permissions = \"plan\") let nothing be written", actions);
  }
  files_.emplace(name, PendingFile{request.id, access});
  actions.write_file({std::move(name), std::move(path), std::string(string_of(request.params, "content"))});
}

void AcpProtocol::file_answered(std::string_view request, const FileAnswer& answer, Actions& actions) {
  const auto found = files_.find(request);
  if (found == files_.end()) return;
  const PendingFile file = std::move(found->second);
  files_.erase(found);
  const bool read = file.access == PendingFile::Access::Read;
  const bool reads_empty = answer.not_found && preset_.missing_file == acp_internal::Preset::MissingFile::ReadsEmpty;
  if (answer.done || (read && reads_empty)) {
    boost::json::object result;
    if (read) result["content"] = answer.done ? std::string_view(answer.text) : std::string_view();
    return rpc_.answer(file.id, std::move(result), actions);
  }
  rpc_.refuse(file.id, answer.not_found ? kAcpNotFound : kRpcInternalError, answer.text, actions);
}

void AcpProtocol::answer(std::string_view permission, std::string_view option, Actions& actions) {
  settled(questions_.answer(permission, option, rpc_, actions), actions);
}

void AcpProtocol::settled(const AcpQuestions::Settled& settled, Actions& actions) {
  if (settled.result == AcpQuestions::Result::Denied) updates_.tool_denied(settled.tool, actions);
}

// --- the turn ---

void AcpProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  cancelled_ = false;
  prompt_ = request.prompt;
  updates_.begin_turn();
  if (stage_ == Stage::Fresh) {
    stage_ = Stage::Initializing;
    rpc_.request("initialize", acp_internal::initialize_params(), actions);
  } else if (stage_ == Stage::Ready) {
    send_prompt(actions);
  } else if (stage_ == Stage::Failed) {
    fail(*failure_, actions);
  }
}

void AcpProtocol::send_prompt(Actions& actions) {
  actions.emit(SessionStarted{session_id_, model_, wanted_.cwd});
  boost::json::array blocks;
  if (!std::exchange(note_is_told_, true)) blocks.push_back(acp_internal::text_block(kSystemNote));
  blocks.push_back(acp_internal::text_block(*prompt_));
  boost::json::object params{{"sessionId", session_id_}};
  params["prompt"] = std::move(blocks);
  prompt_.reset();
  prompt_request_ = rpc_.request("session/prompt", std::move(params), actions);
}

void AcpProtocol::prompt_answered(const RpcAnswer& answer, Actions& actions) {
  const boost::json::object& result = acp_internal::object_or_none(answer.result);
  if (!answer.error) actions.emit(acp_internal::usage_of(result));
  const std::string_view stop_reason = string_of(result, "stopReason");
  if (cancelled_ || stop_reason == "cancelled") return end_turn(Outcome::Cancelled, actions);
  if (answer.error && answer.error->code == kAcpAuthRequired) {
    return fail(failure_of_acp_login(*answer.error, abilities_.ways_to_log_in, spec_), actions);
  }
  if (answer.error) return fail(failure_of_acp_error(*answer.error, spec_), actions);
  const AgentFailure stopped = failure_of_acp_stop(stop_reason, spec_);
  if (!stopped.message.empty()) return fail(stopped, actions);
  end_turn(Outcome::Done, actions);
}

void AcpProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  if (!prompt_request_) return end_turn(Outcome::Cancelled, actions);
  rpc_.notify("session/cancel", {{"sessionId", session_id_}}, actions);
  questions_.cancel_all(rpc_, actions);
}

void AcpProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  questions_.drop_all(actions);
  if (!in_turn_) return;
  if (cancelled_) return end_turn(Outcome::Cancelled, actions);
  fail(failure_of_acp_exit(status, spec_), actions);
}

void AcpProtocol::fail(const AgentFailure& failure, Actions& actions) {
  actions.emit(Failure{failure.kind, failure.message});
  end_turn(Outcome::Failed, actions);
}

void AcpProtocol::end_turn(Outcome outcome, Actions& actions) {
  questions_.cancel_all(rpc_, actions);
  updates_.end_turn(actions);
  in_turn_ = false;
  cancelled_ = false;
  prompt_.reset();
  prompt_request_.reset();
  actions.emit(TurnEnded{outcome, {}});
}

std::unique_ptr<AgentProtocol> make_acp(const AgentSpec& spec) {
  return std::make_unique<AcpProtocol>(spec);
}

}  // namespace agent_doc::plugins
