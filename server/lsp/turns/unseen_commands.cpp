#include "server/lsp/turns/unseen_commands.hpp"

#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/places.hpp"
#include "server/lsp/uri.hpp"
#include "server/text/shortened.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace agent_doc::lsp {

UnseenCommands::UnseenCommands(const Client& client, Environment& environment, Documents& documents,
                               std::function<void(const Document&)> on_counted)
    : client_(client),
      environment_(environment),
      documents_(documents),
      on_counted_(std::move(on_counted)) {}

UnseenCommands::~UnseenCommands() = default;

void UnseenCommands::add_to(Commands& commands) {
  commands.add(protocol::kShowPromptCommand, Commands::Target::Document,
               [this](const protocol::Fields& argument, protocol::Replier reply) {
                 show_prompt(argument, std::move(reply));
               });
  commands.add(protocol::kLeaveOutCommand, Commands::Target::Document,
               [this](const protocol::Fields& argument, protocol::Replier reply) {
                 leave_out(argument, std::move(reply));
               });
}

void UnseenCommands::show_prompt(const protocol::Fields& argument, protocol::Replier reply) {
  const std::string uri = argument.string("uri");
  Document* document = documents_.find_file(uri);
  if (document == nullptr) return refuse(client_, std::move(reply), not_open(uri));
  const auto outcome = document->with_session(
      [](session::Conversation& session) { return session.preview(session::RunRequest{}); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client_, std::move(reply), to_error(*refusal));
  const std::string& text = std::get<session::Preview>(outcome).prompt.text;
  std::unique_ptr<ShownFile> file = environment_.make_shown_file(text + "\n", "prompt");
  if (!file)
    return refuse(client_, std::move(reply),
                  protocol::refused(protocol::RefusalReason::Invalid,
                                    "What will be sent could not be put into a file to show it."));
  shown_.push_back(std::move(file));
  if (shown_.size() > kMaxShownPrompts) shown_.pop_front();
  const std::string& path = shown_.back()->path();
  reply.result(boost::json::object{{"uri", uri_of(path)}});
  if (client_.can.showDocument) {
    client_.endpoint->request("window/showDocument", protocol::encode_show_document(uri_of(path)),
                              [](const protocol::Result&) {});
  } else if (!client_.can.turn) {  // otherwise the user would see nothing at all
    const std::string message =
        text::shortened("What will be sent is in " + path + ".", kMaxMessageBytes);
    client_.endpoint->notify("window/showMessage",
                             protocol::encode_message(protocol::MessageType::Info, message));
  }
}

void UnseenCommands::leave_out(const protocol::Fields& argument, protocol::Replier reply) {
  const auto params = protocol::decode_leave_out(argument);
  Document* document = documents_.find_file(params.uri);
  if (document == nullptr) return refuse(client_, std::move(reply), not_open(params.uri));
  std::optional<std::size_t> at;
  if (params.position) at = offset_of(client_, *document, *params.position);
  const auto outcome =
      document->with_session([&](session::Conversation& session) { return session.leave_out(at); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client_, std::move(reply), to_error(*refusal));
  reply.result(boost::json::object{{"places", std::get<std::size_t>(outcome)}});
  on_counted_(*document);
}

}  // namespace agent_doc::lsp
