// Implements start_directly() of agent_process.hpp.
#include "server/process/agent_process.hpp"

#include "server/process/process_tree.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace agent_doc::process {

namespace {

/// How long killing a tree may block this thread. Processes are gone within a millisecond of
/// SIGKILL, unless the kernel itself holds them.
constexpr std::chrono::milliseconds kKillTreeLimit{200};

class DirectProcess final : public AgentProcess {
 public:
  DirectProcess(pid_t pid, FileDescriptor pidfd, std::string marker)
      : pid_(pid), pidfd_(std::move(pidfd)), marker_(std::move(marker)) {}

  pid_t pid() const override { return pid_; }
  pid_t child() const override { return pid_; }
  int descriptor() const override { return pidfd_.get(); }
  bool has_ended() override { return process::has_ended(pidfd_.get()); }
  bool wait_for_end(std::chrono::milliseconds limit) override {
    return process::wait_for_end(pidfd_.get(), limit);
  }
  /// Not reaped yet, so neither its number nor its group's can belong to another process.
  void signal(int number) override { ::kill(-pid_, number); }
  void force() override { signal(SIGKILL); }

  void kill_remaining() override {
    signal(SIGKILL);
    kill_processes({{pid_}, marker_}, kKillTreeLimit);
  }
  End end(int child_status) const override { return {child_status, false}; }

 private:
  const pid_t pid_;
  const FileDescriptor pidfd_;
  const std::string marker_;
};

}  // namespace

boost::system::result<StartedAgent> start_directly(const SpawnRequest& request,
                                                   const std::string& marker) {
  boost::system::result<Spawned> spawned = spawn(request, Output::Piped);
  if (!spawned) return spawned.error();
  FileDescriptor pidfd = open_pidfd(spawned->pid);
  if (!pidfd.is_open()) {
    const boost::system::error_code error(errno, boost::system::system_category());
    // A process that could not be attached must not be left running.
    ::kill(-spawned->pid, SIGKILL);
    while (::waitpid(spawned->pid, nullptr, 0) < 0 && errno == EINTR) continue;
    return error;
  }
  auto process = std::make_unique<DirectProcess>(spawned->pid, std::move(pidfd), marker);
  return StartedAgent{std::move(process), std::move(spawned->stdin_pipe),
                      std::move(spawned->stdout_pipe), std::move(spawned->stderr_pipe)};
}

}  // namespace agent_doc::process
