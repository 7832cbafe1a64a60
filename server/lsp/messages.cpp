#include "server/lsp/messages.hpp"

#include "server/text/utf8.hpp"

#include <string>

namespace agent_doc::lsp {

namespace messages_internal {

struct Severity {
  protocol::MessageType type;
  LogLevel level;
};

Severity severity_of(session::MessageKind kind) {
  switch (kind) {
    case session::MessageKind::Info:
      return {protocol::MessageType::Info, LogLevel::Info};
    case session::MessageKind::Warning:
      return {protocol::MessageType::Warning, LogLevel::Warning};
    case session::MessageKind::Error:
      break;
  }
  return {protocol::MessageType::Error, LogLevel::Error};
}

}  // namespace messages_internal

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::size_t kept = text::floor_boundary(text, limit);
  return std::string(text.substr(0, kept)) + "… (" + std::to_string(text.size() - kept) + " more bytes)";
}

void Messages::show(session::MessageKind kind, std::string_view message) {
  const auto severity = messages_internal::severity_of(kind);
  const std::string text = shortened(message, kMaxMessageBytes);
  environment_.log(severity.level, text);
  client_.endpoint->notify("window/showMessage", protocol::encode_message(severity.type, text));
}

void Messages::log(std::string_view line) {
  const std::string text = shortened(line, kMaxMessageBytes);
  environment_.log(LogLevel::Debug, text);
  client_.endpoint->notify("window/logMessage", protocol::encode_message(protocol::MessageType::Log, text));
}

}  // namespace agent_doc::lsp
