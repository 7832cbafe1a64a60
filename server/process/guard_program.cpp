// Implements run_guard() of guard.hpp.
#include "server/process/guard.hpp"

#include "server/process/file_descriptor.hpp"
#include "server/process/guard_wire.hpp"
#include "server/process/own_children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::process {

namespace {

using Clock = std::chrono::steady_clock;

/// Interval at which remaining processes are looked for when no child ends.
constexpr std::chrono::milliseconds kLookAgain{20};

int left_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count());
}

/// The children of this process, adopted ones included.
class Children {
 public:
  /// Blocks SIGCHLD for the rest of the process.
  Children() {
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &ends, nullptr);
    ended_ = FileDescriptor(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  std::function<void(pid_t pid, int status)> on_end;

  /// Returns a descriptor that is readable when a child has ended.
  int descriptor() const { return ended_.get(); }

  enum class Left { Some, None };
  /// Reaps all children that have ended.
  Left reap() {
    signalfd_siginfo ignored{};
    while (::read(ended_.get(), &ignored, sizeof ignored) > 0) continue;
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid == 0) return Left::Some;
      if (pid < 0 && errno != EINTR) return Left::None;
      if (pid > 0 && on_end) on_end(pid, status);
    }
  }

  /// Blocks until no child is left or `limit` is over. Returns true when none is left.
  bool are_gone_within(std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    while (reap() == Left::Some) {
      if (!wait_for_end_of_one(left_until(deadline))) return reap() == Left::None;
    }
    return true;
  }

  /// Kills all descendants: the children of a killed child become children of this process and are
  /// killed next.
  void kill_all() {
    const auto deadline = Clock::now() + kGuardKillLimit;
    while (reap() == Left::Some && Clock::now() < deadline) {
      for (const pid_t child : own_children()) ::kill(child, SIGKILL);
      wait_for_end_of_one(static_cast<int>(kLookAgain.count()));
    }
  }

 private:
  bool wait_for_end_of_one(int milliseconds) const {
    pollfd ended{ended_.get(), POLLIN, 0};
    return ::poll(&ended, 1, milliseconds) > 0;
  }

  FileDescriptor ended_;
};

bool receive_all(int socket, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::recv(socket, bytes, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<GuardRequest> receive_request(int socket) {
  std::uint32_t size = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&size), sizeof size) ||
      size > kMaxGuardRequestBytes)
    return std::nullopt;
  std::string body(size, '\0');
  if (!receive_all(socket, body.data(), body.size())) return std::nullopt;
  return decode_guard_request(body);
}

void report(int socket, const GuardMessage& message) {
  ::send(socket, &message, sizeof message, MSG_NOSIGNAL);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void close_streams() {
  for (int stream = 0; stream < 3; ++stream) ::close(kGuardedStreams + stream);
}

/// Runs between fork and exec, so it makes nothing but system calls.
[[noreturn]] void become_agent(const char* program, const char* cwd, char* const* argv,
                               char* const* environment, pid_t guard, int failed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guard) ::_exit(127);
  ::setsid();
  for (int stream = 0; stream < 3; ++stream) ::dup2(kGuardedStreams + stream, stream);
  close_streams();
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (*cwd == '\0' || ::chdir(cwd) == 0) ::execve(program, argv, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failed, &error, sizeof error);
  ::_exit(127);
}

class InnerGuard {
 public:
  InnerGuard(int socket, GuardRequest request) : socket_(socket), request_(std::move(request)) {
    children_.on_end = [this](pid_t pid, int status) {
      if (pid == agent_) status_ = status;
    };
  }

  /// Returns when nothing is left of the agent.
  void run() {
    if (!start()) return;
    const bool server_lives = wait_for_end_of_agent_or_server();
    if (!server_lives) end_gently();
    children_.kill_all();
    remove_prompt_file();  // nobody reads it any more, and the server may have died unnoticed
    report(socket_, {GuardMessage::Kind::Ended, status_.value_or(SIGKILL), agent_, ::getpid()});
  }

 private:
  bool start() {
    std::vector<std::string> arguments{request_.program};
    arguments.insert(arguments.end(), request_.args.begin(), request_.args.end());
    const std::vector<char*> argv = pointers_to(arguments);
    const std::vector<char*> environment = pointers_to(request_.env);
    std::array<int, 2> failure{};
    int error = ::pipe2(failure.data(), O_CLOEXEC) == 0 ? 0 : errno;
    const pid_t self = ::getpid();
    if (error == 0) agent_ = ::fork();
    if (agent_ == 0 && error == 0)
      become_agent(request_.program.c_str(), request_.cwd.c_str(), argv.data(), environment.data(),
                   self, failure[1]);
    if (agent_ < 0) error = errno;
    close_streams();
    if (error == 0) {
      ::close(failure[1]);
      // The pipe closes without a message when exec succeeds.
      while (::read(failure[0], &error, sizeof error) < 0 && errno == EINTR) continue;
      ::close(failure[0]);
    }
    if (error != 0) {
      children_.kill_all();
      remove_prompt_file();
      report(socket_, {GuardMessage::Kind::Failed, error, 0, self});
      return false;
    }
    report(socket_, {GuardMessage::Kind::Started, 0, agent_, self});
    return true;
  }

  /// Returns false when the server is gone.
  bool wait_for_end_of_agent_or_server() {
    while (children_.reap() == Children::Left::Some && !status_) {
      std::array<pollfd, 2> events{{{children_.descriptor(), POLLIN, 0}, {socket_, POLLIN, 0}}};
      if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return false;
      if (events[1].revents == 0) continue;
      std::array<char, 16> orders{};
      const ssize_t count = ::recv(socket_, orders.data(), orders.size(), MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return false;
      for (ssize_t at = 0; at < count; ++at) {
        if (obey(static_cast<GuardOrder>(orders[static_cast<std::size_t>(at)])) == Then::End)
          return true;
      }
    }
    return true;
  }

  enum class Then { GoOn, End };
  Then obey(GuardOrder order) const {
    switch (order) {
      case GuardOrder::Interrupt:
        ::kill(-agent_, SIGINT);
        return Then::GoOn;
      case GuardOrder::Terminate:
        ::kill(-agent_, SIGTERM);
        return Then::GoOn;
      case GuardOrder::Kill:
        return Then::End;
    }
    return Then::GoOn;
  }

  void remove_prompt_file() const {
    if (!request_.prompt_file.empty()) ::unlink(request_.prompt_file.c_str());
  }

  void end_gently() {
    remove_prompt_file();
    for (const int gentle : {SIGINT, SIGTERM}) {
      if (!status_) ::kill(-agent_, gentle);  // not reaped: the group's number is still its own
      if (children_.are_gone_within(kGuardGrace)) return;
    }
  }

  const int socket_;
  GuardRequest request_;
  Children children_;
  pid_t agent_ = -1;
  std::optional<int> status_;
};

void be_called(const char* name, char** argv) {
  ::prctl(PR_SET_NAME, name);
  // Lets `ps` tell the two guards apart. There is room for as much as was there.
  if (argv != nullptr && argv[0] != nullptr && argv[1] != nullptr)
    std::strncpy(argv[1], name, std::strlen(argv[1]));
}

int guard_the_guard(pid_t inner, Children& children, const std::string& prompt_file) {
  bool inner_ended = false;
  bool killed = false;
  children.on_end = [&](pid_t pid, int status) {
    if (pid != inner) return;
    inner_ended = true;
    killed = !WIFEXITED(status);
  };
  while (children.reap() == Children::Left::Some && !inner_ended) {
    pollfd ended{children.descriptor(), POLLIN, 0};
    ::poll(&ended, 1, -1);
  }
  if (killed && !prompt_file.empty()) ::unlink(prompt_file.c_str());
  children.kill_all();
  return killed ? 1 : 0;
}

}  // namespace

int run_guard(int socket, char** argv) {
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE})
    ::signal(ignored, SIG_IGN);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
  std::optional<GuardRequest> request = receive_request(socket);
  if (!request) return 1;
  Children children;
  const std::string prompt_file = request->prompt_file;
  const pid_t inner = ::fork();
  if (inner < 0) return 1;
  if (inner == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    be_called("keep", argv);
    InnerGuard(socket, std::move(*request)).run();
    std::_Exit(0);
  }
  close_streams();
  std::_Exit(guard_the_guard(inner, children, prompt_file));
}

}  // namespace agent_doc::process
