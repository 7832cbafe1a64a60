// What it is: what agents have in common that get a process of their own for each turn: the prompt
// goes to its standard input (or into a file) and nothing after it, a stop is an interrupt to its
// group, and the turn ends when the process does: only then may the next one use the session.
// What it is not: it knows no line; each agent reads its own.
// Thread rule: not thread-safe; one object per agent process.
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
  /// As JSON objects; agents that print text override it.
  void on_line(std::string_view line, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;
  void cancel(Actions& actions) override;
  /// These agents cannot ask.
  void answer(std::string_view permission, std::string_view option, Actions& actions) override;

 protected:
  /// The person's own arguments and behind them `args`, which are the dialect's.
  Launch launch_with(const LaunchRequest& request, std::vector<std::string> args);
  /// `args` are all arguments. kPromptFile in any of them puts the prompt into a file.
  Launch launch_as(const LaunchRequest& request, std::vector<std::string> args);

  // --- for the lines ---
  virtual void on_object(const boost::json::object& line, Actions& actions) = 0;
  /// Tells the session once; what comes later is not believed.
  void session_started(std::string_view session_id, std::string_view model, std::string_view cwd,
                       Actions& actions);
  /// The agent said that it has done it. `text` as in TurnEnded.
  void complete(std::string_view text);
  /// The agent said that it cannot do it; the first reason counts. Told at the end of the process.
  void fail(AgentFailure failure);

  // --- for the end ---
  /// Of a process that ended before it said how it went.
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
  bool session_told_ = false;
  std::optional<std::string> final_text_;  ///< it is complete
  std::optional<AgentFailure> failure_;
};

/// A failure whose kind the words tell; `otherwise` where they do not.
AgentFailure failure_in_words(std::string_view text, FailureKind otherwise, const AgentSpec& spec);

}  // namespace agent_doc::plugins
