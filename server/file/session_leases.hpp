// What it is: session leases as locked files, one for each session that was ever used: the kernel
// gives a lease back when its process ends, however it ends.
// What it is not: knowledge of agents; a session is a name here.
// Thread rule: the server's thread; blocks for as long as the disk takes.
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
  std::uint64_t uses = 0;  ///< how often the session was leased until now, this time included
};

struct SessionLeaseHolder {
  int pid = 0;       ///< 0 when it cannot be read
  std::string path;  ///< of the document
};

/// `folder` is made when it is missing. `session` is any name, for example "claude 1234-…";
/// `document` is told to whoever comes while the lease is held.
boost::system::result<std::variant<SessionLeaseFile, SessionLeaseHolder>> lease_session(
    const std::string& folder, const std::string& session, const std::string& document);

}  // namespace agent_doc::file
