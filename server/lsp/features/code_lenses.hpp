// What it is: `textDocument/codeLens`: Run above the open prompt, Stop and the answers to a
// question above the running reply, what a reply has cost above it, Fork and New session above the
// session's line; and `workspace/codeLens/refresh` when a turn has changed without the text.
// What it is not: what can be done when (offers.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_code_lenses(protocol::Endpoint& endpoint, const Client& client, Documents& documents);

}  // namespace agent_doc::lsp
