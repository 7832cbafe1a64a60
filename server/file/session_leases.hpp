// Leases on agents' sessions, as locked files: one for each session that was ever used. The kernel
// releases a lease when its process ends, in whatever way. A session is only a name here. Calls
// block on the disk.
#pragma once

#include "server/file/file_lock.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace agent_doc::file {

/// A held lease.
struct SessionLeaseFile {
  FileLock lock;
  std::uint64_t uses = 0;  ///< how many times the session was leased, this time included
};

struct SessionLeaseHolder {
  int pid = 0;       ///< 0 when it cannot be read
  std::string path;  ///< of the document
};

/// Leases `session`, which is any name, such as "claude 1234-…". Creates `folder` when it is
/// missing. `document` is what others learn while the lease is held. Returns the lease, or its
/// present holder.
boost::system::result<std::variant<SessionLeaseFile, SessionLeaseHolder>> lease_session(
    const std::string& folder, const std::string& session, const std::string& document);

}  // namespace agent_doc::file
