#include "plugins/acp/acp_handshake.hpp"

#include "plugins/acp/acp_failure.hpp"
#include "plugins/acp/acp_mode.hpp"
#include "plugins/acp/acp_model_stream.hpp"
#include "plugins/system_note.hpp"
#include "protocol/version.hpp"

#include <utility>

namespace agent_doc::plugins {
namespace {

boost::json::object initialize_params() {
  boost::json::object capabilities{{"terminal", false}};
  capabilities["auth"] =
      boost::json::object{// Such a way to log in is described to the user (acp_login.hpp).
                          {"terminal", true}};
  capabilities["fs"] = boost::json::object{{"readTextFile", true}, {"writeTextFile", true}};
  boost::json::object params{{"protocolVersion", kAcpVersion}};
  params["clientCapabilities"] = std::move(capabilities);
  params["clientInfo"] = boost::json::object{
      {"name", "agent-doc"}, {"title", "agent-doc"}, {"version", protocol::kServerVersion}};
  return params;
}

}  // namespace

void AcpHandshake::begin(Goal goal, JsonRpcLines& rpc, Actions& actions) {
  goal_ = goal;
  stage_ = Stage::Initializing;
  rpc.request("initialize", initialize_params(), actions);
}

void AcpHandshake::on_answer(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  switch (stage_) {
    case Stage::Initializing:
      return initialized(answer, rpc, actions);
    case Stage::LoggingIn:
      return logged_in(answer, rpc, actions);
    case Stage::Starting:
      return session_answered(answer, rpc, actions);
    case Stage::Setting:
      return setting_answered(answer, rpc, actions);
    case Stage::Replaying:
      return barrier_answered(rpc, actions);
    case Stage::Fresh:
    case Stage::Initialized:
    case Stage::Ready:
    case Stage::Failed:
      return;
  }
}

void AcpHandshake::initialized(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error) return give_up(failure_of_acp_error(*answer.error, spec_));
  std::string started_as = spec_.command;
  for (const std::string& argument : spec_.args) started_as.append(" ").append(argument);
  if (!preset_.argument.empty()) started_as.append(" ").append(preset_.argument);
  abilities_ = read_abilities(acp_result_of(answer), started_as);
  methods_ = read_login_methods(acp_result_of(answer));
  if (abilities_.version == kAcpVersion) {
    if (goal_ == Goal::Session && !spec_.auth_method.empty())
      return log_in_as_configured(rpc, actions);
    if (goal_ == Goal::Session) return start_session(rpc, actions);
    stage_ = Stage::Initialized;
    return;
  }
  give_up(FailureKind::Unknown, "The agent speaks version " + std::to_string(abilities_.version) +
                                    " of ACP, agent-doc speaks version " +
                                    std::to_string(kAcpVersion) +
                                    ": install a version of the agent that fits");
}

void AcpHandshake::log_in_as_configured(JsonRpcLines& rpc, Actions& actions) {
  const AcpLoginMethod* method = find_login_method(methods_, spec_.auth_method);
  if (method != nullptr) return log_in(*method, rpc, actions);
  std::string known;
  for (const AcpLoginMethod& one : methods_) known += (known.empty() ? "it has " : ", ") + one.id;
  give_up({FailureKind::Auth, spec_.name + ": The agent has no way to log in of `auth_method = \"" +
                                  spec_.auth_method +
                                  "\"`: " + (known.empty() ? "it names none" : known) +
                                  ". Mend it in agent-doc's config.toml."});
}

void AcpHandshake::log_in(const AcpLoginMethod& method, JsonRpcLines& rpc, Actions& actions) {
  stage_ = Stage::LoggingIn;
  tried_to_log_in_ = true;
  rpc.request("authenticate", {{"methodId", method.id}}, actions);
}

void AcpHandshake::logged_in(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error)
    return give_up(failure_of_acp_login(*answer.error, abilities_.ways_to_log_in, spec_));
  start_session(rpc, actions);
}

/// Logs in without a browser, if the agent wants a login: it may store what it is given, and the
/// user may be logged in by another way.
bool AcpHandshake::try_variable_login(JsonRpcLines& rpc, Actions& actions) {
  if (tried_to_log_in_) return false;
  const AcpLoginMethod* method = method_with_variables(methods_, spec_);
  if (method == nullptr) return false;
  log_in(*method, rpc, actions);
  return true;
}

void AcpHandshake::start_session(JsonRpcLines& rpc, Actions& actions) {
  stage_ = Stage::Starting;
  switch (wanted_.start) {
    case SessionStart::New:
      return request_session("session/new", rpc, actions);
    case SessionStart::Resume:
      if (abilities_.resume) return request_session("session/resume", rpc, actions);
      if (abilities_.load) return request_session("session/load", rpc, actions);
      return give_up(FailureKind::SessionUnknown, "The agent cannot go on with an earlier session");
    case SessionStart::Fork:
      if (abilities_.fork) return request_session("session/fork", rpc, actions);
      return give_up(FailureKind::ForkUnsupported, "The agent cannot fork a session");
  }
}

void AcpHandshake::request_session(std::string_view method, JsonRpcLines& rpc, Actions& actions) {
  boost::json::object params{{"cwd", wanted_.cwd}, {"mcpServers", boost::json::array()}};
  if (wanted_.start != SessionStart::New) params["sessionId"] = wanted_.session_id;
  if (preset_.note == AcpPreset::Note::InSystemPrompt) {
    boost::json::object meta;
    meta["systemPrompt"] = boost::json::object{{"append", kSystemNote}};
    if (preset_.message_ends == AcpPreset::MessageEnds::InModelStream)
      meta["claudeCode"] = wanted_model_stream();
    params["_meta"] = std::move(meta);
  }
  started_by_ = method;
  rpc.request(method, std::move(params), actions);
}

void AcpHandshake::session_answered(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error) return session_refused(answer, rpc, actions);
  if (answer.method == "session/load" && wanted_.start == SessionStart::Fork)
    return request_session("session/fork", rpc, actions);
  const boost::json::object& session = acp_result_of(answer);
  session_id_ = string_of(session, "sessionId");
  if (session_id_.empty() && wanted_.start == SessionStart::Resume)
    session_id_ = wanted_.session_id;
  if (session_id_.empty())
    return give_up(FailureKind::Unknown, "The agent began a session without a name");
  model_ = model_of_session(session);
  apply_settings(session, rpc, actions);
}

/// Tries the next way: after resume, load; after fork, load and fork. Then the caller decides.
void AcpHandshake::session_refused(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  AgentFailure failure = failure_of_acp_error(*answer.error, spec_);
  if (answer.error->code == kAcpAuthRequired && try_variable_login(rpc, actions)) return;
  if (failure.kind == FailureKind::Auth)
    return give_up(failure_of_acp_login(*answer.error, abilities_.ways_to_log_in, spec_));
  if (answer.method == "session/resume" && abilities_.load)
    return request_session("session/load", rpc, actions);
  if (wanted_.start == SessionStart::New) return give_up(std::move(failure));
  const bool may_want_it_loaded = answer.method == "session/fork" &&
                                  answer.error->code != kRpcMethodNotFound && abilities_.load;
  if (may_want_it_loaded && !std::exchange(tried_to_load_, true))
    return request_session("session/load", rpc, actions);
  const bool cannot_fork =
      wanted_.start == SessionStart::Fork && answer.error->code == kRpcMethodNotFound;
  give_up(cannot_fork ? FailureKind::ForkUnsupported : FailureKind::SessionUnknown,
          text_of_error(*answer.error));
}

void AcpHandshake::apply_settings(const boost::json::object& session, JsonRpcLines& rpc,
                                  Actions& actions) {
  stage_ = Stage::Setting;
  AcpChoice model = wanted_.model.empty() ? AcpChoice{} : choose_model(session, wanted_.model);
  if (!model.problem.empty()) return give_up(FailureKind::Invalid, model.problem);
  AcpModeChoice mode = choose_mode(session, {wanted_.permissions, spec_.mode, preset_.asking_mode});
  if (!mode.refusal.empty())
    return give_up({FailureKind::Invalid, spec_.name + ": " + mode.refusal});
  if (!mode.warning.empty()) actions.emit(Notice{NoticeKind::Warning, mode.warning});
  if (model.setting) model_ = wanted_.model;
  apply(std::move(model.setting), rpc, actions);
  for (AcpSetting& setting : mode.settings) apply(std::move(setting), rpc, actions);
  if (open_settings_ == 0) settings_done(rpc, actions);
}

void AcpHandshake::apply(std::optional<AcpSetting> setting, JsonRpcLines& rpc, Actions& actions) {
  if (!setting) return;
  ++open_settings_;
  setting->params["sessionId"] = session_id_;
  rpc.request(setting->method, std::move(setting->params), actions);
}

void AcpHandshake::setting_answered(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error) {
    return give_up(FailureKind::Invalid,
                   "The agent does not take the model or the permissions that you want: " +
                       text_of_error(*answer.error));
  }
  if (--open_settings_ == 0) settings_done(rpc, actions);
}

void AcpHandshake::settings_done(JsonRpcLines& rpc, Actions& actions) {
  const bool replays = started_by_ == "session/load" || started_by_ == "session/fork";
  stage_ = replays ? Stage::Replaying : Stage::Ready;
  replay_goes_on_ = false;
  if (replays) rpc.request(kAcpBarrier, {}, actions);
}

/// Some agents answer before they replay. A replay that is still going on leaves something between
/// two barriers.
void AcpHandshake::barrier_answered(JsonRpcLines& rpc, Actions& actions) {
  if (std::exchange(replay_goes_on_, false)) {
    rpc.request(kAcpBarrier, {}, actions);
  } else {
    stage_ = Stage::Ready;
  }
}

bool AcpHandshake::note_belongs_into_prompt() const {
  return wanted_.start == SessionStart::New && preset_.note == AcpPreset::Note::InFirstPrompt;
}

void AcpHandshake::give_up(AgentFailure failure) {
  stage_ = Stage::Failed;
  failure_ = std::move(failure);
}

}  // namespace agent_doc::plugins
