// `textDocument/codeAction`: everything that can be done with a document, for every editor,
// including those without a plugin of ours. offers.hpp decides what can be done when.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

#include <string_view>

namespace agent_doc::lsp {

class Documents;

/// The kind of all our code actions, which clients may request by `context.only`.
inline constexpr std::string_view kCodeActionKind = "agentDoc";

/// In a markdown file that is no session document only Run is offered, which makes it one, and only
/// when the user asks.
void bind_code_actions(protocol::Endpoint& endpoint, const Client& client,
                       const Documents& documents);

}  // namespace agent_doc::lsp
