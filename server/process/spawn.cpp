#include "server/process/spawn.hpp"

#include "server/process/guard.hpp"
#include "server/process/launch_error.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace agent_doc::process {

namespace {

using boost::system::error_code;

error_code system_error(int value) {
  return {value, boost::system::system_category()};
}

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

error_code check_text(const SpawnRequest& request) {
  bool bad = has_nul(request.program) || has_nul(request.cwd);
  for (const std::string& arg : request.args) bad = bad || has_nul(arg);
  for (const auto& [name, value] : request.env)
    bad = bad || name.empty() || has_nul(name) || name.find('=') != std::string::npos ||
          has_nul(value);
  return bad ? make_error_code(LaunchError::NulByte) : error_code();
}

/// Checked in advance: a failed chdir in the child gives the same ENOENT as a missing program.
error_code check_folder(const std::string& cwd) {
  if (cwd.empty()) return {};
  struct stat status {};
  if (::stat(cwd.c_str(), &status) != 0) {
    if (errno == ENOENT) return make_error_code(LaunchError::FolderMissing);
    if (errno == ENOTDIR) return make_error_code(LaunchError::FolderNotAFolder);
    return errno == EACCES ? make_error_code(LaunchError::FolderForbidden) : system_error(errno);
  }
  if (!S_ISDIR(status.st_mode)) return make_error_code(LaunchError::FolderNotAFolder);
  return ::access(cwd.c_str(), X_OK) == 0 ? error_code()
                                          : make_error_code(LaunchError::FolderForbidden);
}

error_code check_program(const std::string& program) {
  struct stat status {};
  if (program.empty() || ::stat(program.c_str(), &status) != 0) {
    return program.empty() || errno == ENOENT || errno == ENOTDIR
               ? make_error_code(LaunchError::CommandNotFound)
               : system_error(errno);
  }
  const bool executable = S_ISREG(status.st_mode) && ::access(program.c_str(), X_OK) == 0;
  return executable ? error_code() : make_error_code(LaunchError::CommandNotExecutable);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> merged;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) merged.emplace_back(text);
  }
  for (const auto& [name, value] : changes) merged.push_back(name + '=' + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  FileDescriptor read_end, write_end;
};

boost::system::result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error(errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  /// When called several times, every `from` must be beyond every `to`.
  void duplicate(const FileDescriptor& from, int to) {
    keep(::posix_spawn_file_actions_adddup2(&actions_, from.get(), to));
  }
  void discard(int to) {
    keep(::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_WRONLY, 0));
  }
  void enter(const std::string& folder) {
    keep(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
  }
  void close_from(int first) { keep(::posix_spawn_file_actions_addclosefrom_np(&actions_, first)); }

  int error() const { return error_; }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  void keep(int error) { error_ = error_ != 0 ? error_ : error; }

  posix_spawn_file_actions_t actions_{};
  int error_ = 0;
};

class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

boost::system::result<pid_t> start(const SpawnRequest& request, const FileActions& actions) {
  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.args.begin(), request.args.end());
  std::vector<std::string> environment = merged_environment(request.env);
  const Attributes attributes;
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, request.program.c_str(), actions.get(), attributes.get(),
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) return error_of_exec(error);
  return pid;
}

/// Duplicates `descriptor` to a number beyond those that a guard receives.
FileDescriptor out_of_the_way(const FileDescriptor& descriptor) {
  return FileDescriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kGuardedStreams + 3));
}

}  // namespace

boost::system::error_code check_spawn(const SpawnRequest& request) {
  for (const auto& error :
       {check_text(request), check_folder(request.cwd), check_program(request.program)}) {
    if (error) return error;
  }
  return {};
}

boost::system::error_code error_of_exec(int code) {
  if (code == E2BIG) return make_error_code(LaunchError::TooLong);
  if (code == ENOENT) return make_error_code(LaunchError::InterpreterMissing);
  return system_error(code);
}

std::vector<std::string> environment_of(const SpawnRequest& request) {
  return merged_environment(request.env);
}

boost::system::result<SpawnedGuard> spawn_guard(const std::vector<std::string>& command) {
  SpawnRequest request;
  request.program = command.front();
  request.args.assign(command.begin() + 1, command.end());
  request.cwd = "/";
  if (const auto error = check_spawn(request)) return error;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error(errno);
  SpawnedGuard guard;
  guard.socket = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  const FileDescriptor socket = out_of_the_way(theirs);
  boost::system::result<Pipe> in = make_pipe();
  boost::system::result<Pipe> out = make_pipe();
  boost::system::result<Pipe> err = make_pipe();
  for (const auto* pipe : {&in, &out, &err}) {
    if (pipe->has_error()) return pipe->error();
  }
  const FileDescriptor streams[] = {out_of_the_way(in->read_end), out_of_the_way(out->write_end),
                                    out_of_the_way(err->write_end)};
  FileActions actions;
  actions.duplicate(socket, STDIN_FILENO);
  actions.discard(STDOUT_FILENO);
  actions.discard(STDERR_FILENO);
  for (int stream = 0; stream < 3; ++stream)
    actions.duplicate(streams[stream], kGuardedStreams + stream);
  actions.enter(request.cwd);
  actions.close_from(kGuardedStreams + 3);
  if (actions.error() != 0) return system_error(actions.error());
  const boost::system::result<pid_t> pid = start(request, actions);
  if (!pid) return pid.error();
  guard.spawned.pid = *pid;
  guard.spawned.stdin_pipe = std::move(in->write_end);
  guard.spawned.stdout_pipe = std::move(out->read_end);
  guard.spawned.stderr_pipe = std::move(err->read_end);
  return guard;
}

boost::system::result<Spawned> spawn(const SpawnRequest& request, Output output) {
  if (const auto error = check_spawn(request)) return error;
  FileActions actions;
  Spawned spawned;

  boost::system::result<Pipe> in = make_pipe();
  if (!in) return in.error();
  actions.duplicate(in->read_end, STDIN_FILENO);
  spawned.stdin_pipe = std::move(in->write_end);

  Pipe out, err;
  if (output == Output::Piped) {
    boost::system::result<Pipe> out_pipe = make_pipe();
    if (!out_pipe) return out_pipe.error();
    boost::system::result<Pipe> err_pipe = make_pipe();
    if (!err_pipe) return err_pipe.error();
    out = std::move(*out_pipe);
    err = std::move(*err_pipe);
    actions.duplicate(out.write_end, STDOUT_FILENO);
    actions.duplicate(err.write_end, STDERR_FILENO);
    spawned.stdout_pipe = std::move(out.read_end);
    spawned.stderr_pipe = std::move(err.read_end);
  } else {
    actions.discard(STDOUT_FILENO);
    actions.discard(STDERR_FILENO);
  }
  if (!request.cwd.empty()) actions.enter(request.cwd);
  actions.close_from(STDERR_FILENO + 1);
  if (actions.error() != 0) return system_error(actions.error());

  const boost::system::result<pid_t> pid = start(request, actions);
  if (!pid) return pid.error();
  spawned.pid = *pid;
  return spawned;
}

}  // namespace agent_doc::process
