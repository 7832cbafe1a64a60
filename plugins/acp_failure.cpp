#include "plugins/acp_failure.hpp"

#include "plugins/rate_limit.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>

namespace agent_doc::plugins {
namespace acp_failure_internal {

/// Lower case, ASCII only: the words that are looked for are English.
std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&text](std::string_view part) { return text.find(part) != std::string::npos; });
}

FailureKind kind_of_words(std::string_view said) {
  const std::string text = lower(said);
  if (has_any(text, {"no conversation found", "session not found", "invalid session identifier"})) return FailureKind::SessionUnknown;
  if (has_any(text,
              {"authentication", "unauthorized", "api key", "not logged in", "/login", "oauth", "credit balance", "permission_denied"})) {
    return FailureKind::Auth;
  }
  if (has_any(text, {"output token maximum", "max_output_tokens", "maximum output"})) return FailureKind::MaxTokens;
  if (has_any(text, {"rate limit", "rate-limit", "usage limit", "limit reached", "quota", "resource_exhausted", "overloaded",
                     "too many requests"})) {
    return FailureKind::RateLimit;
  }
  if (has_any(text,
              {"connection", "unable to connect", "network", "timed out", "timeout", "fetch failed", "econn", "enotfound", "socket"})) {
    return FailureKind::Network;
  }
  if (has_any(text, {"usage policy", "content filter", "safety", "refus"})) return FailureKind::Refused;
  if (has_any(text, {"invalid request", "invalid_request", "invalid_argument", "too long", "context length", "model not found",
                     "unknown model", "invalid model", "issue with the selected model"})) {
    return FailureKind::Invalid;
  }
  return FailureKind::Unknown;
}

FailureKind kind_of_status(std::int64_t status) {
  if (status == 401 || status == 403) return FailureKind::Auth;
  if (status == 429 || status == 529) return FailureKind::RateLimit;
  if (status == 408 || (status >= 500 && status < 600)) return FailureKind::Network;
  if (status >= 400 && status < 500) return FailureKind::Invalid;
  return FailureKind::Unknown;
}

/// "… API Error: 400 …" -> 400
std::int64_t status_in(std::string_view text) {
  constexpr std::string_view kBefore = "API Error: ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string_view::npos) return 0;
  const std::string_view number = text.substr(at + kBefore.size(), 3);
  std::int64_t status = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), status);
  return error == std::errc() && end == number.data() + number.size() ? status : 0;
}

FailureKind kind_of_name(std::string_view name) {
  if (name == "ProviderAuthError") return FailureKind::Auth;
  if (name == "MessageOutputLengthError") return FailureKind::MaxTokens;
  if (name == "ContentFilterError") return FailureKind::Refused;
  if (name == "ContextOverflowError") return FailureKind::Invalid;
  return FailureKind::Unknown;
}

/// `{"error": {"message": TEXT}}` or `{"message": TEXT}` at the end of `text` -> what stands before it and TEXT.
std::string without_json(std::string_view text) {
  const std::size_t brace = text.find('{');
  if (brace == std::string_view::npos) return std::string(text);
  JsonLine json;
  json.begin(text.substr(brace));
  const boost::json::object* object = json.next();
  if (object == nullptr) return std::string(text);
  const boost::json::object* error = object_of(*object, "error");
  const std::string_view message = string_of(error != nullptr ? *error : *object, "message");
  if (message.empty()) return std::string(text);
  return std::string(text.substr(0, brace)) + std::string(message);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string_view detail_of(const RpcError& error) {
  if (error.data == nullptr) return {};
  if (const boost::json::string* text = error.data->if_string()) return {text->data(), text->size()};
  const boost::json::object* data = error.data->if_object();
  if (data == nullptr) return {};
  for (const std::string_view key : {"details", "message", "error"}) {
    if (const std::string_view text = string_of(*data, key); !text.empty()) return text;
  }
  return {};
}

}  // namespace acp_failure_internal

std::string text_of_error(const RpcError& error) {
  constexpr std::string_view kGeneric = "Internal error";
  std::string_view text = error.message;
  if (text.starts_with(kGeneric)) {
    text.remove_prefix(kGeneric.size());
    if (text.starts_with(": ")) text.remove_prefix(2);
    if (text.empty()) text = acp_failure_internal::first_line(acp_failure_internal::detail_of(error));
    if (text.empty()) text = kGeneric;
  }
  return with_limit_in_words(acp_failure_internal::without_json(text));
}

AgentFailure failure_of_acp_error(const RpcError& error, const AgentSpec& spec) {
  const std::string text = text_of_error(error);
  const boost::json::object* data = error.data != nullptr ? error.data->if_object() : nullptr;
  FailureKind kind = error.code == kAcpAuthRequired ? FailureKind::Auth : acp_failure_internal::kind_of_status(error.code);
  if (kind == FailureKind::Unknown && data != nullptr) kind = acp_failure_internal::kind_of_name(string_of(*data, "errorName"));
  if (kind == FailureKind::Unknown) kind = acp_failure_internal::kind_of_status(acp_failure_internal::status_in(error.message));
  if (kind == FailureKind::Unknown) kind = acp_failure_internal::kind_of_words(text);
  return describe_failure(kind, text, spec);
}

AgentFailure failure_of_acp_login(const RpcError& error, std::string_view ways, const AgentSpec& spec) {
  std::string text = text_of_error(error);
  if (!ways.empty()) text.append(" (").append(ways).append(")");
  return describe_failure(FailureKind::Auth, text, spec);
}

AgentFailure failure_of_acp_stop(std::string_view stop_reason, const AgentSpec& spec) {
  if (stop_reason == "refusal") return describe_failure(FailureKind::Refused, "The model refused to answer", spec);
  if (stop_reason == "max_tokens") return describe_failure(FailureKind::MaxTokens, "The answer reached the limit of its length", spec);
  if (stop_reason == "max_turn_requests") {
    return describe_failure(FailureKind::Unknown, "The agent reached its limit of rounds in one turn", spec);
  }
  return {};
}

AgentFailure failure_of_acp_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = last_lines(status.stderr_tail);
  const bool is_login = acp_failure_internal::kind_of_words(said) == FailureKind::Auth;
  return describe_exit(is_login ? FailureKind::Auth : FailureKind::Crashed, status, said, spec);
}

}  // namespace agent_doc::plugins
