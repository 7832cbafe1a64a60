// What it is: starts a process with posix_spawn, cleanly: a session (and group) of its own,
// standard streams that nobody else holds, no other descriptor of ours, no ignored or blocked
// signals. What it is not: it waits for nothing and reaps nothing. Thread rule: functions without
// state.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <boost/system/result.hpp>

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace agent_doc::process {

struct SpawnRequest {
  std::string program;                     ///< absolute path
  std::vector<std::string> args;           ///< without the program's own name
  std::map<std::string, std::string> env;  ///< on top of this process's environment
  std::string cwd;                         ///< empty: that of this process
};

/// What becomes of standard output and error.
enum class Output { Piped, Discarded };

struct Spawned {
  pid_t pid = 0;               ///< also its group and its session
  FileDescriptor stdin_pipe;   ///< our ends
  FileDescriptor stdout_pipe;  ///< only for Output::Piped
  FileDescriptor stderr_pipe;  ///< the same
};

/// A session of its own has no terminal: an agent's tool that asks for a password on /dev/tty fails
/// at once instead of being stopped for ever. Precondition: descriptors 0, 1 and 2 are open in this
/// process. Errors: those of launch_error.hpp, or the system's.
boost::system::result<Spawned> spawn(const SpawnRequest& request, Output output);

struct SpawnedGuard {
  Spawned spawned;  ///< `pid` is the guard's, the pipes are those of the agent that it will start
  FileDescriptor socket;  ///< our end
};

/// Starts `command`, a program (absolute path) and arguments that call run_guard(0): its standard
/// input is a socket, and it holds the agent's ends of the pipes (guard.hpp).
boost::system::result<SpawnedGuard> spawn_guard(const std::vector<std::string>& command);

/// What spawn() checks before anything is started; no error when it may go on.
boost::system::error_code check_spawn(const SpawnRequest& request);
/// An errno of exec as spawn() tells it.
boost::system::error_code error_of_exec(int code);
/// All of it, as spawn() gives it to a process.
std::vector<std::string> environment_of(const SpawnRequest& request);

}  // namespace agent_doc::process
