// Reasons why an agent could not be started, worded for the user where the system's message would
// mislead. Other errors are passed on as the system reports them.
#pragma once

#include <boost/system/error_code.hpp>

namespace agent_doc::process {

/// Each compares equal to the generic condition of its kind, such as
/// boost::system::errc::no_such_file_or_directory.
enum class LaunchError {
  CommandNotFound = 1,
  CommandNotExecutable,
  InterpreterMissing,
  FolderMissing,
  FolderNotAFolder,
  FolderForbidden,
  TooLong,
  NulByte,
};

boost::system::error_code make_error_code(LaunchError error);

/// Returns true when the working folder is the problem; the agent's program may well exist.
bool is_about_folder(const boost::system::error_code& error);

}  // namespace agent_doc::process
