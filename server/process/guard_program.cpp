// run_guard() of guard.hpp.
#include "server/process/guard.hpp"
#include "server/process/line_reader.hpp"
#include "server/process/process_tree.hpp"

#include <signal.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace agent_doc::process {

namespace guard_program_internal {

constexpr std::size_t kMaxGuardLineBytes = 1024;
/// For SIGKILL to reach everything, also what is started meanwhile.
constexpr std::chrono::milliseconds kKillLimit{500};

void obey(std::string_view line, TreeSelector& agents) {
  if (line.empty()) return;
  const std::string_view value = line.substr(1);
  if (line.front() == '=') {
    agents.marker = value;
    return;
  }
  pid_t pid = 0;
  if (std::from_chars(value.data(), value.data() + value.size(), pid).ec != std::errc() || pid <= 1) return;
  if (line.front() == '+') agents.leaders.insert(pid);
  if (line.front() == '-') agents.leaders.erase(pid);
}

/// Returns at the end of the stream, which is the end of the server.
TreeSelector listen(int fd) {
  TreeSelector agents;
  LineReader lines(kMaxGuardLineBytes);
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return agents;
    lines.feed({piece.data(), static_cast<std::size_t>(count)});
    while (const std::optional<Line> line = lines.next()) {
      if (const auto* text = std::get_if<std::string_view>(&*line)) obey(*text, agents);
    }
  }
}

}  // namespace guard_program_internal

int run_guard(int fd) {
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(ignored, SIG_IGN);
  const TreeSelector agents = guard_program_internal::listen(fd);
  for (const int gentle : {SIGINT, SIGTERM}) {
    if (signal_and_wait(find_processes(agents), gentle, kGuardGrace)) break;
  }
  return kill_processes(agents, guard_program_internal::kKillLimit) ? 0 : 1;
}

}  // namespace agent_doc::process
