// `textDocument/completion` in the front matter: keys, and the values of those with a choice
// (agents, models, …). Empty anywhere else.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/session/agent_directory.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_completion(protocol::Endpoint& endpoint, const Client& client, const Documents& documents,
                     const session::AgentDirectory& agents);

}  // namespace agent_doc::lsp
