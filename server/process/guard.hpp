// What it is: what ends the agents when the server dies without a chance to do it itself (kill -9, a crash): a tiny child in a session of
// its own that hears which agents live, and kills them with all they started when the server's end of its standard input closes; a prompt that lies in
// a file is deleted then. What it is not: it has no part in the normal end of an agent. Thread rule: Guard: the thread that runs the io_context. run_guard(): the whole
// program of the child, one thread.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::process {

/// A guard that ends while agents live is started anew, but not for ever.
inline constexpr int kMaxGuardStarts = 16;
/// Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL, when the server is dead.
inline constexpr std::chrono::milliseconds kGuardGrace{400};

/// The child's program, given to it by the server as `agent-doc guard`. Reads lines from `fd`: `=MARKER` (what all agents of this server
/// carry in their environment), `+PID` or `+PID FILE` (an agent, leader of a session, and its prompt), `-PID` (they are gone). At the end of the stream
/// the files that are left are deleted, and all processes get SIGINT, SIGTERM and SIGKILL, within 1.5 s. Returns the exit code.
int run_guard(int fd);

/// The server's side.
class Guard {
 public:
  /// `command`: absolute path of a program and arguments that make it call run_guard(0). `marker`: see TreeSelector.
  Guard(boost::asio::io_context& io, std::vector<std::string> command, std::string marker);
  /// The guard ends by itself when it hears nothing more; it is reaped.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Before the first agent starts. That no guard can be had is no reason to have no agents.
  void ensure_running();
  /// `prompt_file`: absolute path, or empty.
  void agent_started(pid_t pid, const std::string& prompt_file);
  void agent_ended(pid_t pid);
  /// 0 when it does not run.
  pid_t pid() const { return pid_; }

 private:
  void start();
  void tell(std::string_view line);
  void watch();
  void wait_for_end_of_guard();
  void reap();

  boost::asio::io_context& io_;
  const std::vector<std::string> command_;
  const std::string marker_;
  std::map<pid_t, std::string> agents_;  ///< and their prompt files
  pid_t pid_ = 0;
  FileDescriptor input_;
  boost::asio::posix::stream_descriptor ended_;  ///< a pidfd, watched while agents live
  std::shared_ptr<Guard*> self_;                 ///< what handlers hold weakly
  int starts_ = 0;
};

}  // namespace agent_doc::process
