// What it is: what went wrong with a document's file, as a kind for the program and a sentence for
// a person.
// What it is not: a log line; the sentence names the file as the person named it, and says what to
// do next.
// Thread rule: plain values.
#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace agent_doc::file {

enum class FileErrorKind {
  NotFound,
  Directory,
  NotRegular,    ///< a pipe, a device, a socket
  NoPermission,  ///< the file, or its folder, may not be read or written
  TooLarge,
  Binary,
  InvalidUtf8,
  NoSpace,       ///< disk full, quota, file size limit
  BeingWritten,  ///< another program has it open for writing right now: come again soon
  Failed,        ///< anything else that the system refused
};

struct FileError {
  FileErrorKind kind = FileErrorKind::Failed;
  std::string message;
};

template <class T>
using FileResult = boost::system::result<T, FileError>;

}  // namespace agent_doc::file
