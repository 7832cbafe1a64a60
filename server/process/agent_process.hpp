// A started agent as this process sees it: whether it has ended, signals to it, and killing
// everything that it started. There are two implementations: behind guards (guard.hpp), and as a
// plain child where guards are not available. Its streams are in running_child.hpp. Only the
// functions that say so block.
#pragma once

#include "server/process/spawn.hpp"

#include <boost/system/result.hpp>

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace agent_doc::process {

class AgentProcess {
 public:
  virtual ~AgentProcess() = default;

  virtual pid_t pid() const = 0;
  /// Returns the child of this process that the owner must reap: the agent, or its outer guard.
  virtual pid_t child() const = 0;
  /// Returns a descriptor that becomes readable when has_ended() should be called.
  virtual int descriptor() const = 0;
  /// Returns true when the process has ended and child() can be reaped without blocking. What it
  /// started may still run until kill_remaining().
  virtual bool has_ended() = 0;
  /// Blocks until has_ended() is true or `limit` is over. Returns has_ended().
  virtual bool wait_for_end(std::chrono::milliseconds limit) = 0;
  /// Sends SIGINT and SIGTERM to the agent's process group. Sends SIGKILL to everything that it
  /// started, or without a guard to its group.
  virtual void signal(int number) = 0;
  /// Kills what survived SIGKILL: a guard that was stopped.
  virtual void force() = 0;

  struct End {
    int status = 0;  ///< in the format of waitpid(2)
    /// The guards were killed: what the agent started may now be children of this process.
    bool orphans_are_ours = false;
  };
  /// Kills what the agent started and left. Call it once has_ended() is true, before child() is
  /// reaped.
  virtual void kill_remaining() = 0;
  /// Returns how the agent ended. `child_status` is the status that waitpid(2) returned for
  /// child().
  virtual End end(int child_status) const = 0;
};

struct StartedAgent {
  std::unique_ptr<AgentProcess> process;
  FileDescriptor stdin_pipe;  ///< our ends of the pipes
  FileDescriptor stdout_pipe;
  FileDescriptor stderr_pipe;
};

/// Starts an agent as a child of this process. `marker` goes into its environment
/// (process_tree.hpp).
boost::system::result<StartedAgent> start_directly(const SpawnRequest& request,
                                                   const std::string& marker);

/// Starts an agent behind guards and blocks until it runs. `guard` is the command for
/// spawn_guard(). `prompt_file` is deleted when this process dies; it may be empty. Sets `no_guard`
/// when it was the guard that failed to start.
boost::system::result<StartedAgent> start_guarded(const std::vector<std::string>& guard,
                                                  const SpawnRequest& request,
                                                  const std::string& prompt_file,
                                                  const std::string& marker, bool& no_guard);

}  // namespace agent_doc::process
