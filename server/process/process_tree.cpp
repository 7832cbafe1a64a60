#include "server/process/process_tree.hpp"

#include "server/process/own_children.hpp"
#include "server/process/process_stat.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

namespace agent_doc::process {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<ProcessStat> all_processes() {
  std::vector<ProcessStat> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator folder("/proc", error), end; !error && folder != end;
       folder.increment(error)) {
    const std::string name = folder->path().filename().string();
    pid_t pid = 0;
    const std::from_chars_result parsed =
        std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (const std::optional<ProcessStat> entry = read_process_stat(pid)) entries.push_back(*entry);
  }
  return entries;
}

/// Returns the children of this process in another session than its own, except `known`.
std::vector<ProcessStat> adopted(const std::set<pid_t>& known) {
  const pid_t session = ::getsid(0);
  std::vector<ProcessStat> adopted;
  for (const pid_t child : own_children()) {
    if (known.contains(child)) continue;
    const std::optional<ProcessStat> stat = read_process_stat(child);
    if (stat && stat->session != session) adopted.push_back(*stat);
  }
  return adopted;
}

bool carries_marker(pid_t pid, std::string_view marker) {
  const std::string environment = read_process_file(pid, "environ", kMaxEnvironmentBytes);
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::string_view variable = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), variable.size() + 1));
    if (!variable.starts_with(kMarkerVariable) ||
        !variable.substr(kMarkerVariable.size()).starts_with('='))
      continue;
    return variable.find(marker, kMarkerVariable.size() + 1) != std::string_view::npos;
  }
  return false;
}

bool selects(const TreeSelector& selector, const ProcessStat& entry) {
  if (entry.ended || entry.pid == ::getpid()) return false;
  if (selector.leaders.contains(entry.session) || selector.leaders.contains(entry.group))
    return true;
  return !selector.marker.empty() && carries_marker(entry.pid, selector.marker);
}

std::chrono::milliseconds time_left(Clock::time_point deadline) {
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
}

}  // namespace

// Uses the numbers of the system calls: glibc has wrappers only since 2.36, and packaged servers
// must run with older ones.
void send_signal(int pidfd, int signal) {
  ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0);
}

FileDescriptor open_pidfd(pid_t pid) {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::vector<FoundProcess> find_processes(const TreeSelector& selector) {
  std::vector<FoundProcess> found;
  for (const ProcessStat& entry : all_processes()) {
    if (!selects(selector, entry)) continue;
    FileDescriptor descriptor = open_pidfd(entry.pid);
    if (!descriptor.is_open()) continue;
    // Checked again now that a pidfd holds the process: it may have been another one before.
    const auto again = read_process_stat(entry.pid);
    if (again && selects(selector, *again)) found.push_back({entry.pid, std::move(descriptor)});
  }
  return found;
}

bool wait_for_end(int pidfd, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    pollfd poll{pidfd, POLLIN, 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(time_left(deadline).count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool has_ended(int pidfd) {
  return wait_for_end(pidfd, std::chrono::milliseconds(0));
}

bool signal_and_wait(const std::vector<FoundProcess>& processes, int signal,
                     std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  for (const FoundProcess& process : processes) send_signal(process.descriptor.get(), signal);
  return std::all_of(processes.begin(), processes.end(), [&](const FoundProcess& process) {
    return wait_for_end(process.descriptor.get(), time_left(deadline));
  });
}

bool kill_processes(const TreeSelector& selector, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    const std::vector<FoundProcess> found = find_processes(selector);
    if (found.empty()) return true;
    const bool all_ended = signal_and_wait(found, SIGKILL, time_left(deadline));
    for (const FoundProcess& process : found) {
      if (!selector.leaders.contains(process.pid)) ::waitpid(process.pid, nullptr, WNOHANG);
    }
    if (!all_ended || Clock::now() >= deadline) return false;
  }
}

bool become_subreaper() {
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

void reap_adopted(const std::set<pid_t>& known) {
  for (const ProcessStat& entry : adopted(known)) {
    if (entry.ended) ::waitpid(entry.pid, nullptr, WNOHANG);
  }
}

void kill_adopted(const std::set<pid_t>& known, std::uint64_t since,
                  std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    std::vector<ProcessStat> left = adopted(known);
    std::erase_if(left, [since](const ProcessStat& entry) { return entry.start < since; });
    if (left.empty()) return;
    for (const ProcessStat& entry : left) {
      // Children of ours keep their numbers until they are reaped here.
      const FileDescriptor descriptor = open_pidfd(entry.pid);
      ::kill(entry.pid, SIGKILL);
      if (descriptor.is_open()) wait_for_end(descriptor.get(), time_left(deadline));
      ::waitpid(entry.pid, nullptr, WNOHANG);
    }
    if (Clock::now() >= deadline) return;
  }
}

}  // namespace agent_doc::process
