// What it is: `textDocument/codeAction`: Run, Stop and "Write the rest of the reply" for every editor that has no plugin of ours.
// What it is not: the commands themselves (turn_commands.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/documents.hpp"

#include <string_view>

namespace agent_doc::lsp {

/// The kind of all of them; clients may ask for it by `context.only`.
inline constexpr std::string_view kCodeActionKind = "agentDoc";

void bind_code_actions(protocol::Endpoint& endpoint, const Client& client, const Documents& documents);

}  // namespace agent_doc::lsp
