// What it is: one run of the real agent-doc program as a person, a script or a pipe would start it:
// with a terminal or without, with its own folders for configuration and state, in a session of its
// own (so that nothing it asks reaches the terminal of whoever runs the tests).
// What it is not: an LSP client (tests/fakes/lsp_client.hpp).
// Thread rule: one thread. Output is collected only inside the calls that wait.
#pragma once

#include "server/process/file_descriptor.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::e2e {

inline constexpr std::chrono::seconds kDeadline{60};

/// Which streams of the program are a terminal; the others are pipes, and standard input is
/// /dev/null then.
enum class Terminal { None, OutputOnly, All };

struct RunSettings {
  Terminal terminal = Terminal::None;
  int columns = 80;
  std::optional<std::size_t> file_size_limit = std::nullopt;  ///< RLIMIT_FSIZE
  bool as_nobody = false;      ///< without root's power over permissions
  std::string disk_faults{};   ///< FAULTY_DISK of faulty_disk.cpp
  std::string faults_below{};  ///< empty: below the folder of documents
  std::string input{};         ///< on standard input, where that is no terminal
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// A folder with everything that runs of agent-doc need: `home` for its own files, `docs` for
/// documents.
class Desk {
 public:
  Desk();

  std::string operator/(std::string_view name) const {
    return folder_ / ("docs/" + std::string(name));
  }
  std::string docs() const { return folder_ / "docs"; }
  std::string home() const { return folder_ / "home"; }
  /// All names in the documents' folder.
  std::vector<std::string> names() const;

  /// Makes `command` the default agent, speaking like claude.
  void use_agent(const std::string& command, const std::vector<std::string>& arguments) const;

 private:
  tests::TemporaryFolder folder_;
};

class CommandRun {
 public:
  CommandRun(const Desk& desk, std::vector<std::string> arguments, RunSettings settings = {});
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;
  /// Kills and reaps what still runs.
  ~CommandRun();

  /// Its exit code, or 128 and the signal.
  int wait();
  /// Collects output until `condition`; false when the program ended, or the deadline passed,
  /// before.
  bool wait_until(const std::function<bool()>& condition);
  /// Collects output for as long.
  void run_for(std::chrono::milliseconds time);

  void signal(int number) const;
  /// On the terminal's keyboard.
  void type(std::string_view keys) const;

  const std::string& out() const { return out_; }
  const std::string& error() const { return error_; }
  bool has_ended() const { return exit_code_.has_value(); }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void become_program(const std::vector<std::string>& arguments, int terminal, int out,
                                   int error) const;
  void serve(Clock::time_point until);
  void collect(process::FileDescriptor& from, std::string& into);
  void reap();

  const Desk& desk_;
  RunSettings settings_;
  pid_t pid_ = -1;
  process::FileDescriptor keyboard_;  ///< the terminal's other side
  process::FileDescriptor out_pipe_;
  process::FileDescriptor error_pipe_;
  std::string out_;  ///< of a terminal: all that it shows
  std::string error_;
  std::optional<int> exit_code_;
};

}  // namespace agent_doc::e2e
