#include "server/app/tour_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace agent_doc::app {

namespace tour_store_internal {

using boost::system::error_code;
using boost::system::result;

error_code last_error() {
  return {errno, boost::system::system_category()};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

result<std::string> read_all(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return last_error();
  std::string content;
  std::array<char, 64 * 1024> piece{};
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return last_error();
    if (got == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (content.size() > limit) return error_code(boost::system::errc::make_error_code(boost::system::errc::file_too_large));
  }
}

result<void> write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return last_error();
  return {};
}

result<void> make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); true; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return last_error();
    if (slash == std::string::npos) return {};
  }
}

result<void> replace_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".new-" + std::to_string(::getpid());
  result<void> written;
  {
    const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) return last_error();
    written = write_all(file.get(), content);
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = last_error();
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace tour_store_internal

TourStore TourStore::for_environment(const std::string& xdg_state_home, const std::string& home) {
  // A relative XDG_STATE_HOME is to be ignored, says its specification.
  if (xdg_state_home.starts_with('/')) return TourStore(xdg_state_home + "/agent-doc/tour");
  if (home.starts_with('/')) return TourStore(home + "/.local/state/agent-doc/tour");
  return TourStore("");
}

std::string TourStore::path_of(const std::string& id) const {
  return directory_ + "/" + id + ".json";
}

bool TourStore::exists(const std::string& id) const {
  return !directory_.empty() && plugins::tour::is_uuid(id) && ::access(path_of(id).c_str(), F_OK) == 0;
}

boost::system::result<plugins::tour::TourSession> TourStore::load(const std::string& id) const {
  namespace errc = boost::system::errc;
  if (directory_.empty() || !plugins::tour::is_uuid(id)) return errc::make_error_code(errc::no_such_file_or_directory);
  const auto content = tour_store_internal::read_all(path_of(id), plugins::tour::kMaxSessionBytes);
  if (!content) return content.error();
  auto session = plugins::tour::from_json(*content);
  if (!session || session->id != id) return errc::make_error_code(errc::bad_message);
  return std::move(*session);
}

boost::system::result<void> TourStore::save(const plugins::tour::TourSession& session) const {
  namespace errc = boost::system::errc;
  if (directory_.empty()) return errc::make_error_code(errc::no_such_file_or_directory);
  if (auto made = tour_store_internal::make_directories(directory_); !made) return made;
  return tour_store_internal::replace_file(path_of(session.id), plugins::tour::to_json(session));
}

}  // namespace agent_doc::app
