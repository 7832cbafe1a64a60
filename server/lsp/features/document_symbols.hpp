// `textDocument/documentSymbol` and `textDocument/foldingRange`: the turns of a document as an
// outline and as folds.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

/// Prompts are symbols named after their first line; replies are their children.
void bind_document_symbols(protocol::Endpoint& endpoint, const Client& client,
                           const Documents& documents);
/// Folds the front matter, and each prompt and reply below its heading.
void bind_folding_ranges(protocol::Endpoint& endpoint, const Documents& documents);

}  // namespace agent_doc::lsp
