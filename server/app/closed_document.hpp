// lsp::ClosedFile over a real file. How a document comes to be closed, and what is written then, is
// in server/lsp/documents/closed_client.hpp. Calls block on the disk.
#pragma once

#include "server/lsp/documents/closed_file.hpp"

#include <boost/system/result.hpp>

#include <memory>
#include <string>

namespace agent_doc::app {

/// After this many attempts in a row, during which another program kept writing, we pause.
inline constexpr int kMaxWritesInARow = 20;

/// Returns the file, or a sentence for the user that says why it cannot be used.
boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string> open_closed_document(
    const std::string& path);

}  // namespace agent_doc::app
