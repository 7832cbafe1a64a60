// `textDocument/codeLens`: Run above the open prompt, Stop and the answers to a question above the
// running reply, the cost above each reply, Fork and New session above the line of the session.
// Sends `workspace/codeLens/refresh` when a turn changes without the text. offers.hpp decides what
// can be done when.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_code_lenses(protocol::Endpoint& endpoint, const Client& client, Documents& documents);

}  // namespace agent_doc::lsp
