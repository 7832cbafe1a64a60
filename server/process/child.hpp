// The interface to agent processes: starting one, exchanging lines with it, and ending it with its
// whole tree. It knows nothing of agents' protocols. asio_launcher.hpp implements it; tests replace
// it by a scripted one. Used on the server's thread; observers are never called from inside a call
// into Child.
#pragma once

#include "plugins/agent.hpp"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::process {

/// Longer lines are skipped up to their newline and reported by on_line_too_long().
inline constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;
/// How much of the end of standard error is kept.
inline constexpr std::size_t kStderrTailBytes = 16 * 1024;
/// Limit for lines that wait because the agent does not read its standard input. Beyond it the
/// agent is stopped, and the stderr tail of its exit gives the reason.
inline constexpr std::size_t kMaxStdinQueueBytes = 64 * 1024 * 1024;
/// How long to wait for the end of standard output after the process has ended, in case something
/// outside its tree still holds it open.
inline constexpr std::chrono::milliseconds kDrainGrace{500};
/// A process that closed its standard output and does not end is stopped after this time.
inline constexpr std::chrono::milliseconds kClosedOutputGrace{2000};
/// Delays between the steps of Child::end() and Child::stop(): end of input, interrupt, terminate,
/// kill.
inline constexpr std::chrono::milliseconds kEndOfInputGrace{1500};
inline constexpr std::chrono::milliseconds kInterruptGrace{1500};
inline constexpr std::chrono::milliseconds kTerminateGrace{1500};
/// The same while the server ends: all agents are gone within 2 s.
inline constexpr std::chrono::milliseconds kShutdownEndOfInputGrace{700};
inline constexpr std::chrono::milliseconds kShutdownInterruptGrace{400};
inline constexpr std::chrono::milliseconds kShutdownTerminateGrace{400};

class ChildObserver {
 public:
  virtual ~ChildObserver() = default;
  /// Receives one line of standard output, without its line end or BOM, repaired to well-formed
  /// UTF-8.
  virtual void on_line(std::string_view line) = 0;
  /// Reports that a line over kMaxLineBytes was skipped.
  virtual void on_line_too_long(std::size_t bytes) = 0;
  /// Receives standard output in pieces, in place of lines, when Launch::output is Text. Each piece
  /// is well-formed UTF-8 (repaired) and cut between characters.
  virtual void on_text(std::string_view piece) { static_cast<void>(piece); }
  /// Receives standard error in pieces: arbitrary bytes, cut anywhere.
  virtual void on_stderr(std::string_view bytes) { static_cast<void>(bytes); }
  /// The last call: all of standard output was delivered, the process is reaped and its group is
  /// gone.
  virtual void on_exit(const plugins::ExitStatus& status) = 0;
};

enum class StopUrgency {
  Normal,    ///< kEndOfInputGrace, kInterruptGrace, kTerminateGrace
  Shutdown,  ///< the shorter delays
};

/// A running agent. Destroying it kills and reaps its whole tree at once and makes no more calls to
/// the observer. An observer may destroy it from any of its calls.
class Child {
 public:
  virtual ~Child() = default;
  /// Queues one or several lines for standard input and appends a newline. Does nothing when the
  /// process has closed its standard input; its exit will tell.
  virtual void write_line(std::string line) = 0;
  /// Closes standard input after everything queued was written.
  virtual void close_stdin() = 0;
  /// Sends `signal` to the process group.
  virtual void send_signal(plugins::Signal signal) = 0;
  /// Ends an idle agent: closes standard input, so that it can save its state and end by itself,
  /// and continues like stop() after the grace time. Idempotent.
  virtual void end(StopUrgency urgency) = 0;
  /// Sends SIGINT, SIGTERM and SIGKILL to the whole tree, each after its grace time, until it is
  /// gone. on_exit() follows as usual. Idempotent.
  virtual void stop(StopUrgency urgency) = 0;
  virtual int pid() const = 0;
};

class ChildLauncher {
 public:
  virtual ~ChildLauncher() = default;
  /// Starts an agent. `observer` must outlive the Child. A prompt file (Launch::prompt_file) is
  /// removed when the process is reaped. Errors: no_such_file_or_directory (command not found, or
  /// cwd missing), permission_denied, argument_list_too_long, … `message()` explains to the user
  /// which of them it is (launch_error.hpp).
  virtual boost::system::result<std::unique_ptr<Child>> launch(const plugins::Launch& launch,
                                                               ChildObserver& observer) = 0;
};

/// Returns the absolute path of `command` as a shell would find it, or an empty string. `path` is
/// the value of PATH, whose relative entries are skipped. A name with a slash is only checked.
std::string find_executable(std::string_view command, std::string_view path);

}  // namespace agent_doc::process
