// What it is: `textDocument/completion` in the front matter: keys, and the values of those that
// have a choice: agents, models, …
// What it is not: completion of prose; anywhere else the answer is empty.
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/session/agent_directory.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_completion(protocol::Endpoint& endpoint, const Client& client, const Documents& documents,
                     const session::AgentDirectory& agents);

}  // namespace agent_doc::lsp
