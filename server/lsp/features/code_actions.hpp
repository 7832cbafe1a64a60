// What it is: `textDocument/codeAction`: everything that can be done with a document, for every
// editor, also one that has no plugin of ours.
// What it is not: the commands themselves (turn_commands.hpp), nor what can be done when
// (offers.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

#include <string_view>

namespace agent_doc::lsp {

class Documents;

/// The kind of all of them; clients may ask for it by `context.only`.
inline constexpr std::string_view kCodeActionKind = "agentDoc";

/// In a markdown file that is no session document there is only Run, and only for a person who
/// asks: it makes one of it.
void bind_code_actions(protocol::Endpoint& endpoint, const Client& client,
                       const Documents& documents);

}  // namespace agent_doc::lsp
