// What it is: writes a file that was not there, whole or not at all.
// What it is not: it never touches a file that is there (server/file does that).
// Thread rule: blocks for as long as the disk takes.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <string_view>

namespace agent_doc::app {

/// `file_exists` when anything has that name. After any other error nothing is left of it.
boost::system::error_code create_file(const std::string& path, std::string_view text);

/// The same, but a file that was written whole stays when the disk does not confirm it (fsync(2)
/// fails): `unconfirmed` says why. For what has no better place.
boost::system::error_code create_unconfirmed_file(const std::string& path, std::string_view text,
                                                  boost::system::error_code& unconfirmed);

}  // namespace agent_doc::app
