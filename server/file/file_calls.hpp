// The system calls that find, write and sync a document's file, and the clock that measures them.
// Tests replace them to let another program write between any two calls, to let the disk be slow
// without waiting, or to let it fail.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

namespace agent_doc::file {

/// O_NONBLOCK, so that opening a pipe does not wait for its other end.
inline constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;

class FileCalls {
 public:
  virtual ~FileCalls() = default;
  /// Opens `path` for reading. Returns a closed descriptor and sets errno on failure.
  virtual process::FileDescriptor open(const std::string& path);
  /// Creates a file as mkostemp(3) does; `pattern` becomes its name. Returns a closed descriptor
  /// and sets errno on failure.
  virtual process::FileDescriptor create(std::string& pattern);
  /// Behaves like write(2).
  virtual ssize_t write(int descriptor, std::string_view bytes);
  /// Return 0 or errno.
  virtual int sync(int descriptor);
  virtual int exchange(const std::string& one, const std::string& other);
  virtual int rename(const std::string& from, const std::string& to);
  virtual std::chrono::steady_clock::time_point now() const;

  static FileCalls& of_the_system();
};

}  // namespace agent_doc::file
