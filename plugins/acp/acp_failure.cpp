#include "plugins/acp/acp_failure.hpp"

#include "plugins/failure_words.hpp"
#include "plugins/rate_limit.hpp"

namespace agent_doc::plugins {
namespace {

FailureKind kind_of_name(std::string_view name) {
  if (name == "ProviderAuthError") return FailureKind::Auth;
  if (name == "MessageOutputLengthError") return FailureKind::MaxTokens;
  if (name == "ContentFilterError") return FailureKind::Refused;
  if (name == "ContextOverflowError") return FailureKind::ContextFull;
  return FailureKind::Unknown;
}

/// Replaces `{"error": {"message": TEXT}}` or `{"message": TEXT}` at the end of `text` by TEXT.
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
  if (const boost::json::string* text = error.data->if_string())
    return {text->data(), text->size()};
  const boost::json::object* data = error.data->if_object();
  if (data == nullptr) return {};
  for (const std::string_view key : {"details", "message", "error"}) {
    if (const std::string_view text = string_of(*data, key); !text.empty()) return text;
  }
  return {};
}

}  // namespace

std::string text_of_error(const RpcError& error) {
  constexpr std::string_view kGeneric = "Internal error";
  std::string_view text = error.message;
  if (text.starts_with(kGeneric)) {
    text.remove_prefix(kGeneric.size());
    if (text.starts_with(": ")) text.remove_prefix(2);
    if (text.empty()) text = first_line(detail_of(error));
    if (text.empty()) text = kGeneric;
  }
  return with_limit_in_words(without_json(text));
}

AgentFailure failure_of_acp_error(const RpcError& error, const AgentSpec& spec) {
  const std::string text = text_of_error(error);
  const boost::json::object* data = error.data != nullptr ? error.data->if_object() : nullptr;
  FailureKind kind = error.code == kAcpAuthRequired ? FailureKind::Auth : FailureKind::Unknown;
  if (kind == FailureKind::Unknown && data != nullptr)
    kind = kind_of_name(string_of(*data, "errorName"));
  if (kind == FailureKind::Unknown && says_session_unknown(text))
    kind = FailureKind::SessionUnknown;
  if (kind == FailureKind::Unknown) kind = kind_of_failure(error.code, text);
  return describe_failure(kind, text, spec);
}

AgentFailure failure_of_acp_login(const RpcError& error, std::string_view ways,
                                  const AgentSpec& spec) {
  std::string text = text_of_error(error);
  if (!ways.empty()) text.append(" (").append(ways).append(")");
  return describe_failure(FailureKind::Auth, text, spec);
}

AgentFailure failure_of_acp_stop(std::string_view stop_reason, const AgentSpec& spec) {
  if (stop_reason == "refusal")
    return describe_failure(FailureKind::Refused, "The model refused to answer", spec);
  if (stop_reason == "max_tokens")
    return describe_failure(FailureKind::MaxTokens, "The answer reached the limit of its length",
                            spec);
  if (stop_reason == "max_turn_requests") {
    return describe_failure(FailureKind::Unknown,
                            "The agent reached its limit of rounds in one turn", spec);
  }
  return {};
}

AgentFailure failure_of_acp_words(std::string_view error, const AgentSpec& spec) {
  const std::string text = without_json(error);
  return describe_failure(kind_of_words(text), text, spec);
}

AgentFailure failure_of_acp_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = last_lines(status.stderr_tail);
  const FailureKind kind = kind_of_words(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said,
                       spec);
}

}  // namespace agent_doc::plugins
