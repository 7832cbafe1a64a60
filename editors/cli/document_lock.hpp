// Locks a document against a second run of the command line. The document's file itself is not
// locked: editors and other programs may write it at any time.
#pragma once

#include "server/file/file_lock.hpp"
#include "server/session/session_lease.hpp"

#include <memory>
#include <optional>
#include <string>

namespace agent_doc::cli {

/// Returns the lock, or an empty optional if another process runs in this document. `path` is
/// canonical.
boost::system::result<std::optional<file::FileLock>> lock_document(const std::string& path);

/// While it lives, no turn begins in the document, on the command line or in an editor.
struct HeldDocument {
  std::optional<file::FileLock> lock;  ///< empty: locks cannot be made here
  std::unique_ptr<session::SessionLease> lease;
};

/// Returns an empty optional if a turn runs in the document at `path`, which is canonical.
std::optional<HeldDocument> hold_document(const std::string& path);

}  // namespace agent_doc::cli
