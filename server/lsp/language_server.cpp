#include "server/lsp/language_server.hpp"

#include "server/lsp/features/code_actions.hpp"
#include "server/lsp/features/code_lenses.hpp"
#include "server/lsp/features/completion.hpp"
#include "server/lsp/features/document_symbols.hpp"
#include "server/lsp/features/hover.hpp"
#include "server/lsp/turns/fork_command.hpp"
#include "server/lsp/turns/turn_commands.hpp"
#include "server/lsp/turns/work_done_progress.hpp"

#include <string>
#include <utility>

namespace agent_doc::lsp {

LanguageServer::LanguageServer(Environment& environment, protocol::Endpoint::Sink to_client)
    : client_{protocol::Endpoint::make(std::move(to_client),
                                       [&environment](std::string_view line) {
                                         environment.log(LogLevel::Warning, line);
                                       }),
              {},
              text::PositionEncoding::Utf16,
              {}},
      messages_(client_, environment),
      documents_(client_, environment, messages_, workspace_),
      diagnostics_(client_, environment, documents_),
      agent_commands_(client_, environment, workspace_, documents_),
      unseen_commands_(client_, environment, documents_,
                       [this](const Document& document) { diagnostics_.look_again(document); }),
      lifecycle_(client_, environment, messages_, workspace_, documents_) {
  protocol::Endpoint& endpoint = *client_.endpoint;
  add_turn_commands(commands_, client_, documents_);
  add_fork_command(commands_, client_, documents_, environment);
  agent_commands_.add_to(commands_);
  unseen_commands_.add_to(commands_);
  lifecycle_.before_shutdown([this] { agent_commands_.end(); });
  lifecycle_.bind(endpoint, commands_.names());
  commands_.bind(endpoint, documents_);
  workspace_.bind(endpoint);
  documents_.bind(endpoint);
  bind_code_actions(endpoint, client_, documents_);
  bind_code_lenses(endpoint, client_, documents_);
  bind_completion(endpoint, client_, documents_, environment.agents());
  bind_document_symbols(endpoint, client_, documents_);
  bind_folding_ranges(endpoint, documents_);
  bind_hover(endpoint, client_, documents_);
  bind_progress_cancel(endpoint, [this](const std::string& turn) {
    if (Document* document = documents_.find_turn(turn)) {
      document->with_session([](session::Conversation& session) { session.stop(); });
    }
  });
}

LanguageServer::~LanguageServer() {
  client_.endpoint->close();
}

void LanguageServer::receive(std::string_view body) {
  client_.endpoint->receive(body);
}

void LanguageServer::connection_lost() {
  lifecycle_.connection_lost();
}

}  // namespace agent_doc::lsp
