// What it is: a program that does what an agent must not do, one thing at a time.
//
//   misbehaving_agent [--pid-file FILE] MODE [arguments of the mode] [flags of claude, ignored]
//
//   exit [CODE]            ends at once, after "last words" on standard error (default code 3)
//   garbage                prints lines that are no JSON and broken UTF-8, then reads until
//   standard input closes silent                 reads everything, answers nothing, ignores SIGINT
//   and SIGTERM deaf                   never reads standard input ignores-interrupt      the same
//   as silent, but SIGTERM ends it grandchild             starts a process that ignores SIGINT and
//   SIGTERM and holds standard output open; both live on setsid-grandchild      the same, in a
//   session of its own daemon                 starts such a process in a session of its own,
//   without an environment, and ends (nothing marks it as an agent's any more;
//                          it ends when its standard input does)
//   family                 starts all of these: one in the same group, one in a session of its own,
//   and one in a session of its own, without an
//                          environment, that has lost its parent (`env -i setsid PROGRAM &`); each
//                          ignores SIGINT, SIGTERM and SIGHUP; all live on
//   short-lived-daemon     starts a process in a session of its own that ends when FILE (argument)
//   can be read (a named pipe), and lives on tells-signals          starts a process in the same
//   group; each prints the number of the SIGTERM it gets and ends, the started one first
//   close-stdout           closes standard output and lives on
//   flood-stderr [BYTES]   that many bytes on standard error (default 8 MiB), then the line "done"
//   on standard output, and ends long-line [BYTES]      a line of that length (default 70,000,000),
//   then the line "after", and ends flood COUNTER [LINES]  lines of 1,000 bytes (default 100,000);
//   the number of bytes written so far stands in the file COUNTER as a uint64
//
// Modes that live on print the line "ready" first, except close-stdout.
#include "tests/fakes/fake_claude.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>

namespace agent_doc::fakes {

namespace misbehaving_internal {

constexpr std::string_view kProgram = "misbehaving_agent";

struct Arguments {
  std::string pid_file;
  std::string mode;
  const char* first = nullptr;
  const char* second = nullptr;
};

/// The first argument as a number; what is no number is a flag of claude.
std::uint64_t number_or(const char* text, std::uint64_t fallback) {
  return text != nullptr && *text >= '0' && *text <= '9' ? number(kProgram, "the mode", text)
                                                         : fallback;
}

void print(std::string_view bytes) {
  Output(OutputShape{65536, std::nullopt, {}}).print(bytes);
}

void print_error(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) std::exit(1);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void ignore(std::initializer_list<int> signals) {
  for (const int one : signals) ::signal(one, SIG_IGN);
}

[[noreturn]] void live_for_ever() {
  while (true) ::pause();
}

void read_until_end() {
  std::array<char, 65536> piece;
  while (::read(STDIN_FILENO, piece.data(), piece.size()) != 0) continue;
}

enum class Session { Inherited, Own };

/// Two processes of a fork: the parent goes on only when the child is prepared.
class Preparation {
 public:
  Preparation() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) usage_error(kProgram, "no pipe to be had");
  }
  void child_is_ready() const { ::close(ends_[1]); }
  void wait_in_parent() const {
    ::close(ends_[1]);
    char byte = 0;
    while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) continue;
  }

 private:
  std::array<int, 2> ends_{};
};

void start_stubborn_grandchild(const Arguments& arguments, Session session) {
  const Preparation preparation;
  if (::fork() != 0) return preparation.wait_in_parent();
  if (session == Session::Own) ::setsid();
  ignore({SIGINT, SIGTERM, SIGHUP});
  append_pid(arguments.pid_file);
  preparation.child_is_ready();
  live_for_ever();
}

int run_exit(const Arguments& arguments) {
  print_error("last words\n");
  return static_cast<int>(number_or(arguments.first, 3));
}

int run_garbage(const Arguments&) {
  print(
      "this is no JSON\n{\"type\":\"assist\n\xFF\xFE\xC0 "
      "broken\n]]]]\n\nnull\n\x1B[31mred\x1B[0m\n");
  read_until_end();
  return 0;
}

int run_silent(const Arguments&) {
  ignore({SIGINT, SIGTERM});
  print("ready\n");
  read_until_end();
  live_for_ever();
}

int run_deaf(const Arguments&) {
  print("ready\n");
  live_for_ever();
}

int run_ignores_interrupt(const Arguments&) {
  ignore({SIGINT});
  print("ready\n");
  read_until_end();
  live_for_ever();
}

int run_grandchild(const Arguments& arguments) {
  start_stubborn_grandchild(arguments, Session::Inherited);
  print("ready\n");
  live_for_ever();
}

int run_setsid_grandchild(const Arguments& arguments) {
  start_stubborn_grandchild(arguments, Session::Own);
  print("ready\n");
  live_for_ever();
}

int run_daemon(const Arguments& arguments) {
  const Preparation preparation;
  if (::fork() == 0) {
    ::setsid();
    append_pid(arguments.pid_file);
    // The agent's standard output stays open as another descriptor.
    ::dup2(STDOUT_FILENO, STDERR_FILENO + 1);
    char program[] = "/bin/sh", flag[] = "-c", script[] = "exec cat >/dev/null";
    char* const argv[] = {program, flag, script, nullptr};
    char* const environment[] = {nullptr};
    ::execve(program, argv, environment);
    std::_Exit(127);
  }
  preparation.wait_in_parent();
  print("the agent's last line");
  return 0;
}

/// Nothing of the agent's is left of it: no parent, no group, no session, no environment.
void start_bare_daemon(const Arguments& arguments) {
  const Preparation preparation;
  const pid_t middle = ::fork();
  if (middle == 0) {
    if (::fork() != 0) std::_Exit(0);
    ::setsid();
    ignore({SIGINT, SIGTERM, SIGHUP});
    append_pid(arguments.pid_file);
    char program[] = "/bin/sleep", time[] = "1000";
    char* const argv[] = {program, time, nullptr};
    char* const environment[] = {nullptr};
    ::execve(program, argv, environment);  // which ends the preparation
    std::_Exit(127);
  }
  ::waitpid(middle, nullptr, 0);
  preparation.wait_in_parent();
}

int run_family(const Arguments& arguments) {
  start_stubborn_grandchild(arguments, Session::Inherited);
  start_stubborn_grandchild(arguments, Session::Own);
  start_bare_daemon(arguments);
  print("ready\n");
  live_for_ever();
}

int run_short_lived_daemon(const Arguments& arguments) {
  if (arguments.first == nullptr)
    usage_error(kProgram, "short-lived-daemon needs the path of a named pipe");
  const pid_t middle = ::fork();
  if (middle == 0) {
    const Preparation preparation;
    if (::fork() != 0) {
      preparation.wait_in_parent();
      std::_Exit(0);
    }
    ::setsid();
    append_pid(arguments.pid_file);
    preparation.child_is_ready();
    char byte = 0;
    const int fifo = ::open(arguments.first, O_RDONLY);
    std::_Exit(::read(fifo, &byte, 1) >= 0 ? 0 : 1);
  }
  ::waitpid(middle, nullptr, 0);
  print("ready\n");
  live_for_ever();
}

int run_tells_signals(const Arguments&) {
  sigset_t terminate;
  ::sigemptyset(&terminate);
  ::sigaddset(&terminate, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
  int got = 0;
  const pid_t member = ::fork();
  if (member == 0) {
    ::sigwait(&terminate, &got);
    print("member " + std::to_string(got) + '\n');
    std::_Exit(0);
  }
  print("ready\n");
  ::sigwait(&terminate, &got);
  ::waitpid(member, nullptr, 0);
  print("leader " + std::to_string(got) + '\n');
  return 0;
}

int run_close_stdout(const Arguments&) {
  ::close(STDOUT_FILENO);
  live_for_ever();
}

int run_flood_stderr(const Arguments& arguments) {
  std::uint64_t left = number_or(arguments.first, 8 * 1024 * 1024);
  const std::string line = std::string(99, 'e') + '\n';
  for (; left >= line.size(); left -= line.size()) print_error(line);
  print_error("the very end\n");
  print("done\n");
  return 0;
}

int run_long_line(const Arguments& arguments) {
  print(std::string(number_or(arguments.first, 70'000'000), 'x') + "\nafter\n");
  return 0;
}

int run_flood(const Arguments& arguments) {
  if (arguments.first == nullptr) usage_error(kProgram, "flood needs the path of its counter");
  const int file = ::open(arguments.first, O_RDWR);
  if (file < 0) usage_error(kProgram, "cannot open the counter");
  void* memory =
      ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) usage_error(kProgram, "cannot map the counter");
  std::atomic_ref<std::uint64_t> written(*static_cast<std::uint64_t*>(memory));
  const std::string line = std::string(999, 'l') + '\n';
  for (std::uint64_t left = number_or(arguments.second, 100'000); left > 0; --left) {
    print(line);
    written += line.size();
  }
  return 0;
}

int run(const Arguments& arguments) {
  const std::map<std::string, std::function<int(const Arguments&)>> modes{
      {"exit", run_exit},
      {"garbage", run_garbage},
      {"silent", run_silent},
      {"deaf", run_deaf},
      {"ignores-interrupt", run_ignores_interrupt},
      {"grandchild", run_grandchild},
      {"setsid-grandchild", run_setsid_grandchild},
      {"daemon", run_daemon},
      {"family", run_family},
      {"short-lived-daemon", run_short_lived_daemon},
      {"tells-signals", run_tells_signals},
      {"close-stdout", run_close_stdout},
      {"flood-stderr", run_flood_stderr},
      {"long-line", run_long_line},
      {"flood", run_flood},
  };
  const auto mode = modes.find(arguments.mode);
  if (mode == modes.end()) usage_error(kProgram, "unknown mode \"" + arguments.mode + '"');
  append_pid(arguments.pid_file);
  return mode->second(arguments);
}

}  // namespace misbehaving_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  agent_doc::fakes::misbehaving_internal::Arguments arguments;
  int at = 1;
  if (at + 1 < argc && std::string_view(argv[at]) == "--pid-file") {
    arguments.pid_file = argv[at + 1];
    at += 2;
  }
  if (at < argc) arguments.mode = argv[at];
  if (at + 1 < argc) arguments.first = argv[at + 1];
  if (at + 2 < argc) arguments.second = argv[at + 2];
  return agent_doc::fakes::misbehaving_internal::run(arguments);
}
