// What it is: the folder that the agent of a document works in, as the disk is when a turn begins:
// a folder may have gone or come since the document was opened.
// What it is not: `agent_doc_cwd`, which names a folder inside it (session/run_plan.hpp).
// Thread rule: the server's thread only; it blocks for as long as the disk takes.
#pragma once

#include "server/lsp/documents/document_place.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/workspace.hpp"
#include "server/session/document_client.hpp"

namespace agent_doc::lsp {

/// Where it has always worked, else the folder of the workspace that holds the document, else the
/// document's own, else the first of the workspace.
session::WorkFolder work_folder(const DocumentPlace& place, const Workspace& workspace,
                                const Environment& environment);

}  // namespace agent_doc::lsp
