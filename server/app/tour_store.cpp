#include "server/app/tour_store.hpp"

#include "server/file/scratch_file.hpp"
#include "server/file/user_directories.hpp"
#include "server/process/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace agent_doc::app {

namespace {

boost::system::error_code system_error(int number) {
  return {number, boost::system::system_category()};
}

boost::system::result<std::string> read_all(const std::string& path, std::size_t limit) {
  const process::FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return system_error(errno);
  std::string content;
  std::array<char, 64 * 1024> piece{};
  while (true) {
    const ssize_t got = ::read(descriptor.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(errno);
    if (got == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (content.size() > limit) return system_error(EFBIG);
  }
}

}  // namespace

TourStore TourStore::of_this_person() {
  const std::string state = file::state_directory();
  return TourStore(state.empty() ? state : state + "/tour");
}

std::string TourStore::path_of(const std::string& id) const {
  return directory_ + "/" + id + ".json";
}

bool TourStore::exists(const std::string& id) const {
  return !directory_.empty() && plugins::tour::is_uuid(id) &&
         ::access(path_of(id).c_str(), F_OK) == 0;
}

boost::system::result<plugins::tour::TourSession> TourStore::load(const std::string& id) const {
  if (directory_.empty() || !plugins::tour::is_uuid(id)) return system_error(ENOENT);
  const auto content = read_all(path_of(id), plugins::tour::kMaxSessionBytes);
  if (!content) return content.error();
  auto session = plugins::tour::from_json(*content);
  if (!session || session->id != id) return system_error(EBADMSG);
  return std::move(*session);
}

boost::system::error_code TourStore::save(const plugins::tour::TourSession& session) const {
  if (directory_.empty()) return system_error(ENOENT);
  if (const auto error = file::make_private_directory(directory_)) return error;
  file::ScratchFile scratch;
  int error = scratch.create(directory_);
  if (error == 0) error = scratch.write(plugins::tour::to_json(session));
  if (error == 0) error = scratch.sync();
  if (error == 0 && std::rename(scratch.path().c_str(), path_of(session.id).c_str()) != 0)
    error = errno;
  if (error != 0) return system_error(error);
  scratch.release_name();
  return {};
}

}  // namespace agent_doc::app
