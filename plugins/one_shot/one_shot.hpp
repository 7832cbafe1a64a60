// The common part of agents that run one process for each turn: the prompt goes to standard input
// or into a file, stopping sends an interrupt to the process group, and the turn ends with the
// process, because only then may the next one use the session. Each agent parses its own lines.
#pragma once

#include "plugins/failure.hpp"
#include "plugins/json_line.hpp"
#include "plugins/registry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

class OneShotProtocol : public AgentProtocol {
 public:
  explicit OneShotProtocol(AgentSpec spec);

  void begin_turn(const TurnRequest& request, Actions& actions) override;
  /// Parses lines as JSON objects. Agents that print text override it.
  void on_line(std::string_view line, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  /// Does nothing: these agents cannot ask.
  void answer(std::string_view permission, std::string_view option, Actions& actions) override;

 protected:
  /// Returns a launch with the user's own arguments, followed by the dialect's `args`.
  Launch launch_with(const LaunchRequest& request, std::vector<std::string> args);
  /// Returns a launch with exactly `args`. kPromptFile in any of them puts the prompt into a file.
  Launch launch_as(const LaunchRequest& request, std::vector<std::string> args);

  // --- for parsing ---
  virtual void on_object(const boost::json::object& line, Actions& actions) = 0;
  /// Emits SessionStarted the first time; later calls are ignored.
  void session_started(std::string_view session_id, std::string_view model, std::string_view cwd,
                       Actions& actions);
  /// Records that the agent said it was successful. `text` is TurnEnded::text.
  void complete(std::string_view text);
  /// Records a failure; the first one counts. It is emitted at the end of the process.
  void fail(AgentFailure failure);

  // --- for the end of the process ---
  /// Returns the failure of a process that ended without reporting a result.
  virtual AgentFailure failure_of_exit(const ExitStatus& status) const;

  const AgentSpec& spec() const { return spec_; }
  const LaunchRequest& request() const { return request_; }
  const std::optional<AgentFailure>& failure() const { return failure_; }

 private:
  std::string whole_prompt(const std::string& prompt) const;
  void end_turn(Outcome outcome, std::string_view text, Actions& actions);

  AgentSpec spec_;
  LaunchRequest request_;
  JsonLine json_;
  bool prompt_in_file_ = false;
  bool in_turn_ = false;
  bool cancelled_ = false;
  bool session_emitted_ = false;
  std::optional<std::string> final_text_;  ///< set when the agent said it was successful
  std::optional<AgentFailure> failure_;
};

/// Returns a failure whose kind is found in `text`; `otherwise` when it is not.
AgentFailure failure_in_words(std::string_view text, FailureKind otherwise, const AgentSpec& spec);

}  // namespace agent_doc::plugins
