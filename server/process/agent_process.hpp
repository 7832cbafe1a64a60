// What it is: one started agent as this process has it: its end, its signals, the end of all that
// it started. Two ways: behind guards of its own (guard.hpp), or, where none can be had, as our
// child.
// What it is not: its streams (running_child.*).
// Thread rule: one thread. Nothing waits but what says so.
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
  /// The child of this process that the owner reaps: the agent, or its outer guard.
  virtual pid_t child() const = 0;
  /// Gets readable when has_ended() is to be asked.
  virtual int descriptor() const = 0;
  /// True when the process has ended, and child() can be reaped without waiting; what it started
  /// may be left until kill_what_is_left().
  virtual bool has_ended() = 0;
  /// Waits for that, no longer than `limit`.
  virtual bool wait_for_end(std::chrono::milliseconds limit) = 0;
  /// SIGINT and SIGTERM go to its group. SIGKILL to all that it started, or, where there is no
  /// guard, to its group.
  virtual void signal(int number) = 0;
  /// For what did not obey SIGKILL: a guard that was stopped.
  virtual void force() = 0;

  struct End {
    int status = 0;  ///< as waitpid(2) tells it
    bool orphans_are_ours =
        false;  ///< its guards were killed: what it started may be children of this process now
  };
  /// Once has_ended() is true, before child() is reaped.
  virtual void kill_what_is_left() = 0;
  /// `child_status`: what waitpid(2) said of child().
  virtual End end(int child_status) const = 0;
};

struct StartedAgent {
  std::unique_ptr<AgentProcess> process;
  FileDescriptor stdin_pipe;  ///< our ends
  FileDescriptor stdout_pipe;
  FileDescriptor stderr_pipe;
};

/// `marker`: what its environment carries (process_tree.hpp).
boost::system::result<StartedAgent> start_directly(const SpawnRequest& request,
                                                   const std::string& marker);

/// `guard`: as for spawn_guard(). `prompt_file`: deleted when this process dies; empty for none.
/// `no_guard` is set when it is the guard that could not be had. Waits until the agent runs.
boost::system::result<StartedAgent> start_guarded(const std::vector<std::string>& guard,
                                                  const SpawnRequest& request,
                                                  const std::string& prompt_file,
                                                  const std::string& marker, bool& no_guard);

}  // namespace agent_doc::process
