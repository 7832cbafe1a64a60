// What it is: a program that a test starts on three pipes, as an editor starts a language server.
// Killed and reaped at the latest by the destructor.
// What it is not: the product's way to start agents (server/process); a test must not prove a thing
// by itself. It does not read or write.
// Thread rule: one thread. The first one ignores SIGPIPE in the whole test program, so that writing
// to a program that is gone is an error, not the end.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace agent_doc::fakes {

struct ProgramOptions {
  std::string program;  ///< a path
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< `NAME=VALUE`, on top of the test's own
  std::string working_directory;         ///< empty: the test's own
};

class ChildProgram {
 public:
  /// Throws std::system_error when the program cannot be started.
  explicit ChildProgram(const ProgramOptions& options);
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;
  ~ChildProgram();

  pid_t pid() const { return pid_; }
  /// Non-blocking ends of its pipes; -1 once closed.
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  int errors() const { return errors_.get(); }
  /// Readable when the program has ended; -1 once it was reaped.
  int exit_watch() const { return exit_watch_.get(); }

  void close_input();
  void close_output();
  void close_errors();
  void kill(int signal);

  /// Reaps the program if it has ended: its exit code, or 128 and the signal.
  std::optional<int> exit_code();

 private:
  pid_t pid_ = -1;
  process::FileDescriptor input_;
  process::FileDescriptor output_;
  process::FileDescriptor errors_;
  process::FileDescriptor exit_watch_;
  std::optional<int> exit_code_;
};

}  // namespace agent_doc::fakes
