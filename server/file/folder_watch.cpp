#include "server/file/folder_watch.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sys/inotify.h>
#include <unistd.h>

namespace agent_doc::file {

namespace {

// A hard link into place is a creation and nothing else.
constexpr std::uint32_t kFolderInterest = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MOVED_FROM |
                                          IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR |
                                          IN_DONT_FOLLOW;

}  // namespace

boost::system::result<FolderWatch> FolderWatch::make() {
  process::FileDescriptor descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!descriptor.is_open())
    return boost::system::error_code(errno, boost::system::system_category());
  return FolderWatch(std::move(descriptor));
}

boost::system::error_code FolderWatch::add(const std::string& folder) {
  const int watch = ::inotify_add_watch(descriptor_.get(), folder.c_str(), kFolderInterest);
  if (watch < 0) return {errno, boost::system::system_category()};
  folders_[watch] = folder;
  return {};
}

std::vector<FolderWatch::Event> FolderWatch::drain() {
  std::vector<Event> events;
  alignas(inotify_event) std::array<char, 16 * 1024> bytes{};
  for (;;) {
    const ssize_t size = ::read(descriptor_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return events;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* name = bytes.data() + at + sizeof event;
      take(event.wd, event.mask, event.len > 0 ? std::string(name) : std::string(), events);
      at += sizeof event + event.len;
    }
  }
}

void FolderWatch::take(int watch, unsigned mask, const std::string& name,
                       std::vector<Event>& events) {
  if ((mask & IN_Q_OVERFLOW) != 0) {
    events.push_back({Event::Kind::EventsLost, {}});
    return;
  }
  const auto found = folders_.find(watch);
  if (found == folders_.end()) return;
  const std::string folder = found->second;
  if ((mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) {
    forget_below(folder);
    events.push_back({Event::Kind::FolderGone, folder});
    return;
  }
  if (name.empty()) return;
  const std::string path = (folder == "/" ? "" : folder) + "/" + name;
  const bool is_folder = (mask & IN_ISDIR) != 0;
  if ((mask & (IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE)) != 0) {
    events.push_back({is_folder ? Event::Kind::FolderMade : Event::Kind::FileSaved, path});
  } else if (is_folder && (mask & IN_MOVED_FROM) != 0) {
    // Before it is told under its new name, which may be in another watched folder.
    forget_below(path);
    events.push_back({Event::Kind::FolderGone, path});
  }
}

void FolderWatch::forget_below(const std::string& folder) {
  for (auto one = folders_.begin(); one != folders_.end();) {
    if (one->second != folder && !one->second.starts_with(folder + "/")) {
      ++one;
      continue;
    }
    ::inotify_rm_watch(descriptor_.get(), one->first);
    one = folders_.erase(one);
  }
}

std::string why_not_watched(const std::string& path, const boost::system::error_code& error) {
  switch (error.value()) {
    case ENOSPC:
      return path +
             " cannot be watched: this user has no watches left. Raise the limit (sudo sysctl "
             "fs.inotify.max_user_watches=524288), or watch fewer folders.";
    case EMFILE:
      return path +
             " cannot be watched: this user has too many programs that watch files. Raise the "
             "limit (sudo sysctl fs.inotify.max_user_instances=512), or end one of them.";
    default:
      return path + " cannot be watched: " + error.message() + ".";
  }
}

}  // namespace agent_doc::file
