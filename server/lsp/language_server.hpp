// What it is: the language server: the areas of this folder, put together on one connection.
// What it is not: a class with a method per request. Each area binds its own handlers to the
// endpoint.
// Thread rule: the server's thread only. Neither receive() nor connection_lost() may be called from
// inside the sink.
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
#include "server/lsp/workspace.hpp"

#include <string_view>

namespace agent_doc::lsp {

class LanguageServer {
 public:
  LanguageServer(Environment& environment, protocol::Endpoint::Sink to_client);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  /// One message body from the client.
  void receive(std::string_view body);
  /// The client is gone without `exit`: the running turns are interrupted, all agents ended, then
  /// the environment is asked for the end.
  void connection_lost();

 private:
  Client client_;
  Messages messages_;
  Workspace workspace_;
  Documents documents_;
  Diagnostics diagnostics_;
  AgentCommands agent_commands_;
  Commands commands_;
  Lifecycle lifecycle_;
};

}  // namespace agent_doc::lsp
