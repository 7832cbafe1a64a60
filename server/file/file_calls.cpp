#include "server/file/file_calls.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace agent_doc::file {

process::FileDescriptor FileCalls::open(const std::string& path) {
  return process::FileDescriptor(::open(path.c_str(), kReadFlags));
}

process::FileDescriptor FileCalls::create(std::string& pattern) {
  return process::FileDescriptor(::mkostemp(pattern.data(), O_CLOEXEC));
}

ssize_t FileCalls::write(int descriptor, std::string_view bytes) {
  return ::write(descriptor, bytes.data(), bytes.size());
}

int FileCalls::sync(int descriptor) {
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

int FileCalls::exchange(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0 ? 0
                                                                                           : errno;
}

int FileCalls::rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

std::chrono::steady_clock::time_point FileCalls::now() const {
  return std::chrono::steady_clock::now();
}

FileCalls& FileCalls::of_the_system() {
  static FileCalls calls;
  return calls;
}

}  // namespace agent_doc::file
