// Errors of a document's file: a kind for the program, and a sentence for the user that names the
// file as the user named it and says what to do next.
#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace agent_doc::file {

enum class FileErrorKind {
  NotFound,
  Directory,
  NotRegular,    ///< a pipe, a device, a socket
  NoPermission,  ///< the file or its folder may not be read or written
  TooLarge,
  Binary,
  InvalidUtf8,
  NoSpace,       ///< disk full, quota, or file size limit
  BeingWritten,  ///< another program has it open for writing: try again soon
  Failed,        ///< any other error from the system
};

struct FileError {
  FileErrorKind kind = FileErrorKind::Failed;
  std::string message;
};

template <class T>
using FileResult = boost::system::result<T, FileError>;

}  // namespace agent_doc::file
