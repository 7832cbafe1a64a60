#include "plugins/claude_failure.hpp"

#include "plugins/json_line.hpp"
#include "plugins/rate_limit.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace agent_doc::plugins {
namespace claude_failure_internal {

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

AgentFailure failure_of_error(const ClaudeError& error, const AgentSpec& spec) {
  return describe_failure(claude_failure_internal::kind_of(error), with_limit_in_words(error.text), spec);
}

AgentFailure failure_of_result(const boost::json::object& result, const ClaudeError& said, const AgentSpec& spec) {
  ClaudeError error = said;
  if (error.text.empty()) error.text = claude_failure_internal::text_of_result(result);
  if (error.status == 0) error.status = integer_of(result, "api_error_status", 0);
  return failure_of_error(error, spec);
}

AgentFailure failure_of_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = last_lines(status.stderr_tail);
  const FailureKind kind = claude_failure_internal::kind_of_text(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said, spec);
}

AgentFailure failure_of_stop_reason(std::string_view stop_reason, const AgentSpec& spec) {
  if (stop_reason == "refusal") return describe_failure(FailureKind::Refused, "The model refused to answer", spec);
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return describe_failure(FailureKind::MaxTokens, "The answer reached the limit of its length", spec);
  }
  return {};
}

}  // namespace agent_doc::plugins
