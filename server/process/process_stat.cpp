#include "server/process/process_stat.hpp"

#include "server/process/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace agent_doc::process {

namespace {

constexpr std::size_t kMaxStat = 4096;
/// Fields between the session and the start (6 and 22 in proc(5)).
constexpr int kFieldsUntilStart = 15;

/// Removes a space and a number from the front of `text`; returns false when they are not there.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  if (!text.starts_with(' ')) return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  return parse_process_stat(pid, read_process_file(pid, "stat", kMaxStat));
}

/// The format is "PID (NAME) STATE PARENT GROUP SESSION …". NAME may contain anything, so the last
/// parenthesis counts.
std::optional<ProcessStat> parse_process_stat(pid_t pid, const std::string& text) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || name_end + 3 >= text.size()) return std::nullopt;
  ProcessStat stat;
  stat.pid = pid;
  const char state = text[name_end + 2];
  stat.ended = state == 'Z' || state == 'X';
  std::string_view rest = std::string_view(text).substr(name_end + 3);
  for (pid_t* field : {&stat.parent, &stat.group, &stat.session}) {
    if (!take_number(rest, *field)) return std::nullopt;
  }
  for (int field = 0; field < kFieldsUntilStart; ++field)
    rest.remove_prefix(std::min(rest.find(' ', 1), rest.size()));
  if (!take_number(rest, stat.start)) return std::nullopt;
  return stat;
}

std::string read_process_file(pid_t pid, const char* file, std::size_t limit) {
  const std::string path = "/proc/" + std::to_string(pid) + '/' + file;
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  std::array<char, 4096> piece;
  while (descriptor.is_open() && content.size() < limit) {
    const ssize_t count = ::read(descriptor.get(), piece.data(), piece.size());
    if (count <= 0) break;
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
  return content;
}

}  // namespace agent_doc::process
