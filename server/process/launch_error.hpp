// What it is: why an agent could not be started, in words for a person, where the system's own
// words would mislead.
// What it is not: other errors come as the system gives them.
// Thread rule: pure.
#pragma once

#include <boost/system/error_code.hpp>

namespace agent_doc::process {

/// Each compares equal to the generic condition of its kind:
/// boost::system::errc::no_such_file_or_directory and so on.
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

/// The agent's program may well be there, but the folder that it should work in is not.
bool is_about_folder(const boost::system::error_code& error);

}  // namespace agent_doc::process
