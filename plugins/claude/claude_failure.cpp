#include "plugins/claude/claude_failure.hpp"

#include "plugins/failure_words.hpp"
#include "plugins/json_line.hpp"
#include "plugins/rate_limit.hpp"

namespace agent_doc::plugins {
namespace {

/// A malformed session id gives another error.
bool says_no_conversation(std::string_view text) {
  return text.find("No conversation found") != std::string_view::npos;
}

FailureKind kind_of_text(std::string_view text) {
  return says_no_conversation(text) ? FailureKind::SessionUnknown : kind_of_words(text);
}

FailureKind kind_of_name(std::string_view name) {
  if (name == "authentication_failed") return FailureKind::Auth;
  if (name == "billing_error") return FailureKind::NoCredit;
  if (name == "rate_limit") return FailureKind::RateLimit;
  if (name == "invalid_request") return FailureKind::Invalid;
  if (name == "server_error") return FailureKind::Network;
  if (name == "max_output_tokens") return FailureKind::MaxTokens;
  return FailureKind::Unknown;
}

/// The name of the error says the least: "invalid_request" also means a prompt that is too long.
FailureKind kind_of(const ClaudeError& error) {
  if (says_no_conversation(error.text)) return FailureKind::SessionUnknown;
  const FailureKind by_text = kind_of_failure(error.status, error.text);
  return by_text == FailureKind::Unknown ? kind_of_name(error.error) : by_text;
}

std::string text_of_result(const boost::json::object& result) {
  if (const boost::json::array* errors = array_of(result, "errors");
      errors != nullptr && !errors->empty()) {
    if (const boost::json::string* first = errors->front().if_string())
      return std::string(first->begin(), first->end());
  }
  if (const std::string_view text = string_of(result, "result"); !text.empty())
    return std::string(text);
  const std::string_view subtype = string_of(result, "subtype");
  if (subtype == "error_max_turns") return "The agent reached its limit of rounds in one turn";
  if (subtype == "error_max_budget_usd") return "The agent reached its limit of costs";
  return "The turn ended with an error (" + std::string(subtype) + ")";
}

}  // namespace

AgentFailure failure_of_error(const ClaudeError& error, const AgentSpec& spec) {
  return describe_failure(kind_of(error), with_limit_in_words(error.text), spec);
}

AgentFailure failure_of_result(const boost::json::object& result, const ClaudeError& said,
                               const AgentSpec& spec) {
  ClaudeError error = said;
  if (error.text.empty()) error.text = text_of_result(result);
  if (error.status == 0) error.status = integer_of(result, "api_error_status", 0);
  return failure_of_error(error, spec);
}

AgentFailure failure_of_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = last_lines(status.stderr_tail);
  const FailureKind kind = kind_of_text(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said,
                       spec);
}

AgentFailure failure_of_stop_reason(std::string_view stop_reason, const AgentSpec& spec) {
  if (stop_reason == "refusal")
    return describe_failure(FailureKind::Refused, "The model refused to answer", spec);
  if (stop_reason == "model_context_window_exceeded") {
    return describe_failure(FailureKind::ContextFull,
                            "The answer reached the end of what the model can read at once", spec);
  }
  if (stop_reason == "max_tokens") {
    return describe_failure(FailureKind::MaxTokens, "The answer reached the limit of its length",
                            spec);
  }
  return {};
}

}  // namespace agent_doc::plugins
