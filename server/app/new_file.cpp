#include "server/app/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace agent_doc::app {

namespace {

constexpr int kMode = 0644;  // before the umask

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

boost::system::error_code write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    if (written == 0) return boost::system::error_code(EIO, boost::system::system_category());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

boost::system::error_code sync(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL ? boost::system::error_code() : last_error();
}

}  // namespace

boost::system::error_code create_file(const std::string& path, std::string_view text) {
  boost::system::error_code unconfirmed;
  boost::system::error_code error = create_unconfirmed_file(path, text, unconfirmed);
  if (!error && unconfirmed) {
    ::unlink(path.c_str());
    error = unconfirmed;
  }
  return error;
}

boost::system::error_code create_unconfirmed_file(const std::string& path, std::string_view text,
                                                  boost::system::error_code& unconfirmed) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0) return last_error();
  boost::system::error_code error = write_all(fd, text);
  unconfirmed = sync(fd);
  if (::close(fd) != 0 && !error) error = last_error();
  if (error) ::unlink(path.c_str());
  return error;
}

}  // namespace agent_doc::app
