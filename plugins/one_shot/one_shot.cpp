#include "plugins/one_shot/one_shot.hpp"

#include "plugins/failure_words.hpp"
#include "plugins/system_note.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {

OneShotProtocol::OneShotProtocol(AgentSpec spec) : spec_(std::move(spec)) {}

Launch OneShotProtocol::launch_with(const LaunchRequest& request, std::vector<std::string> args) {
  args.insert(args.begin(), spec_.args.begin(), spec_.args.end());
  return launch_as(request, std::move(args));
}

Launch OneShotProtocol::launch_as(const LaunchRequest& request, std::vector<std::string> args) {
  request_ = request;
  Launch launch;
  launch.command = spec_.command;
  launch.args = std::move(args);
  launch.env = spec_.env;
  launch.cwd = request.cwd;
  launch.lifetime = ProcessLifetime::Turn;
  prompt_in_file_ = std::any_of(launch.args.begin(), launch.args.end(), [](const std::string& arg) {
    return arg.find(kPromptFile) != std::string::npos;
  });
  if (prompt_in_file_) launch.prompt_file = whole_prompt(request.prompt);
  return launch;
}

/// None of these agents has another place for the system note.
std::string OneShotProtocol::whole_prompt(const std::string& prompt) const {
  if (request_.start != SessionStart::New) return prompt;
  return std::string(kSystemNote).append("\n\n").append(prompt);
}

void OneShotProtocol::begin_turn(const TurnRequest& request, Actions& actions) {
  in_turn_ = true;
  if (!prompt_in_file_) actions.write_line(whole_prompt(request.prompt));
  actions.close_stdin();
  actions.prompt_sent();
}

void OneShotProtocol::on_line(std::string_view line, Actions& actions) {
  json_.begin(line);
  while (const boost::json::object* object = json_.next()) on_object(*object, actions);
  if (!json_.malformed().empty()) actions.emit(Malformed{json_.malformed()});
}

void OneShotProtocol::session_started(std::string_view session_id, std::string_view model,
                                      std::string_view cwd, Actions& actions) {
  if (session_emitted_ || session_id.empty()) return;
  session_emitted_ = true;
  actions.emit(
      SessionStarted{session_id, model.empty() ? std::string_view(request_.model) : model, cwd});
}

void OneShotProtocol::complete(std::string_view text) {
  final_text_ = text;
}

void OneShotProtocol::fail(AgentFailure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void OneShotProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (!in_turn_) return;
  if (final_text_ && !failure_) return end_turn(Outcome::Done, *final_text_, actions);
  if (cancelled_) return end_turn(Outcome::Cancelled, {}, actions);
  if (!failure_) failure_ = failure_of_exit(status);
  actions.emit(Failure{failure_->kind, failure_->message});
  end_turn(Outcome::Failed, {}, actions);
}

void OneShotProtocol::cancel(Actions& actions) {
  if (!in_turn_) return;
  cancelled_ = true;
  actions.send_signal(Signal::Interrupt);
}

void OneShotProtocol::answer(std::string_view, std::string_view, Actions&) {}

void OneShotProtocol::end_turn(Outcome outcome, std::string_view text, Actions& actions) {
  in_turn_ = false;
  actions.emit(TurnEnded{outcome, text});
}

AgentFailure OneShotProtocol::failure_of_exit(const ExitStatus& status) const {
  const std::string said = last_lines(status.stderr_tail);
  const FailureKind kind = kind_of_words(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said,
                       spec_);
}

AgentFailure failure_in_words(std::string_view text, FailureKind otherwise, const AgentSpec& spec) {
  const FailureKind kind = kind_of_words(text);
  return describe_failure(kind == FailureKind::Unknown ? otherwise : kind, text, spec);
}

}  // namespace agent_doc::plugins
