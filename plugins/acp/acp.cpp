#include "plugins/acp/acp.hpp"

#include "plugins/acp/acp_failure.hpp"
#include "plugins/acp/acp_handshake.hpp"
#include "plugins/acp/acp_model_stream.hpp"
#include "plugins/acp/acp_preset.hpp"
#include "plugins/acp/acp_questions.hpp"
#include "plugins/acp/acp_service_words.hpp"
#include "plugins/acp/acp_session_list.hpp"
#include "plugins/acp/acp_updates.hpp"
#include "plugins/json_rpc_lines.hpp"
#include "plugins/system_note.hpp"

#include <boost/json.hpp>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace agent_doc::plugins {
namespace {

boost::json::object text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

/// Begins with blank lines, because some agents concatenate the blocks of a prompt.
std::string note_after_prompt() {
  return "\n\n" + std::string(kSystemNote);
}

std::optional<std::uint32_t> count_of(const boost::json::object& params, std::string_view key) {
  const std::int64_t count = integer_of(params, key, 0);
  if (count <= 0 || count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(count);
}

/// Returns the usage in the answer to a prompt: from the protocol's own field, or gemini's.
Usage usage_of(const boost::json::object& result) {
  Usage usage;
  if (const boost::json::object* used = object_of(result, "usage")) {
    usage.input = integer_of(*used, "inputTokens", 0);
    usage.output = integer_of(*used, "outputTokens", 0);
    usage.cache_read = integer_of(*used, "cachedReadTokens", 0);
    usage.cache_write = integer_of(*used, "cachedWriteTokens", 0);
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

}  // namespace

class AcpProtocol final : public AgentProtocol, private RpcReceiver {
 public:
  explicit AcpProtocol(AgentSpec spec)
      : spec_(std::move(spec)),
        preset_(acp_preset_of(spec_.dialect)),
        rpc_(JsonRpcLines::Version::Included),
        handshake_(spec_, preset_),
        updates_(preset_.flavour),
        service_words_(preset_.service_words) {}

  SessionSupport session_support() const override {
    return {.resume = true, .fork = preset_.fork != AcpPreset::Fork::Never, .list = true};
  }
  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  void on_line(std::string_view line, Actions& actions) override {
    rpc_.deliver(line, *this, actions);
  }
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  void answer(std::string_view permission, std::string_view option, Actions& actions) override;
  void file_answered(std::string_view request, const FileAnswer& answer, Actions& actions) override;
  void list_sessions(Actions& actions) override;
  void end(Actions& actions) override;

 private:
  using Stage = AcpHandshake::Stage;
  struct PendingFile {
    RpcId id;
    enum class Access { Read, Write } access;
  };

  void on_answer(const RpcAnswer& answer, Actions& actions) override;
  void on_notification(const RpcNotification& notification, Actions& actions) override;
  void on_request(const RpcRequest& request, Actions& actions) override;
  void model_streamed(const boost::json::object& params, Actions& actions);
  void update_in_turn(const boost::json::object& update, Actions& actions);
  void ask_for_file(const RpcRequest& request, PendingFile::Access access, Actions& actions);
  void settled(const AcpQuestions::Settled& settled, Actions& actions);
  void handshake_failed(Actions& actions);
  void abilities_known(Actions& actions);
  void late_barrier_answered(Actions& actions);
  void send_prompt(Actions& actions);
  void prompt_answered(const RpcAnswer& answer, Actions& actions);
  void fail(const AgentFailure& failure, Actions& actions);
  void end_turn(Outcome outcome, Actions& actions);

  AgentSpec spec_;
  const AcpPreset& preset_;
  JsonRpcLines rpc_;
  AcpHandshake handshake_;
  AcpUpdates updates_;
  AcpServiceWords service_words_;
  AcpQuestions questions_;
  std::optional<AcpSessionList> sessions_;  ///< set when the process only lists sessions

  bool note_sent_ = false;
  bool in_turn_ = false;
  bool cancelled_ = false;
  bool denied_ = false;                ///< a question of this turn was denied
  std::optional<std::string> prompt_;  ///< not sent yet
  std::optional<std::int64_t> prompt_request_;
  /// A prompt was answered, and later text is wanted; not after a turn that was stopped.
  bool wants_late_text_ = false;
  std::optional<std::int64_t> late_barrier_;
  bool late_goes_on_ = false;  ///< something arrived since the barrier was sent
  std::uint64_t last_file_ = 0;
  std::map<std::string, PendingFile, std::less<>> files_;
};

Launch AcpProtocol::launch(const LaunchRequest& request) {
  handshake_.want(request);
  questions_.set_policy(request.permissions);
  if (request.start == SessionStart::New) updates_.begin_new_session();
  Launch launch;
  launch.command = spec_.command;
  launch.args = spec_.args;
  if (!preset_.argument.empty()) launch.args.emplace_back(preset_.argument);
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Session;
  return launch;
}

// --- messages from the agent ---

void AcpProtocol::on_answer(const RpcAnswer& answer, Actions& actions) {
  if (answer.method == "session/prompt") {
    if (answer.id == prompt_request_) prompt_answered(answer, actions);
    return;
  }
  if (answer.id == late_barrier_) return late_barrier_answered(actions);
  if (sessions_ && answer.method == AcpSessionList::kMethod)
    return sessions_->on_answer(answer, rpc_, actions);
  const Stage before = handshake_.stage();
  handshake_.on_answer(answer, rpc_, actions);
  if (handshake_.stage() == before) return;
  if (handshake_.stage() == Stage::Failed) handshake_failed(actions);
  if (handshake_.stage() == Stage::Initialized) abilities_known(actions);
  if (handshake_.stage() == Stage::Ready && prompt_) send_prompt(actions);
}

void AcpProtocol::on_notification(const RpcNotification& notification, Actions& actions) {
  const bool has_stream = preset_.message_ends == AcpPreset::MessageEnds::InModelStream;
  if (has_stream && notification.method == kAcpModelStream)
    return model_streamed(notification.params, actions);
  if (notification.method != "session/update")
    return actions.emit(Unrecognised{notification.method});
  const boost::json::object* update = object_of(notification.params, "update");
  if (update == nullptr) return actions.emit(Unrecognised{"session/update without update"});
  const bool is_of_session = string_of(notification.params, "sessionId") == handshake_.session_id();
  if (prompt_request_ && is_of_session) return update_in_turn(*update, actions);
  if (prompt_request_) return actions.emit(Unrecognised{"session/update of another session"});
  if (!is_of_session) return;
  const std::string_view type = string_of(*update, "sessionUpdate");
  if (type.ends_with("_chunk") || type.starts_with("tool_call")) handshake_.replay_goes_on();
  updates_.on_update_outside_turn(*update, actions);
  const bool usage_ends = preset_.late_text == AcpPreset::LateText::EndsWithUsage;
  if (usage_ends && type == "usage_update" && !in_turn_) updates_.emit_late_text(actions);
  if (!wants_late_text_ || !updates_.keep_late_text(*update) || usage_ends) return;
  late_goes_on_ = true;
  if (!late_barrier_) late_barrier_ = rpc_.request(kAcpBarrier, {}, actions);
}

void AcpProtocol::model_streamed(const boost::json::object& params, Actions& actions) {
  if (!prompt_request_ || string_of(params, "sessionId") != handshake_.session_id()) return;
  updates_.message_stopped(stop_reason_in_model_stream(params), actions);
}

/// Handles an update. What the agent says about its own service does not go into the reply.
void AcpProtocol::update_in_turn(const boost::json::object& update, Actions& actions) {
  using Is = AcpServiceWords::Heard::Is;
  if (const auto held = service_words_.release_before(update)) updates_.on_update(*held, actions);
  const AcpServiceWords::Heard heard = service_words_.hear(update);
  if (heard.is == Is::Content) return updates_.on_update(update, actions);
  if (heard.is == Is::Held) return;
  if (heard.is == Is::RetryAnew) updates_.give_up_message(actions);
  actions.emit(Notice{heard.is == Is::Status ? NoticeKind::Status : NoticeKind::Retry, heard.text});
}

/// Emits what was said after the turn as one text, once nothing arrived between two answers.
void AcpProtocol::late_barrier_answered(Actions& actions) {
  late_barrier_.reset();
  if (std::exchange(late_goes_on_, false)) {
    late_barrier_ = rpc_.request(kAcpBarrier, {}, actions);
  } else if (!in_turn_) {
    updates_.emit_late_text(actions);
  }
}

void AcpProtocol::on_request(const RpcRequest& request, Actions& actions) {
  if (request.method == "session/request_permission") {
    if (!prompt_request_ || cancelled_) return cancel_question(request.id, rpc_, actions);
    const boost::json::object* call = object_of(request.params, "toolCall");
    if (call != nullptr) updates_.on_tool_call(*call, actions);
    const boost::json::object known =
        updates_.known_fields_of(call != nullptr ? *call : request.params);
    settled(questions_.ask(request, known, rpc_, actions), actions);
  } else if (request.method == "fs/read_text_file") {
    ask_for_file(request, PendingFile::Access::Read, actions);
  } else if (request.method == "fs/write_text_file") {
    ask_for_file(request, PendingFile::Access::Write, actions);
  } else {
    actions.emit(Unrecognised{request.method});
    rpc_.refuse_unknown(request, actions);
  }
}

void AcpProtocol::ask_for_file(const RpcRequest& request, PendingFile::Access access,
                               Actions& actions) {
  std::string path(string_of(request.params, "path"));
  if (path.empty()) return rpc_.refuse(request.id, kRpcInvalidParams, "a path is missing", actions);
  std::string name = "file-" + std::to_string(++last_file_);
  if (access == PendingFile::Access::Read) {
    files_.emplace(name, PendingFile{request.id, access});
    return actions.read_file({std::move(name), std::move(path), count_of(request.params, "line"),
                              count_of(request.params, "limit")});
  }
  if (!prompt_request_ || cancelled_)
    return rpc_.refuse(request.id, kRpcInternalError, "no turn runs: nothing is written", actions);
  const boost::json::value* content = request.params.if_contains("content");
  if (content == nullptr || !content->is_string())
    return rpc_.refuse(request.id, kRpcInvalidParams, "the content is missing", actions);
  files_.emplace(name, PendingFile{request.id, access});
  actions.write_file({std::move(name), std::move(path), std::string(content->get_string())});
}

void AcpProtocol::file_answered(std::string_view request, const FileAnswer& answer,
                                Actions& actions) {
  const auto found = files_.find(request);
  if (found == files_.end()) return;
  const PendingFile file = std::move(found->second);
  files_.erase(found);
  const bool read = file.access == PendingFile::Access::Read;
  const bool reads_empty =
      answer.not_found && preset_.missing_file == AcpPreset::MissingFile::ReadsEmpty;
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
  if (settled.result != AcpQuestions::Result::Denied) return;
  denied_ = true;
  updates_.tool_denied(settled.tool, actions);
}

// --- the turn ---

void AcpProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  cancelled_ = false;
  denied_ = false;
  prompt_ = request.prompt;
  updates_.begin_turn();
  service_words_.begin_turn();
  if (handshake_.stage() == Stage::Fresh) {
    handshake_.begin(AcpHandshake::Goal::Session, rpc_, actions);
  } else if (handshake_.stage() == Stage::Ready) {
    send_prompt(actions);
  } else if (handshake_.stage() == Stage::Failed) {
    fail(handshake_.failure(), actions);
  }
}

/// Ends the process, because agents do not end by themselves without a session.
void AcpProtocol::handshake_failed(Actions& actions) {
  actions.close_stdin();
  actions.send_signal(Signal::Terminate);
  if (in_turn_) fail(handshake_.failure(), actions);
  if (sessions_) sessions_->list().fail(handshake_.failure().message, actions);
}

void AcpProtocol::send_prompt(Actions& actions) {
  actions.emit(
      SessionStarted{handshake_.session_id(), handshake_.model(), handshake_.wanted().cwd});
  if (!prompt_) return;  // cancelled from within the call
  boost::json::array blocks;
  const bool was_sent = std::exchange(note_sent_, true);
  // First, because agents derive a title from it and look for their commands in it.
  blocks.push_back(text_block(*prompt_));
  if (!was_sent && handshake_.note_belongs_into_prompt())
    blocks.push_back(text_block(note_after_prompt()));
  boost::json::object params{{"sessionId", handshake_.session_id()}};
  params["prompt"] = std::move(blocks);
  prompt_.reset();
  prompt_request_ = rpc_.request("session/prompt", std::move(params), actions);
  actions.prompt_sent();
}

void AcpProtocol::prompt_answered(const RpcAnswer& answer, Actions& actions) {
  const boost::json::object& result = acp_result_of(answer);
  if (!answer.error) actions.emit(usage_of(result));
  const std::string_view stop_reason = string_of(result, "stopReason");
  if (!cancelled_ && denied_ && stop_reason == "cancelled")
    return fail(describe_denied_end(spec_), actions);
  if (cancelled_ || stop_reason == "cancelled") return end_turn(Outcome::Cancelled, actions);
  if (answer.error && answer.error->code == kAcpAuthRequired) {
    return fail(failure_of_acp_login(*answer.error, handshake_.ways_to_log_in(), spec_), actions);
  }
  if (answer.error) return fail(failure_of_acp_error(*answer.error, spec_), actions);
  const AgentFailure stopped = failure_of_acp_stop(stop_reason, spec_);
  if (!stopped.message.empty()) return fail(stopped, actions);
  if (const std::string error = service_words_.take_error(result); !error.empty())
    return fail(failure_of_acp_words(error, spec_), actions);
  if (const auto held = service_words_.release()) updates_.on_update(*held, actions);
  end_turn(Outcome::Done, actions);
}

void AcpProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  if (!prompt_request_) return end_turn(Outcome::Cancelled, actions);
  rpc_.notify("session/cancel", {{"sessionId", handshake_.session_id()}}, actions);
  questions_.cancel_all(rpc_, actions);
}

void AcpProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  questions_.drop_all(actions);
  if (sessions_) sessions_->list().ended(status, spec_, actions);
  if (!in_turn_) return updates_.emit_late_text(actions);
  if (cancelled_) return end_turn(Outcome::Cancelled, actions);
  fail(failure_of_acp_exit(status, spec_), actions);
}

void AcpProtocol::fail(const AgentFailure& failure, Actions& actions) {
  actions.emit(Failure{failure.kind, failure.message});
  end_turn(Outcome::Failed, actions);
}

void AcpProtocol::end_turn(Outcome outcome, Actions& actions) {
  questions_.cancel_all(rpc_, actions);
  if (const auto held = service_words_.release()) updates_.on_update(*held, actions);
  updates_.end_turn(outcome, actions);
  in_turn_ = false;
  cancelled_ = false;
  prompt_.reset();
  prompt_request_.reset();
  wants_late_text_ = outcome != Outcome::Cancelled;
  actions.emit(TurnEnded{outcome, {}});
  // Text of the previous turn, when this one began in the middle of it.
  updates_.emit_late_text(actions);
}

// --- outside turns ---

void AcpProtocol::list_sessions(Actions& actions) {
  sessions_.emplace(spec_, handshake_.wanted().cwd);
  handshake_.begin(AcpHandshake::Goal::Abilities, rpc_, actions);
}

void AcpProtocol::abilities_known(Actions& actions) {
  if (handshake_.can_list_sessions()) return sessions_->ask(rpc_, actions);
  sessions_->list().unsupported(actions);
}

/// Closes the session, except during a turn: the end of the process ends the session then, and the
/// agent must not answer first.
void AcpProtocol::end(Actions& actions) {
  if (in_turn_ || handshake_.stage() != Stage::Ready || !handshake_.can_close_session()) return;
  rpc_.request("session/close", {{"sessionId", handshake_.session_id()}}, actions);
}

std::unique_ptr<AgentProtocol> make_acp(const AgentSpec& spec) {
  return std::make_unique<AcpProtocol>(spec);
}

}  // namespace agent_doc::plugins
