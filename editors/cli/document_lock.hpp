// Locks a document against a second run of the command line. The document's file itself is not
// locked: editors and other programs may write it at any time.
#pragma once

#include "server/file/file_lock.hpp"

#include <optional>
#include <string>

namespace agent_doc::cli {

/// Returns the lock, or an empty optional if another process runs in this document. `path` is
/// canonical.
boost::system::result<std::optional<file::FileLock>> lock_document(const std::string& path);

}  // namespace agent_doc::cli
