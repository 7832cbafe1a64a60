// What it is: `textDocument/hover`: on the heading of a turn what is known of it, on a key of the
// front matter what it does.
// What it is not: a popup over the text of prompts and replies: there is nothing to tell about
// that.
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

void bind_hover(protocol::Endpoint& endpoint, const Client& client, const Documents& documents);

}  // namespace agent_doc::lsp
