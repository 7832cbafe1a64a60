#include "plugins/claude_failure.hpp"

#include "plugins/json_line.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

namespace agent_doc::plugins {
namespace claude_failure_internal {

constexpr std::size_t kStderrLines = 5;
constexpr std::size_t kMaxStderr = 1000;

constexpr std::string_view kUnknownSession = "No conversation found";

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

FailureKind kind_of_text(std::string_view text) {
  if (has_any(text, {kUnknownSession})) return FailureKind::SessionUnknown;
  if (has_any(text, {"/login", "Invalid API key", "Not logged in", "OAuth token", "Credit balance"})) return FailureKind::Auth;
  if (has_any(text, {"output token maximum", "max_output_tokens"})) return FailureKind::MaxTokens;
  if (has_any(text, {"Usage Policy", "unable to respond to this request"})) return FailureKind::Refused;
  if (has_any(text, {"limit reached", "usage limit", "rate limit", "Overloaded"})) return FailureKind::RateLimit;
  if (has_any(text, {"Prompt is too long", "issue with the selected model", "invalid model"})) return FailureKind::Invalid;
  if (has_any(text, {"Connection error", "Unable to connect", "timed out", "fetch failed", "ECONN", "ENOTFOUND"}))
    return FailureKind::Network;
  return FailureKind::Unknown;
}

FailureKind kind_of(const ClaudeError& error) {
  const FailureKind by_text = kind_of_text(error.text);
  if (by_text == FailureKind::MaxTokens || by_text == FailureKind::Refused) return by_text;
  if (error.status == 401 || error.status == 403) return FailureKind::Auth;
  if (error.status == 429 || error.status == 529) return FailureKind::RateLimit;
  if (error.status >= 500) return FailureKind::Network;
  if (error.status >= 400) return FailureKind::Invalid;
  if (error.error == "authentication_failed" || error.error == "billing_error") return FailureKind::Auth;
  if (error.error == "rate_limit") return FailureKind::RateLimit;
  if (error.error == "invalid_request") return FailureKind::Invalid;
  if (error.error == "server_error") return FailureKind::Network;
  if (error.error == "max_output_tokens") return FailureKind::MaxTokens;
  return by_text;
}

std::string advice(FailureKind kind, const AgentSpec& spec) {
  switch (kind) {
    case FailureKind::Auth:
      return "Start `" + spec.command + "` in a terminal and log in with /login, or mend its API key; then run again.";
    case FailureKind::RateLimit:
      return "Wait a while, then run again.";
    case FailureKind::Invalid:
      return "Check the model and the prompt, then run again.";
    case FailureKind::Network:
      return "Check the connection, then run again.";
    case FailureKind::Refused:
      return "Change the prompt, or go on in a new session.";
    case FailureKind::MaxTokens:
      return "The reply is cut; ask it to go on, or for a shorter answer.";
    case FailureKind::SessionUnknown:
      return "To begin a new session, take `resume` out of the front matter (command agentDoc.newSession), then run again.";
    case FailureKind::Crashed:
      return "`agent-doc doctor` shows whether it starts.";
    case FailureKind::Unknown:
      return "Run again; `agent-doc doctor` shows whether the agent works.";
  }
  return {};
}

ClaudeFailure failure(FailureKind kind, std::string_view text, const AgentSpec& spec) {
  std::string message = spec.name + ": ";
  message.append(text);
  if (!text.empty() && std::string_view(".!?…").find(text.back()) == std::string_view::npos) message.push_back('.');
  return {kind, message + " " + advice(kind, spec)};
}

std::string last_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kStderrLines) {
    const std::size_t newline = text.find_last_of('\n');
    const std::string_view line = newline == std::string_view::npos ? text : text.substr(newline + 1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(0, newline);
  }
  std::string joined;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!joined.empty()) joined.push_back('\n');
    joined.append(*line);
  }
  if (joined.size() > kMaxStderr) {
    std::size_t begin = joined.size() - kMaxStderr;
    while (begin < joined.size() && (static_cast<unsigned char>(joined[begin]) & 0xC0) == 0x80) ++begin;
    joined = "…" + joined.substr(begin);
  }
  return joined;
}

std::string text_of_result(const boost::json::object& result) {
  if (const boost::json::array* errors = array_of(result, "errors"); errors != nullptr && !errors->empty()) {
    if (const boost::json::string* first = errors->front().if_string()) return std::string(first->begin(), first->end());
  }
  if (const std::string_view text = string_of(result, "result"); !text.empty()) return std::string(text);
  const std::string_view subtype = string_of(result, "subtype");
  if (subtype == "error_max_turns") return "The agent reached its limit of rounds in one turn";
  if (subtype == "error_max_budget_usd") return "The agent reached its limit of costs";
  return "The turn ended with an error (" + std::string(subtype) + ")";
}

}  // namespace claude_failure_internal

ClaudeFailure failure_of_error(const ClaudeError& error, const AgentSpec& spec) {
  return claude_failure_internal::failure(claude_failure_internal::kind_of(error), error.text, spec);
}

ClaudeFailure failure_of_result(const boost::json::object& result, const ClaudeError& said, const AgentSpec& spec) {
  ClaudeError error = said;
  if (error.text.empty()) error.text = claude_failure_internal::text_of_result(result);
  if (error.status == 0) error.status = integer_of(result, "api_error_status", 0);
  return failure_of_error(error, spec);
}

ClaudeFailure failure_of_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = claude_failure_internal::last_lines(status.stderr_tail);
  FailureKind kind = claude_failure_internal::kind_of_text(said);
  if (kind == FailureKind::Unknown) kind = FailureKind::Crashed;
  std::string text = "The agent ended before the turn did (";
  text += status.signal != 0 ? "signal " + std::to_string(status.signal) : "exit code " + std::to_string(status.code);
  text += ")";
  if (!said.empty()) text += ": " + said;
  return claude_failure_internal::failure(kind, text, spec);
}

ClaudeFailure failure_of_stop_reason(std::string_view stop_reason, const AgentSpec& spec) {
  if (stop_reason == "refusal") return claude_failure_internal::failure(FailureKind::Refused, "The model refused to answer", spec);
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return claude_failure_internal::failure(FailureKind::MaxTokens, "The answer reached the limit of its length", spec);
  }
  return {};
}

}  // namespace agent_doc::plugins
