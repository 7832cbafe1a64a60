// Everything before the first prompt of an ACP agent: `initialize`, the login, the session (new,
// resumed, loaded, forked), its model and mode, and the replay of old turns when a session is
// loaded. Use one for each agent process.
#pragma once

#include "plugins/acp/acp_login.hpp"
#include "plugins/acp/acp_preset.hpp"
#include "plugins/acp/acp_session.hpp"
#include "plugins/failure.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// A method that no agent knows. Each agent must answer that, in order, so the answer shows that
/// everything before it is done.
inline constexpr std::string_view kAcpBarrier = "_agent-doc/barrier";

class AcpHandshake {
 public:
  AcpHandshake(const AgentSpec& spec, const AcpPreset& preset) : spec_(spec), preset_(preset) {}

  void want(const LaunchRequest& request) { wanted_ = request; }
  const LaunchRequest& wanted() const { return wanted_; }

  enum class Stage {
    Fresh,         ///< nothing was sent
    Initializing,  ///< until `initialize` is answered
    LoggingIn,     ///< until `authenticate` is answered
    Initialized,   ///< the agent's abilities are known, and no session is wanted
    Starting,      ///< until the session exists
    Setting,       ///< until the model and the mode are set
    Replaying,     ///< until the agent has replayed the old turns of a loaded session
    Ready,         ///< for prompts
    Failed,        ///< there will be no session
  };
  Stage stage() const { return stage_; }

  enum class Goal {
    Session,    ///< stage Ready
    Abilities,  ///< stage Initialized
  };
  /// Starts the handshake. Precondition: stage Fresh.
  void begin(Goal goal, JsonRpcLines& rpc, Actions& actions);
  /// Handles the answer to any of our requests except prompts.
  void on_answer(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  /// Reports that a part of the session's old turns arrived.
  void replay_goes_on() { replay_goes_on_ = true; }

  const std::string& session_id() const { return session_id_; }
  /// Returns an empty string when the agent does not report its model.
  const std::string& model() const { return model_; }
  /// Returns true when the session has not had the system note (system_note.hpp) yet and gets it
  /// with the prompt.
  bool note_belongs_into_prompt() const;
  bool can_list_sessions() const { return abilities_.list; }
  bool can_close_session() const { return abilities_.close; }
  const std::string& ways_to_log_in() const { return abilities_.ways_to_log_in; }
  /// Returns the reason of the failure. Precondition: stage Failed.
  const AgentFailure& failure() const { return *failure_; }

 private:
  void initialized(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  void log_in_as_configured(JsonRpcLines& rpc, Actions& actions);
  void log_in(const AcpLoginMethod& method, JsonRpcLines& rpc, Actions& actions);
  void logged_in(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  bool try_variable_login(JsonRpcLines& rpc, Actions& actions);
  void start_session(JsonRpcLines& rpc, Actions& actions);
  void request_session(std::string_view method, JsonRpcLines& rpc, Actions& actions);
  void session_answered(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  void session_refused(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  void apply_settings(const boost::json::object& session, JsonRpcLines& rpc, Actions& actions);
  void apply(std::optional<AcpSetting> setting, JsonRpcLines& rpc, Actions& actions);
  void setting_answered(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions);
  void settings_done(JsonRpcLines& rpc, Actions& actions);
  void barrier_answered(JsonRpcLines& rpc, Actions& actions);
  void give_up(FailureKind kind, std::string_view text) {
    give_up(describe_failure(kind, text, spec_));
  }
  void give_up(AgentFailure failure);

  const AgentSpec& spec_;
  const AcpPreset& preset_;
  LaunchRequest wanted_;
  Stage stage_ = Stage::Fresh;
  Goal goal_ = Goal::Session;
  AcpAbilities abilities_;
  std::vector<AcpLoginMethod> methods_;
  bool tried_to_log_in_ = false;
  bool tried_to_load_ = false;  ///< in order to fork the session
  std::string session_id_;
  std::string model_;
  std::string started_by_;         ///< the method that created the session
  std::size_t open_settings_ = 0;  ///< requests without an answer
  bool replay_goes_on_ = false;    ///< something arrived since the last barrier was sent
  std::optional<AgentFailure> failure_;
};

}  // namespace agent_doc::plugins
