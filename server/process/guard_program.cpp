// run_guard() of guard.hpp.
#include "server/process/guard.hpp"
#include "server/process/line_reader.hpp"
#include "server/process/process_tree.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <map>
#include <string>

namespace agent_doc::process {

namespace guard_program_internal {

/// A path and a number.
constexpr std::size_t kMaxGuardLineBytes = PATH_MAX + 16;
/// For SIGKILL to reach everything, also what is started meanwhile.
constexpr std::chrono::milliseconds kKillLimit{500};

/// What the server has left.
struct Left {
  TreeSelector agents;
  std::map<pid_t, std::string> prompt_files;
};

void obey(std::string_view line, Left& left) {
  if (line.empty()) return;
  const std::string_view value = line.substr(1);
  if (line.front() == '=') {
    left.agents.marker = value;
    return;
  }
  pid_t pid = 0;
  const auto [number_end, error] = std::from_chars(value.data(), value.data() + value.size(), pid);
  if (error != std::errc() || pid <= 1) return;
  const std::string_view behind = value.substr(static_cast<std::size_t>(number_end - value.data()));
  if (line.front() == '+') {
    left.agents.leaders.insert(pid);
    if (behind.starts_with(" /")) left.prompt_files[pid] = behind.substr(1);
  } else if (line.front() == '-') {
    left.agents.leaders.erase(pid);
    left.prompt_files.erase(pid);
  }
}

/// Returns at the end of the stream, which is the end of the server.
Left listen(int fd) {
  Left left;
  LineReader lines(kMaxGuardLineBytes);
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return left;
    lines.feed({piece.data(), static_cast<std::size_t>(count)});
    while (const std::optional<Line> line = lines.next()) {
      if (const auto* text = std::get_if<std::string_view>(&*line)) obey(*text, left);
    }
  }
}

}  // namespace guard_program_internal

int run_guard(int fd) {
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(ignored, SIG_IGN);
  const guard_program_internal::Left left = guard_program_internal::listen(fd);
  for (const auto& [agent, prompt_file] : left.prompt_files) ::unlink(prompt_file.c_str());
  for (const int gentle : {SIGINT, SIGTERM}) {
    if (signal_and_wait(find_processes(left.agents), gentle, kGuardGrace)) break;
  }
  return kill_processes(left.agents, guard_program_internal::kKillLimit) ? 0 : 1;
}

}  // namespace agent_doc::process
