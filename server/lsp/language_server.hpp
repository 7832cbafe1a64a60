// The language server: the features of this folder on one connection. Each feature binds its own
// handlers to the endpoint. receive() and connection_lost() must not be called from inside the
// sink.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/features/diagnostics.hpp"
#include "server/lsp/lifecycle.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/turns/agent_commands.hpp"
#include "server/lsp/turns/unseen_commands.hpp"
#include "server/lsp/workspace.hpp"

#include <string_view>

namespace agent_doc::lsp {

class LanguageServer {
 public:
  LanguageServer(Environment& environment, protocol::Endpoint::Sink to_client);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  /// Handles one message body from the client.
  void receive(std::string_view body);
  /// Handles the end of a client without `exit`: interrupts the running turns, ends all agents,
  /// then requests the exit from the environment.
  void connection_lost();

 private:
  Client client_;
  Messages messages_;
  Workspace workspace_;
  Documents documents_;
  Diagnostics diagnostics_;
  AgentCommands agent_commands_;
  UnseenCommands unseen_commands_;
  Commands commands_;
  Lifecycle lifecycle_;
};

}  // namespace agent_doc::lsp
