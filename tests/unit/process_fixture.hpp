// What it is: what the tests of server/process share: the fakes' paths, a recording observer, an
// io_context that runs until a condition holds, and what /proc says about processes. What it is
// not: a test. Thread rule: one thread.
#pragma once

#include "server/process/asio_launcher.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <boost/asio/io_context.hpp>

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::process_test {

/// Paths that the build gives.
inline const std::string kReplayAgent = REPLAY_AGENT;
inline const std::string kMisbehavingAgent = MISBEHAVING_AGENT;
inline const std::string kAgentHost = AGENT_HOST;

using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

/// One number per line, as the fakes write into --pid-file.
std::vector<pid_t> read_pids(const std::string& path);

/// It exists and is not a zombie.
bool is_running(pid_t pid);
/// It exists, running or as a zombie.
bool exists(pid_t pid);
/// Also zombies.
std::vector<pid_t> children_of_this_process();
std::size_t open_descriptors();
/// The value of a line of /proc/PID/status.
std::string status_field(pid_t pid, std::string_view name);
/// Waits for the end of a process that need not be a child, at most 10 s.
bool wait_until_gone(pid_t pid, std::chrono::milliseconds limit = std::chrono::seconds(10));

class Recorder : public process::ChildObserver {
 public:
  void on_line(std::string_view line) override;
  void on_line_too_long(std::size_t bytes) override { too_long.push_back(bytes); }
  void on_exit(const plugins::ExitStatus& status) override;
  void on_text(std::string_view piece) override { text += piece; }
  void on_stderr(std::string_view bytes) override { errors += bytes; }

  bool has(std::string_view line) const;

  std::vector<std::string> lines;
  std::vector<std::size_t> too_long;
  std::string text;
  std::string errors;
  std::optional<plugins::ExitStatus> exit;
  int exits = 0;
  std::function<void()> after_line;  ///< called at the end of each on_line()
  std::function<void()> after_exit;
};

/// An io_context with a launcher on it.
class Launching {
 public:
  explicit Launching(process::LauncherOptions options = {});
  ~Launching();

  std::unique_ptr<process::Child> start(const std::string& command, std::vector<std::string> args,
                                        process::ChildObserver& observer);
  /// Runs handlers until `condition` holds; false after `limit`.
  bool run_until(const std::function<bool()>& condition,
                 std::chrono::milliseconds limit = std::chrono::seconds(20));
  bool run_until_exit(const Recorder& recorder);

  boost::asio::io_context io;
  std::unique_ptr<process::AsioLauncher> launcher;
};

}  // namespace agent_doc::process_test
