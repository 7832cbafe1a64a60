#include "plugins/codex/codex_failure.hpp"

#include "plugins/codex/codex_items.hpp"
#include "plugins/failure_words.hpp"
#include "plugins/json_line.hpp"
#include "server/text/shortened.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxMessage = 2000;

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

FailureKind kind_of_text(std::string_view text) {
  return says_session_unknown(text) ? FailureKind::SessionUnknown : kind_of_words(text);
}

FailureKind kind_of_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, FailureKind>, 14> kKinds = {{
      {"badRequest", FailureKind::Invalid},
      {"contextWindowExceeded", FailureKind::ContextFull},
      {"cyberPolicy", FailureKind::Refused},
      {"flexUnavailable", FailureKind::RateLimit},
      {"inferenceHookDenied", FailureKind::Refused},
      {"internalServerError", FailureKind::Network},
      {"misalignmentPolicyViolation", FailureKind::Refused},
      {"modelNotFound", FailureKind::Invalid},
      {"policyCapacityUnavailable", FailureKind::RateLimit},
      {"rateLimitExceeded", FailureKind::RateLimit},
      {"serverOverloaded", FailureKind::RateLimit},
      {"sessionBudgetExceeded", FailureKind::RateLimit},
      {"unauthorized", FailureKind::Auth},
      {"usageLimitExceeded", FailureKind::RateLimit},
  }};
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [name](const auto& kind) { return kind.first == name; });
  return found != kKinds.end() ? found->second : FailureKind::Unknown;
}

/// `codexErrorInfo` is a name, or for failed connections an object with a name and possibly the
/// HTTP status.
FailureKind kind_of_info(const boost::json::object& error) {
  const boost::json::object* info = object_of(error, "codexErrorInfo");
  if (info == nullptr) return kind_of_name(string_of(error, "codexErrorInfo"));
  if (info->empty()) return FailureKind::Unknown;
  const boost::json::object* details = info->begin()->value().if_object();
  const FailureKind kind =
      kind_of_status(details != nullptr ? integer_of(*details, "httpStatusCode", 0) : 0);
  if (kind != FailureKind::Unknown) return kind;
  const std::string_view name = info->begin()->key();
  return has_any(name, {"Connection", "Disconnected", "FailedAttempts"}) ? FailureKind::Network
                                                                         : FailureKind::Unknown;
}

/// Returns the message in {"error": {"message": "…"}}, or the text itself when it is anything else.
std::string readable(std::string_view text) {
  JsonLine reader;
  reader.begin(text);
  const boost::json::object* body = reader.next();
  const boost::json::object* error = body != nullptr ? object_of(*body, "error") : nullptr;
  const std::string_view message =
      error != nullptr ? string_of(*error, "message") : std::string_view();
  return text::shortened(message.empty() ? text : message, kMaxMessage);
}

}  // namespace

AgentFailure codex_failure_of_text(std::string_view text, const AgentSpec& spec) {
  return describe_failure(kind_of_text(text), readable(text), spec);
}

AgentFailure codex_failure_of_error(const boost::json::object& error, const AgentSpec& spec) {
  const std::string_view message = string_of(error, "message");
  const FailureKind kind = kind_of_info(error);
  if (kind == FailureKind::Unknown) return codex_failure_of_text(message, spec);
  return describe_failure(kind, readable(message), spec);
}

AgentFailure codex_failure_of_start(SessionStart start, std::string_view text,
                                    const AgentSpec& spec) {
  FailureKind kind = kind_of_text(text);
  const bool unsupported =
      (kind == FailureKind::Unknown || kind == FailureKind::Invalid) && start == SessionStart::Fork;
  if (unsupported) kind = FailureKind::ForkUnsupported;
  const bool wrong_model =
      text.find("model") != std::string_view::npos;  // a new session would not help
  const bool refused =
      kind == FailureKind::Unknown || (kind == FailureKind::Invalid && !wrong_model);
  if (start == SessionStart::Resume && refused)
    kind = FailureKind::SessionUnknown;  // a new session may work
  if (kind == FailureKind::SessionUnknown && start == SessionStart::New)
    kind = FailureKind::Unknown;
  return describe_failure(kind, readable(text), spec);
}

AgentFailure codex_failure_of_exit(const ExitStatus& status, const AgentSpec& spec) {
  const std::string said = last_lines(status.stderr_tail);
  const FailureKind kind = kind_of_text(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said,
                       spec);
}

std::string codex_retry_text(std::string_view message, std::string_view reason) {
  constexpr std::string_view kReconnecting = "Reconnecting... ";
  if (!message.starts_with(kReconnecting)) return "retrying: " + std::string(message);
  message.remove_prefix(kReconnecting.size());
  const std::size_t bracket = message.find(" (");
  if (reason.empty() && bracket != std::string_view::npos && message.ends_with(')')) {
    reason = message.substr(bracket + 2, message.size() - bracket - 3);
    message = message.substr(0, bracket);
  }
  std::string text = "retrying (" + std::string(message) + ")";
  if (!reason.empty()) text.append(": ").append(reason);
  return text;
}

}  // namespace agent_doc::plugins
