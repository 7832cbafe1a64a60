#include "server/lsp/commands.hpp"

#include "server/lsp/documents/documents.hpp"
#include "server/lsp/messages.hpp"
#include "server/session/document_problems.hpp"
#include "server/text/shortened.hpp"

#include <boost/json/object.hpp>

#include <cassert>
#include <utility>

namespace agent_doc::lsp {

namespace {

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

/// Returns the document that a command without a `uri` means, because editors in which the user
/// types a command or binds it to a key cannot always name one.
const Document* implied_document(const Documents& documents) {
  std::vector<const Document*> shown;
  std::vector<const Document*> of_ours;
  for (const Document* document : documents.all()) {
    if (!document->is_shown()) continue;
    shown.push_back(document);
    if (session::is_session_document(document->session())) of_ours.push_back(document);
  }
  if (of_ours.empty()) of_ours = std::move(shown);
  return of_ours.size() == 1 ? of_ours.front() : nullptr;
}

void complete(boost::json::value& argument, const Documents& documents) {
  boost::json::object* fields = argument.if_object();
  if (fields == nullptr || fields->contains("uri")) return;
  if (const Document* document = implied_document(documents))
    (*fields)["uri"] = document->place().uri;
}

}  // namespace

void Commands::add(std::string_view name, Target target, Handler handler) {
  [[maybe_unused]] const bool is_new =
      commands_.emplace(name, Command{target, std::move(handler)}).second;
  assert(is_new);
}

std::vector<std::string> Commands::names() const {
  std::vector<std::string> result;
  for (const auto& [name, command] : commands_) result.push_back(name);
  return result;
}

void Commands::bind(protocol::Endpoint& endpoint, const Documents& documents) {
  endpoint.on_request(
      "workspace/executeCommand",
      [this, &documents](const boost::json::value& params, protocol::Replier reply) {
        auto call = protocol::decode_execute_command(params);
        const auto command = commands_.find(call.command);
        if (command == commands_.end()) {
          throw protocol::Fields(params, "params")
              .invalid("command", "one of the commands that agent-doc announced, not \"" +
                                      call.command + "\"");
        }
        if (command->second.target == Target::Document) complete(call.argument, documents);
        command->second.handler(protocol::Fields(call.argument, "arguments[0]"), std::move(reply));
      });
}

protocol::Error to_error(const session::Refusal& refusal) {
  return protocol::refused(reason_of(refusal.kind), refusal.message);
}

void refuse(const Client& client, protocol::Replier reply, const protocol::Error& error) {
  if (!client.can.turn) {
    const std::string message = text::shortened(error.message, kMaxMessageBytes);
    client.endpoint->notify("window/showMessage",
                            protocol::encode_message(protocol::MessageType::Warning, message));
  }
  reply.error(error);
}

protocol::Error not_open(const std::string& uri) {
  return protocol::refused(protocol::RefusalReason::NotOpen,
                           uri +
                               " is not open in this editor, or is no markdown document (.md, "
                               ".markdown): open it and try again");
}

}  // namespace agent_doc::lsp
