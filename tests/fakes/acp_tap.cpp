// What it is: a program between agent-doc and a real ACP agent. It passes everything on as it is,
// and writes down what it thinks of agent-doc's lines.
//
//   acp_tap LOG COMMAND [ARGUMENT…]
//
// Each line of agent-doc's is a line at the end of the file LOG: "valid METHOD" ("valid answer" for
// one without), or "INVALID PROBLEM: LINE" when it is not as the schema of the protocol has it
// (acp_wire_check.hpp). Ends when COMMAND has ended, with its exit code.
// What it is not: in the way. Signals are the agent's own, who is in the same process group; what
// is not valid is passed on, too.
// Thread rule: one thread.
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/fakes/fake_claude.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

extern char** environ;  // NOLINT: as POSIX has it

namespace agent_doc::fakes {

namespace acp_tap_internal {

constexpr std::string_view kProgram = "acp_tap";
constexpr std::size_t kPiece = 65536;

/// Cuts one direction into lines, for whoever looks at them.
class Lines {
 public:
  template <typename Look>
  void feed(std::string_view bytes, Look look) {
    partial_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = partial_.find('\n'); end != std::string::npos;
         end = partial_.find('\n', begin)) {
      look(std::string_view(partial_).substr(begin, end - begin));
      begin = end + 1;
    }
    partial_.erase(0, begin);
  }

 private:
  std::string partial_;
};

/// Returns false when nobody reads any more.
bool write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

struct Child {
  pid_t pid;
  int in, out;
};

std::array<int, 2> pipe_of() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) usage_error(kProgram, "there is no pipe to be had");
  return ends;
}

Child start(char** command) {
  const std::array<int, 2> in = pipe_of();
  const std::array<int, 2> out = pipe_of();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t own;
  ::sigemptyset(&own);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&own, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &own);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, command[0], &actions, &attributes, command, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) usage_error(kProgram, std::string("cannot start ") + command[0]);
  ::close(in[0]);
  ::close(out[1]);
  return {pid, in[1], out[0]};
}

class Tap {
 public:
  Tap(std::string log, Child agent)
      : log_(std::move(log)),
        agent_(agent),
        ended_(static_cast<int>(::syscall(SYS_pidfd_open, agent.pid, 0))) {
    if (ended_ < 0) usage_error(kProgram, "this kernel tells of no process's end");
  }

  /// Returns the exit code of the agent.
  int run() {
    while (true) {
      std::array<pollfd, 3> polled{
          {{from_us_, POLLIN, 0}, {agent_.out, POLLIN, 0}, {ended_, POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), -1) < 0) continue;
      if (polled[0].revents != 0) pass_to_agent();
      if (polled[1].revents != 0) {
        pass_from_agent();  // before its end counts: all that it said
      } else if (polled[2].revents != 0) {
        return code_of_agent();
      }
    }
  }

 private:
  void pass_to_agent() {
    const ssize_t size = ::read(from_us_, buffer_.data(), buffer_.size());
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
      from_us_ = -1;
      ::close(agent_.in);
      return;
    }
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(size));
    ours_.feed(bytes, [this](std::string_view line) { judge(line); });
    write_whole(agent_.in, bytes);
  }

  void pass_from_agent() {
    const ssize_t size = ::read(agent_.out, buffer_.data(), buffer_.size());
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
      ::close(std::exchange(agent_.out, -1));
      ::close(STDOUT_FILENO);
      return;
    }
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(size));
    theirs_.feed(bytes, [this](std::string_view line) { check_.from_agent(line); });
    write_whole(STDOUT_FILENO, bytes);
  }

  void judge(std::string_view line) {
    std::string said;
    for (const std::string& problem : check_.from_client(line))
      said += "INVALID " + problem + ": " + std::string(line) + "\n";
    const std::string method = text_at(parse(line), "/method");
    if (said.empty()) said = "valid " + (method.empty() ? "answer" : method) + "\n";
    std::ofstream(log_, std::ios::app | std::ios::binary) << said;
  }

  int code_of_agent() const {
    int status = 0;
    ::waitpid(agent_.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string log_;
  Child agent_;
  const int ended_;
  int from_us_ = STDIN_FILENO;
  AcpWireCheck check_;
  Lines ours_, theirs_;
  std::array<char, kPiece> buffer_{};
};

}  // namespace acp_tap_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  using namespace agent_doc::fakes;
  if (argc < 3) usage_error(acp_tap_internal::kProgram, "usage: acp_tap LOG COMMAND [ARGUMENT…]");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  acp_tap_internal::Tap tap(argv[1], acp_tap_internal::start(argv + 2));
  return tap.run();
}
