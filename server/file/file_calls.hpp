// What it is: the system calls by which a document's file is found, written and brought to the
// disk, and the clock by which it is known how long that took.
// What it is not: policy. It is a seam: tests let another program write between two of them, let
// the disk be slow without anybody waiting, or let it fail.
// Thread rule: the system's own have no state.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

namespace agent_doc::file {

/// The last one: a pipe must not make us wait for its other end.
inline constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;

class FileCalls {
 public:
  virtual ~FileCalls() = default;
  /// For reading; a closed descriptor, and errno, when that fails.
  virtual process::FileDescriptor open(const std::string& path);
  /// A new file, as mkostemp(3) makes it: `pattern` becomes its name. A closed descriptor, and
  /// errno, when that fails.
  virtual process::FileDescriptor create(std::string& pattern);
  /// As write(2).
  virtual ssize_t write(int descriptor, std::string_view bytes);
  /// These answer 0 or errno.
  virtual int sync(int descriptor);
  virtual int exchange(const std::string& one, const std::string& other);
  virtual int rename(const std::string& from, const std::string& to);
  virtual std::chrono::steady_clock::time_point now() const;

  static FileCalls& of_the_system();
};

}  // namespace agent_doc::file
