// Creates files, completely or not at all. Existing files are never touched (server/file does
// that). Calls block on the disk.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <string_view>

namespace agent_doc::app {

/// Creates the file `path`. Fails with `file_exists` when anything has that name; leaves nothing
/// after any other error.
boost::system::error_code create_file(const std::string& path, std::string_view text);

/// Does the same, but keeps a complete file when only fsync(2) fails, and sets `unconfirmed` to the
/// reason. For data that has no better place.
boost::system::error_code create_unconfirmed_file(const std::string& path, std::string_view text,
                                                  boost::system::error_code& unconfirmed);

}  // namespace agent_doc::app
