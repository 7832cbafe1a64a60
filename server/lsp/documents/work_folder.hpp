// The folder that the agent of a document works in, found when a turn begins, because folders may
// have come or gone since the document was opened. `agent_doc_cwd` names a folder inside it
// (session/run_plan.hpp).
#pragma once

#include "server/lsp/documents/document_place.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/workspace.hpp"
#include "server/session/document_client.hpp"

namespace agent_doc::lsp {

/// Returns the folder in which the agent has worked so far; else the workspace folder that contains
/// the document, the document's own folder, or the first workspace folder, in this order. Blocks on
/// the disk.
session::WorkFolder work_folder(const DocumentPlace& place, const Workspace& workspace,
                                const Environment& environment);

}  // namespace agent_doc::lsp
