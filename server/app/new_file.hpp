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

}  // namespace agent_doc::app
