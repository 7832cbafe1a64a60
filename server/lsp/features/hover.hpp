// `textDocument/hover`: what is known of a turn, on its heading, and what a front matter key does.
// Text of prompts and replies has no hover.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_hover(protocol::Endpoint& endpoint, const Client& client, const Documents& documents);

}  // namespace agent_doc::lsp
