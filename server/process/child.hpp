// What it is: the seam to agent processes: start one, give it lines, hear its lines and its end,
// and get rid of it with its whole tree.
// What it is not: it knows nothing of agents' protocols. The implementation over Asio is
// asio_launcher.*; tests may put a scripted one in its place. Thread rule: the server's thread
// only. Observers are never called from inside a call into Child.
#pragma once

#include "plugins/agent.hpp"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::process {

/// A longer line is skipped to its newline and told by on_line_too_long().
inline constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;
/// Kept of standard error, the newest.
inline constexpr std::size_t kStderrTailBytes = 16 * 1024;
/// Lines that wait because the agent does not read its standard input. Beyond it the agent is
/// stopped and the stderr tail of its exit says why.
inline constexpr std::size_t kMaxStdinQueueBytes = 64 * 1024 * 1024;
/// After the process ended, something outside its tree may still hold its standard output open: no
/// longer than this is waited for it.
inline constexpr std::chrono::milliseconds kDrainGrace{500};
/// A process that closed its standard output and does not end is stopped after this time.
inline constexpr std::chrono::milliseconds kClosedOutputGrace{2000};
/// Between the steps of Child::end() and Child::stop(): end of input, interrupt, terminate, kill.
inline constexpr std::chrono::milliseconds kEndOfInputGrace{1500};
inline constexpr std::chrono::milliseconds kInterruptGrace{1500};
inline constexpr std::chrono::milliseconds kTerminateGrace{1500};
/// The same when the server ends: all agents are gone within 2 s.
inline constexpr std::chrono::milliseconds kShutdownEndOfInputGrace{700};
inline constexpr std::chrono::milliseconds kShutdownInterruptGrace{400};
inline constexpr std::chrono::milliseconds kShutdownTerminateGrace{400};

class ChildObserver {
 public:
  virtual ~ChildObserver() = default;
  /// One line of standard output without its line end (nor BOM), repaired to well-formed UTF-8.
  virtual void on_line(std::string_view line) = 0;
  /// A line over kMaxLineBytes was skipped.
  virtual void on_line_too_long(std::size_t bytes) = 0;
  /// Instead of lines, for Launch::output Text: a piece of standard output as it came, repaired to
  /// well-formed UTF-8, cut between characters.
  virtual void on_text(std::string_view piece) { static_cast<void>(piece); }
  /// A piece of standard error as it came: any bytes, cut anywhere.
  virtual void on_stderr(std::string_view bytes) { static_cast<void>(bytes); }
  /// All standard output was handed over, the process is reaped and its group is gone. The last
  /// call.
  virtual void on_exit(const plugins::ExitStatus& status) = 0;
};

enum class StopUrgency {
  Normal,    ///< kEndOfInputGrace, kInterruptGrace, kTerminateGrace
  Shutdown,  ///< the shorter ones
};

/// A running agent. Destroying it kills its whole tree at once and reaps it; its observer hears
/// nothing more. An observer may destroy it inside any of its calls.
class Child {
 public:
  virtual ~Child() = default;
  /// Queues a line (or several) for standard input; a newline is added. A process that closed its
  /// standard input does not get it: its end tells.
  virtual void write_line(std::string line) = 0;
  /// After everything queued is written.
  virtual void close_stdin() = 0;
  /// To the process group.
  virtual void send_signal(plugins::Signal signal) = 0;
  /// Ends one that works on nothing: standard input is closed, so that it can end by itself and
  /// write down what it wants to keep; after that grace as stop(). Idempotent.
  virtual void end(StopUrgency urgency) = 0;
  /// SIGINT, SIGTERM, SIGKILL to the whole tree, each after its grace, until it is gone; then
  /// on_exit() as always. Idempotent.
  virtual void stop(StopUrgency urgency) = 0;
  virtual int pid() const = 0;
};

class ChildLauncher {
 public:
  virtual ~ChildLauncher() = default;
  /// `observer` outlives the Child. A prompt file (Launch::prompt_file) is removed when the process
  /// is reaped. Errors: no_such_file_or_directory (command not found, or cwd missing),
  /// permission_denied, argument_list_too_long, … `message()` says for a person which of them it is
  /// (launch_error.hpp).
  virtual boost::system::result<std::unique_ptr<Child>> launch(const plugins::Launch& launch,
                                                               ChildObserver& observer) = 0;
};

/// The absolute path of `command` as a shell would find it (`path` is the value of PATH; relative
/// entries are passed over), or empty. A name with a slash is only checked.
std::string find_executable(std::string_view command, std::string_view path);

}  // namespace agent_doc::process
