// Starts a process with posix_spawn: in a session (and group) of its own, with standard streams
// that nobody else holds, without any other descriptor of ours, and without ignored or blocked
// signals.
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
  std::vector<std::string> args;           ///< without argv[0]
  std::map<std::string, std::string> env;  ///< added to this process's environment
  std::string cwd;                         ///< empty: the folder of this process
};

/// Whether standard output and error become pipes or /dev/null.
enum class Output { Piped, Discarded };

struct Spawned {
  pid_t pid = 0;               ///< also its group and session
  FileDescriptor stdin_pipe;   ///< our ends of the pipes
  FileDescriptor stdout_pipe;  ///< only for Output::Piped
  FileDescriptor stderr_pipe;  ///< only for Output::Piped
};

/// Starts a process. Its session has no terminal, so a tool that asks for a password on /dev/tty
/// fails at once instead of blocking for ever. Precondition: the descriptors 0, 1 and 2 are open in
/// this process. Errors: those of launch_error.hpp, or the system's.
boost::system::result<Spawned> spawn(const SpawnRequest& request, Output output);

struct SpawnedGuard {
  /// `pid` is the guard's; the pipes belong to the agent that it will start.
  Spawned spawned;
  FileDescriptor socket;  ///< our end of the socket
};

/// Starts `command`: a program (absolute path) and arguments that call run_guard(0). Its standard
/// input is a socket, and it holds the agent's ends of the pipes (guard.hpp).
boost::system::result<SpawnedGuard> spawn_guard(const std::vector<std::string>& command);

/// Returns the error that spawn() would return before it starts anything, if there is one.
boost::system::error_code check_spawn(const SpawnRequest& request);
/// Returns the error that spawn() returns for an errno of exec.
boost::system::error_code error_of_exec(int code);
/// Returns the complete environment that spawn() passes on.
std::vector<std::string> environment_of(const SpawnRequest& request);

}  // namespace agent_doc::process
