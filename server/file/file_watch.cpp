#include "server/file/file_watch.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/inotify.h>

namespace agent_doc::file {

namespace {

constexpr std::uint32_t kInterest = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                    IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
/// Events without a name: the folder is gone, or events were lost.
constexpr std::uint32_t kConcernsAll = IN_DELETE_SELF | IN_MOVE_SELF | IN_Q_OVERFLOW | IN_IGNORED;

}  // namespace

boost::system::result<FileWatch> FileWatch::make(const std::string& path) {
  process::FileDescriptor descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
  if (!descriptor.is_open() ||
      ::inotify_add_watch(descriptor.get(), folder.c_str(), kInterest) < 0) {
    return boost::system::error_code(errno, boost::system::system_category());
  }
  return FileWatch(std::move(descriptor), path.substr(slash + 1));
}

bool FileWatch::drain() {
  bool concerned = false;
  alignas(inotify_event) std::array<char, 16 * 1024> events{};
  for (;;) {
    const ssize_t size = ::read(descriptor_.get(), events.data(), events.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return concerned;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      const char* name = events.data() + at + sizeof event;
      concerned = concerned || (event.mask & kConcernsAll) != 0 || (event.len > 0 && name_ == name);
      at += sizeof event + event.len;
    }
  }
}

}  // namespace agent_doc::file
