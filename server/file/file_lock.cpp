#include "server/file/file_lock.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent_doc::file {

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

boost::system::result<std::optional<FileLock>> FileLock::try_lock(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
  if (descriptor < 0) return boost::system::error_code(errno, boost::system::system_category());
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid()) {
    ::close(descriptor);
    return boost::system::errc::make_error_code(boost::system::errc::operation_not_permitted);
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return std::optional<FileLock>(FileLock(descriptor));
  const int code = errno;
  ::close(descriptor);
  if (code == EWOULDBLOCK) return std::optional<FileLock>();
  return boost::system::error_code(code, boost::system::system_category());
}

}  // namespace agent_doc::file
