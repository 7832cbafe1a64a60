#include "server/file/scratch_file.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

namespace agent_doc::file {

namespace {

/// A file with more attributes than this keeps only those that the kernel gives a new file.
constexpr std::size_t kMaxAttributeBytes = 64 * 1024;
constexpr mode_t kModeBits = 07777;

}  // namespace

ScratchFile::~ScratchFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

int ScratchFile::create(const std::string& folder) {
  std::string name = folder + "/.agent-doc-XXXXXX";
  descriptor_ = calls_->create(name);
  if (!descriptor_.is_open()) return errno;
  path_ = std::move(name);
  return 0;
}

int ScratchFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = calls_->write(descriptor_.get(), text);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int ScratchFile::take_metadata_of(const std::string& path) {
  const process::FileDescriptor original(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!original.is_open() || ::fstat(original.get(), &status) != 0) return errno;
  struct stat own {};
  if (::fstat(descriptor_.get(), &own) != 0) return errno;
  // A user who may write somebody else's file cannot give the new one away; the group is kept where
  // permitted.
  if ((own.st_uid != status.st_uid || own.st_gid != status.st_gid) &&
      ::fchown(descriptor_.get(), status.st_uid, status.st_gid) != 0 &&
      ::fchown(descriptor_.get(), static_cast<uid_t>(-1), status.st_gid) != 0 && errno != EPERM) {
    return errno;
  }
  copy_attributes(original.get());
  return ::fchmod(descriptor_.get(), status.st_mode & kModeBits) == 0 ? 0 : errno;
}

// An attribute that cannot be set (security.* for a user who is not root, a file system without
// attributes) is one that a new file gets by itself.
void ScratchFile::copy_attributes(int from) {
  std::string names(kMaxAttributeBytes, '\0');
  const ssize_t length = ::flistxattr(from, names.data(), names.size());
  if (length <= 0) return;
  names.resize(static_cast<std::size_t>(length));
  std::string value(kMaxAttributeBytes, '\0');
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    const char* name = names.c_str() + at;
    const ssize_t size = ::fgetxattr(from, name, value.data(), value.size());
    if (size >= 0 &&
        ::fsetxattr(descriptor_.get(), name, value.data(), static_cast<std::size_t>(size), 0) != 0)
      continue;
  }
}

bool ScratchFile::name_is_own() const {
  struct stat own {};
  struct stat named {};
  return ::fstat(descriptor_.get(), &own) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

int ScratchFile::sync() {
  if (const int code = calls_->sync(descriptor_.get()); code != 0) return code;
  // Whoever reads the document right after the exchange must not find it open for writing.
  descriptor_ = process::FileDescriptor(::open(path_.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
  return descriptor_.is_open() ? 0 : errno;
}

}  // namespace agent_doc::file
