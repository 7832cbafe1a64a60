#include "server/file/session_leases.hpp"

#include "server/file/sha256.hpp"
#include "server/file/user_directories.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace agent_doc::file {

namespace {

/// The contents of the file: "USES PID PATH", with a newline at the end when it was written
/// completely.
struct Note {
  std::uint64_t uses = 0;
  int pid = 0;
  std::string path;
};

constexpr std::size_t kMaxNote = 8192;

template <class Number>
Number take_number(std::string_view& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return number;
}

Note read_note(int descriptor) {
  std::array<char, kMaxNote> bytes{};
  const ssize_t size = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!text.ends_with('\n')) return {};
  text.remove_suffix(1);
  Note note;
  note.uses = take_number<std::uint64_t>(text);
  note.pid = take_number<int>(text);
  note.path = std::string(text);
  return note;
}

boost::system::error_code write_note(int descriptor, const Note& note) {
  std::string text = std::to_string(note.uses) + " " + std::to_string(note.pid) + " ";
  text += note.path.substr(0, kMaxNote - text.size() - 1) + "\n";
  const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
  const bool whole =
      written == static_cast<ssize_t>(text.size()) && ::ftruncate(descriptor, written) == 0;
  return whole ? boost::system::error_code()
               : boost::system::error_code(errno, boost::system::system_category());
}

SessionLeaseHolder holder_of(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return {};
  Note note = read_note(descriptor);
  ::close(descriptor);
  return {note.pid, std::move(note.path)};
}

}  // namespace

boost::system::result<std::variant<SessionLeaseFile, SessionLeaseHolder>> lease_session(
    const std::string& folder, const std::string& session, const std::string& document) {
  using Outcome = std::variant<SessionLeaseFile, SessionLeaseHolder>;
  if (const auto error = make_private_directory(folder)) return error;
  const std::string path = folder + "/" + sha256_hex(session) + ".lock";
  auto lock = FileLock::try_lock(path);
  if (lock.has_error()) return lock.error();
  if (!lock->has_value()) return Outcome(holder_of(path));
  SessionLeaseFile lease{std::move(**lock), 0};
  Note note = read_note(lease.lock.descriptor());
  lease.uses = ++note.uses;
  note.pid = static_cast<int>(::getpid());
  note.path = document;
  if (const auto error = write_note(lease.lock.descriptor(), note)) return error;
  return Outcome(std::move(lease));
}

}  // namespace agent_doc::file
