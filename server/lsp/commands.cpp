#include "server/lsp/commands.hpp"

#include <cassert>
#include <utility>

namespace agent_doc::lsp {

namespace commands_internal {

protocol::RefusalReason reason_of(session::RefusalKind kind) {
  switch (kind) {
    case session::RefusalKind::Busy:
      return protocol::RefusalReason::Busy;
    case session::RefusalKind::NothingToSend:
      return protocol::RefusalReason::NothingToSend;
    case session::RefusalKind::UnknownAgent:
      return protocol::RefusalReason::UnknownAgent;
    case session::RefusalKind::NoSession:
      return protocol::RefusalReason::NoSession;
    case session::RefusalKind::NotOpen:
      return protocol::RefusalReason::NotOpen;
    case session::RefusalKind::Invalid:
      break;
  }
  return protocol::RefusalReason::Invalid;
}

}  // namespace commands_internal

void Commands::add(std::string_view name, Handler handler) {
  [[maybe_unused]] const bool is_new = handlers_.emplace(name, std::move(handler)).second;
  assert(is_new);
}

std::vector<std::string> Commands::names() const {
  std::vector<std::string> result;
  for (const auto& [name, handler] : handlers_) result.push_back(name);
  return result;
}

void Commands::bind(protocol::Endpoint& endpoint) {
  endpoint.on_request("workspace/executeCommand", [this](const boost::json::value& params, protocol::Replier reply) {
    const auto call = protocol::decode_execute_command(params);
    const auto handler = handlers_.find(call.command);
    if (handler == handlers_.end()) {
      throw protocol::Fields(params, "params")
          .invalid("command", "one of the commands that agent-doc announced, not \"" + call.command + "\"");
    }
    handler->second(protocol::Fields(call.argument, "arguments[0]"), std::move(reply));
  });
}

protocol::Error to_error(const session::Refusal& refusal) {
  return protocol::refused(commands_internal::reason_of(refusal.kind), refusal.message);
}

protocol::Error not_open(const std::string& uri) {
  return protocol::refused(protocol::RefusalReason::NotOpen,
                           uri + " is not open in this editor, or is no markdown document (.md, .markdown): open it and try again");
}

}  // namespace agent_doc::lsp
