#include "server/lsp/messages.hpp"

#include "server/text/shortened.hpp"
#include "server/text/utf8.hpp"

#include <string>

namespace agent_doc::lsp {

namespace {

protocol::MessageType type_of(session::MessageKind kind) {
  switch (kind) {
    case session::MessageKind::Info:
      return protocol::MessageType::Info;
    case session::MessageKind::Warning:
      return protocol::MessageType::Warning;
    case session::MessageKind::Error:
      break;
  }
  return protocol::MessageType::Error;
}

}  // namespace

std::string missing_apply_edit_message(const Client& client) {
  const std::string name = client.name.empty() ? "This client" : client.name;
  return name +
         " does not let a language server change documents (capability workspace.applyEdit), so a "
         "reply cannot be "
         "written here. Save the document and use `agent-doc run FILE` in a terminal.";
}

void Messages::show(session::MessageKind kind, std::string_view message) {
  const std::string text = text::shortened(message, kMaxMessageBytes);
  environment_.log(LogLevel::Info, text);  // the user sees it anyway
  client_.endpoint->notify("window/showMessage", protocol::encode_message(type_of(kind), text));
}

void Messages::log(std::string_view line) {
  const std::string text = text::shortened(line, kMaxMessageBytes);
  environment_.log(LogLevel::Debug, text);
  client_.endpoint->notify("window/logMessage",
                           protocol::encode_message(protocol::MessageType::Log, text));
}

}  // namespace agent_doc::lsp
