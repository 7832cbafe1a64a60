// What it is: an advisory lock between programs (flock(2)) on a file made for it. The kernel
// releases it when its owner ends, however it ends. What it is not: a lock between threads, nor on
// the document's own file (which is replaced while it is locked). Thread rule: a plain owner; not
// thread-safe.
#pragma once

#include <boost/system/result.hpp>

#include <optional>
#include <string>

namespace agent_doc::file {

class FileLock {
 public:
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  /// The locked file, open for reading and writing.
  int descriptor() const { return descriptor_; }

  /// Makes the file when it is missing, not its folder. Nothing when another program holds the
  /// lock; never waits. An error for what is no plain file of this person (a link, a pipe, somebody
  /// else's).
  static boost::system::result<std::optional<FileLock>> try_lock(const std::string& path);

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace agent_doc::file
