// An advisory lock between programs (flock(2)) on a file created for it. The kernel releases it
// when its owner ends, in whatever way. It excludes no threads of this process, and never locks the
// document's own file, which is replaced while the lock is held.
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

  /// Returns the locked file, open for reading and writing.
  int descriptor() const { return descriptor_; }

  /// Takes the lock without blocking. Returns nullopt when another program holds it. Creates the
  /// file when it is missing, but not its folder. Anything but a regular file of this user (a link,
  /// a pipe, somebody else's file) is an error.
  static boost::system::result<std::optional<FileLock>> try_lock(const std::string& path);

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace agent_doc::file
