#include "plugins/acp/acp_service_words.hpp"

#include "plugins/codex/codex_failure.hpp"
#include "plugins/failure_words.hpp"
#include "plugins/json_line.hpp"

#include <string_view>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::string_view kCopilotError = "Error: ";
constexpr std::string_view kCopilotInfo = "Info: ";
constexpr std::string_view kGooseError = "Ran into this error: ";

std::string_view text_of_chunk(const boost::json::object& update) {
  if (string_of(update, "sessionUpdate") != "agent_message_chunk") return {};
  const boost::json::object* content = object_of(update, "content");
  return content != nullptr && string_of(*content, "type") == "text" ? string_of(*content, "text")
                                                                     : std::string_view();
}

/// Returns `_meta.NAME`.
const boost::json::object* meta_of(const boost::json::object& update, std::string_view name) {
  const boost::json::object* meta = object_of(update, "_meta");
  return meta != nullptr ? object_of(*meta, name) : nullptr;
}

/// Returns true when the agent says or does something, rather than reporting on the session.
bool goes_on(const boost::json::object& update) {
  const std::string_view type = string_of(update, "sessionUpdate");
  return type == "agent_message_chunk" || type == "agent_thought_chunk" ||
         type.starts_with("tool_call") || type == "plan";
}

/// Returns the error without the surrounding words and without the program's advice below it.
std::string_view without_frame(std::string_view text) {
  for (const std::string_view before : {kCopilotError, kGooseError}) {
    if (text.starts_with(before)) text.remove_prefix(before.size());
  }
  text = text.substr(0, text.find("\n\n"));
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

/// Recognises copilot's own words, which come in complete chunks; a model's come in pieces.
AcpServiceWords::Heard heard_of_copilot(std::string_view text) {
  using Is = AcpServiceWords::Heard::Is;
  if (!text.starts_with(kCopilotInfo) || text.find('\n') != std::string_view::npos) return {};
  const std::string_view said = text.substr(kCopilotInfo.size());
  if (said.starts_with("Response was interrupted") && said.ends_with("etrying..."))
    return {Is::RetryAnew, std::string(said)};
  if (said.ends_with("etrying...")) return {Is::Retry, std::string(said)};
  if (said == "Operation cancelled by user") return {Is::Status, std::string(said)};
  return {};
}

}  // namespace

void AcpServiceWords::begin_turn() {
  service_failed_ = false;
  after_tool_ = false;
  held_.reset();
}

AcpServiceWords::Heard AcpServiceWords::hear(const boost::json::object& update) {
  if (telling_ == Telling::None) return {};
  const bool follows_tool = after_tool_;
  if (goes_on(update)) after_tool_ = string_of(update, "sessionUpdate").starts_with("tool_call");
  if (telling_ == Telling::ThreadStatus &&
      string_of(update, "sessionUpdate") == "session_info_update")
    return heard_status(update);
  const std::string_view text = text_of_chunk(update);
  if (text.empty()) return {};
  if (telling_ == Telling::NoUsage) {
    if (Heard heard = heard_of_copilot(text); heard.is != Heard::Is::Content) return heard;
  }
  if (text.size() > kMaxServiceWords || !is_error(update, text)) return {};
  held_.emplace(update, boost::json::storage_ptr());  // a copy: the line that it is in goes away
  held_after_tool_ = follows_tool;
  return {Heard::Is::Held, {}};
}

bool AcpServiceWords::is_error(const boost::json::object& update, std::string_view text) const {
  if (telling_ == Telling::ThreadStatus) return service_failed_;
  if (telling_ == Telling::NoUsage) return text.starts_with(kCopilotError);
  const boost::json::object* goose = meta_of(update, "goose");
  return goose != nullptr && !goose->contains("messageId") && text.starts_with(kGooseError);
}

AcpServiceWords::Heard AcpServiceWords::heard_status(const boost::json::object& update) {
  const boost::json::object* codex = meta_of(update, "codex");
  if (codex == nullptr) return {};
  if (const boost::json::object* status = object_of(*codex, "threadStatus"))
    service_failed_ = string_of(*status, "type") == "systemError";
  const boost::json::object* error = object_of(*codex, "error");
  if (error == nullptr || string_of(*error, "message").empty()) return {};
  const bool comes_anew =
      is_true(*error, "willRetry");  // what was complete has an item of its own, and stays
  return {comes_anew ? Heard::Is::RetryAnew : Heard::Is::Retry,
          codex_retry_text(string_of(*error, "message"), string_of(*error, "additionalDetails"))};
}

std::optional<boost::json::object> AcpServiceWords::release_before(
    const boost::json::object& update) {
  return goes_on(update) ? release() : std::nullopt;
}

std::optional<boost::json::object> AcpServiceWords::release() {
  return std::exchange(held_, std::nullopt);
}

std::string AcpServiceWords::take_error(const boost::json::object& result) {
  if (!held_) return {};
  const std::string text(without_frame(text_of_chunk(*held_)));
  const bool tells_tokens = telling_ == Telling::NoUsage && object_of(result, "usage") != nullptr;
  if (tells_tokens && (!held_after_tool_ || kind_of_words(text) == FailureKind::Unknown)) return {};
  if (!text.empty()) held_.reset();
  return text;
}

}  // namespace agent_doc::plugins
