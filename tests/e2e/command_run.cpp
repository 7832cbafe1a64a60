#include "tests/e2e/command_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace agent_doc::e2e {

namespace command_run_internal {

constexpr uid_t kNobody = 65534;
constexpr std::chrono::milliseconds kLook{10};

void check(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("cannot set up a run: ") + what);
}

std::array<process::FileDescriptor, 2> make_pipe() {
  std::array<int, 2> ends{};
  check(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe2");
  return {process::FileDescriptor(ends[0]), process::FileDescriptor(ends[1])};
}

/// Both sides of a terminal that shows bytes as they are written.
std::array<process::FileDescriptor, 2> make_terminal(int columns) {
  process::FileDescriptor outer(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  check(outer.is_open() && ::grantpt(outer.get()) == 0 && ::unlockpt(outer.get()) == 0,
        "posix_openpt");
  process::FileDescriptor inner(::open(::ptsname(outer.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  check(inner.is_open(), "ptsname");
  termios mode{};
  ::tcgetattr(inner.get(), &mode);
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(inner.get(), TCSANOW, &mode);
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 24;
  ::ioctl(inner.get(), TIOCSWINSZ, &size);
  return {std::move(outer), std::move(inner)};
}

}  // namespace command_run_internal

Desk::Desk() {
  for (const char* name : {"docs", "home/config/agent-doc", "home/state", "home/runtime"})
    std::filesystem::create_directories(folder_ / name);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
}

std::vector<std::string> Desk::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(docs()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void Desk::use_agent(const std::string& command, const std::vector<std::string>& arguments) const {
  std::string config =
      "default_agent = \"fake\"\n[agents.fake]\ndialect = \"claude\"\ncommand = \"" + command +
      "\"\nargs = [";
  for (const std::string& argument : arguments) config += "\"" + argument + "\", ";
  tests::write_file(home() + "/config/agent-doc/config.toml", config + "]\n");
}

CommandRun::CommandRun(const Desk& desk, std::vector<std::string> arguments, RunSettings settings)
    : desk_(desk), settings_(settings) {
  using namespace command_run_internal;
  std::array<process::FileDescriptor, 2> terminal = make_terminal(settings.columns);
  std::array<process::FileDescriptor, 2> out = make_pipe();
  std::array<process::FileDescriptor, 2> error = make_pipe();
  pid_ = ::fork();
  check(pid_ >= 0, "fork");
  if (pid_ == 0) become_program(arguments, terminal[1].get(), out[1].get(), error[1].get());
  if (settings.terminal != Terminal::None) keyboard_ = std::move(terminal[0]);
  if (settings.terminal == Terminal::None) out_pipe_ = std::move(out[0]);
  if (settings.terminal != Terminal::All) error_pipe_ = std::move(error[0]);
}

void CommandRun::become_program(const std::vector<std::string>& arguments, int terminal, int out,
                                int error) const {
  ::setsid();
  const bool has_terminal = settings_.terminal != Terminal::None;
  if (has_terminal) ::ioctl(terminal, TIOCSCTTY, 0);
  ::dup2(has_terminal ? terminal : ::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(has_terminal ? terminal : out, STDOUT_FILENO);
  ::dup2(settings_.terminal == Terminal::All ? terminal : error, STDERR_FILENO);
  if (!has_terminal && !settings_.input.empty()) {
    const int input = ::memfd_create("input", 0);
    command_run_internal::check(::write(input, settings_.input.data(), settings_.input.size()) ==
                                        static_cast<ssize_t>(settings_.input.size()) &&
                                    ::lseek(input, 0, SEEK_SET) == 0,
                                "input");
    ::dup2(input, STDIN_FILENO);
  }
  if (settings_.file_size_limit) {
    const rlimit limit{*settings_.file_size_limit, *settings_.file_size_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ::setenv("HOME", desk_.home().c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (desk_.home() + "/config").c_str(), 1);
  ::setenv("XDG_STATE_HOME", (desk_.home() + "/state").c_str(), 1);
  ::setenv("XDG_RUNTIME_DIR", (desk_.home() + "/runtime").c_str(), 1);
  ::setenv("TERM", "xterm", 1);
  ::setenv("AGENT_DOC_TOUR_PACE", "0", 1);
  for (const char* variable : {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "AGENT_DOC_LOG"})
    ::unsetenv(variable);
  for (const char* variable : {"VISUAL", "EDITOR", "PAGER"}) ::unsetenv(variable);
  for (const auto& [name, value] : settings_.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!settings_.disk_faults.empty()) {
    ::setenv("LD_PRELOAD", FAULTY_DISK_LIBRARY, 1);
    ::setenv("FAULTY_DISK", settings_.disk_faults.c_str(), 1);
    ::setenv("FAULTY_DISK_BELOW",
             (settings_.faults_below.empty() ? desk_.docs() : settings_.faults_below).c_str(), 1);
    // The library comes before AddressSanitizer's, which is all the same to it.
    const char* options = std::getenv("ASAN_OPTIONS");
    ::setenv("ASAN_OPTIONS",
             (std::string(options == nullptr ? "" : options) + ":verify_asan_link_order=0").c_str(),
             1);
  }
  if (::chdir(desk_.docs().c_str()) != 0) ::_exit(126);
  if (settings_.as_nobody && ::geteuid() == 0 && ::setuid(command_run_internal::kNobody) != 0)
    ::_exit(126);
  std::string program = AGENT_DOC_BINARY;
  std::vector<char*> argv{program.data()};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

CommandRun::~CommandRun() {
  if (exit_code_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

int CommandRun::wait() {
  const auto limit = Clock::now() + kDeadline;
  while (!exit_code_ && Clock::now() < limit) serve(limit);
  if (!exit_code_) throw std::runtime_error("agent-doc did not end; it said: " + out_ + error_);
  return *exit_code_;
}

bool CommandRun::wait_until(const std::function<bool()>& condition) {
  const auto limit = Clock::now() + kDeadline;
  while (!condition()) {
    if (exit_code_ || Clock::now() >= limit) return condition();
    serve(limit);
  }
  return true;
}

void CommandRun::run_for(std::chrono::milliseconds time) {
  const auto limit = Clock::now() + time;
  while (Clock::now() < limit) serve(limit);
}

void CommandRun::signal(int number) const {
  ::kill(pid_, number);
}

void CommandRun::type(std::string_view keys) const {
  command_run_internal::check(
      ::write(keyboard_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()),
      "keys");
}

void CommandRun::serve(Clock::time_point until) {
  std::array<pollfd, 3> streams{
      {{keyboard_.get(), POLLIN, 0}, {out_pipe_.get(), POLLIN, 0}, {error_pipe_.get(), POLLIN, 0}}};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  ::poll(streams.data(), streams.size(),
         static_cast<int>(
             std::clamp(left, std::chrono::milliseconds(0), command_run_internal::kLook).count()));
  if (streams[0].revents != 0) collect(keyboard_, out_);
  if (streams[1].revents != 0) collect(out_pipe_, out_);
  if (streams[2].revents != 0) collect(error_pipe_, error_);
  const bool silent = !keyboard_.is_open() && !out_pipe_.is_open() && !error_pipe_.is_open();
  if (silent || (streams[0].revents | streams[1].revents | streams[2].revents) == 0) reap();
}

void CommandRun::collect(process::FileDescriptor& from, std::string& into) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(from.get(), bytes.data(), bytes.size());
  if (size > 0) {
    into.append(bytes.data(), static_cast<std::size_t>(size));
  } else if (size == 0 || errno != EINTR) {
    from = process::FileDescriptor();  // EIO: nobody has the terminal open any more
  }
}

void CommandRun::reap() {
  int status = 0;
  if (exit_code_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace agent_doc::e2e
