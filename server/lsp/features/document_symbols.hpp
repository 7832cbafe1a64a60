// What it is: the turns of a document as an editor's outline and folds:
// `textDocument/documentSymbol`, `textDocument/foldingRange`.
// What it is not: how turns are found (server/markdown).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"

namespace agent_doc::lsp {

class Documents;

/// A prompt is a symbol that is called like its first line; the reply is below it.
void bind_document_symbols(protocol::Endpoint& endpoint, const Client& client,
                           const Documents& documents);
/// The front matter, and each prompt and reply below its heading.
void bind_folding_ranges(protocol::Endpoint& endpoint, const Documents& documents);

}  // namespace agent_doc::lsp
