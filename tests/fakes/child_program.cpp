#include "tests/fakes/child_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace agent_doc::fakes {
namespace child_program_internal {

using process::FileDescriptor;

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

void require_zero(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

Pipe make_pipe() {
  int ends[2];
  require_zero(::pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno, "pipe2");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void set_non_blocking(const FileDescriptor& descriptor) {
  require_zero(::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK) == 0 ? 0 : errno, "fcntl");
}

/// The test's environment with `changes` on top.
std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    bool replaced = false;
    for (const std::string& change : changes)
      replaced = replaced || std::string_view(change).substr(0, change.find('=')) == name;
    if (!replaced) result.emplace_back(*entry);
  }
  result.insert(result.end(), changes.begin(), changes.end());
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What happens in the child between its start and the program.
class SpawnPlan {
 public:
  SpawnPlan(int input, int output, int errors, const std::string& working_directory) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    if (!working_directory.empty())
      ::posix_spawn_file_actions_addchdir_np(&actions_, working_directory.c_str());
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const ProgramOptions& options) const {
    std::vector<std::string> arguments{options.program};
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    std::vector<std::string> environment = environment_with(options.environment);
    pid_t pid = -1;
    require_zero(::posix_spawn(&pid, options.program.c_str(), &actions_, &attributes_,
                               pointers_to(arguments).data(), pointers_to(environment).data()),
                 "cannot start " + options.program);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace child_program_internal

ChildProgram::ChildProgram(const ProgramOptions& options) {
  namespace internal = child_program_internal;
  ::signal(SIGPIPE, SIG_IGN);
  internal::Pipe input = internal::make_pipe();
  internal::Pipe output = internal::make_pipe();
  internal::Pipe errors = internal::make_pipe();
  for (const auto* ours : {&input.write, &output.read, &errors.read})
    internal::set_non_blocking(*ours);
  pid_ = internal::SpawnPlan(input.read.get(), output.write.get(), errors.write.get(),
                             options.working_directory)
             .start(options);
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
  exit_watch_ = process::FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
}

ChildProgram::~ChildProgram() {
  if (exit_code()) return;
  kill(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProgram::close_input() {
  input_ = process::FileDescriptor();
}
void ChildProgram::close_output() {
  output_ = process::FileDescriptor();
}
void ChildProgram::close_errors() {
  errors_ = process::FileDescriptor();
}

void ChildProgram::kill(int signal) {
  if (!exit_code_) ::kill(pid_, signal);
}

std::optional<int> ChildProgram::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    exit_watch_ = process::FileDescriptor();
  }
  return exit_code_;
}

}  // namespace agent_doc::fakes
