// What it is: one run of the command line per document: a lock that a second one meets.
// What it is not: a lock on the document's file; editors and other programs may write it at any
// time.
// Thread rule: a plain owner.
#pragma once

#include "server/file/file_lock.hpp"

#include <optional>
#include <string>

namespace agent_doc::cli {

/// `path` is canonical. Nothing when another process runs in this document.
boost::system::result<std::optional<file::FileLock>> lock_document(const std::string& path);

}  // namespace agent_doc::cli
