// What it is: lsp::ClosedFile over a real file.
// What it is not: the way a document gets closed or a reply gets written
// (server/lsp/documents/closed_client.hpp).
// Thread rule: the server's thread; blocks for as long as the disk takes.
#pragma once

#include "server/lsp/documents/closed_file.hpp"

#include <boost/system/result.hpp>

#include <memory>
#include <string>

namespace agent_doc::app {

/// Another program may write again and again between our attempts; after so many we wait a moment.
inline constexpr int kMaxWritesInARow = 20;

/// Or why the file cannot be used, for a person.
boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string> open_closed_document(
    const std::string& path);

}  // namespace agent_doc::app
