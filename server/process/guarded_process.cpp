// Implements start_guarded() of agent_process.hpp, the server's side of guard.hpp.
#include "server/process/agent_process.hpp"

#include "server/process/guard_wire.hpp"
#include "server/process/process_tree.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace agent_doc::process {

namespace {

using Clock = std::chrono::steady_clock;

/// How long a guard may take to start an agent on a busy machine.
constexpr std::chrono::milliseconds kStartLimit{10'000};
/// How long killing what the guards left behind may block. Needed only when both were killed.
constexpr std::chrono::milliseconds kKillGuardedTreeLimit{200};
/// How long the inner guard may take to end once it has closed its socket.
constexpr std::chrono::milliseconds kLastStepLimit{100};

/// Returns the agent's folder as an absolute path, because a guard runs in a folder of its own.
std::string folder_of(const SpawnRequest& request) {
  std::error_code ignored;
  return request.cwd.empty() ? std::filesystem::current_path(ignored).string() : request.cwd;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count());
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

/// The socket on which the guards report. It ends when both have ended.
class Socket {
 public:
  explicit Socket(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  int get() const { return descriptor_.get(); }
  bool at_end() const { return at_end_; }

  /// Takes the messages that have arrived.
  void drain() {
    while (!at_end_) {
      std::array<char, 256> piece{};
      const ssize_t count = ::recv(descriptor_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      at_end_ = count <= 0;
      if (count > 0) bytes_.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

  std::optional<GuardMessage> next() {
    GuardMessage message;
    if (bytes_.size() < sizeof message) return std::nullopt;
    std::memcpy(&message, bytes_.data(), sizeof message);
    bytes_.erase(0, sizeof message);
    return message;
  }

  /// Blocks until the socket is readable; returns false at the deadline.
  bool wait(Clock::time_point deadline) const {
    pollfd readable{descriptor_.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, milliseconds_until(deadline));
    return ready > 0 || (ready < 0 && errno == EINTR);
  }

 private:
  FileDescriptor descriptor_;
  std::string bytes_;
  bool at_end_ = false;
};

class GuardedProcess final : public AgentProcess {
 public:
  GuardedProcess(pid_t guard, Socket socket, const GuardMessage& started, std::string marker)
      : guard_(guard),
        agent_(started.agent),
        inner_(open_pidfd(started.inner)),
        socket_(std::move(socket)),
        marker_(std::move(marker)) {}

  pid_t pid() const override { return agent_; }
  pid_t child() const override { return guard_; }
  int descriptor() const override { return socket_.get(); }

  bool has_ended() override {
    socket_.drain();
    for (std::optional<GuardMessage> message = socket_.next(); message; message = socket_.next()) {
      if (message->kind == GuardMessage::Kind::Ended) status_ = message->value;
    }
    return socket_.at_end();
  }

  bool wait_for_end(std::chrono::milliseconds limit) override {
    const auto deadline = Clock::now() + limit;
    while (!has_ended()) {
      if (!socket_.wait(deadline)) return has_ended();
    }
    return true;
  }

  void signal(int number) override {
    const GuardOrder order = number == SIGINT    ? GuardOrder::Interrupt
                             : number == SIGTERM ? GuardOrder::Terminate
                                                 : GuardOrder::Kill;
    ::send(socket_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void force() override {
    ::kill(guard_, SIGKILL);  // not reaped: the number is its own
    send_signal(inner_.get(), SIGKILL);
  }

  /// Does nothing unless both guards were killed. What does not become a child of this process is
  /// then recognised by its environment only.
  void kill_remaining() override {
    if (!status_) {
      kill_processes({{agent_}, marker_}, kKillGuardedTreeLimit);
      return;
    }
    // A process closes its files before it has ended. Without the outer guard the inner one is ours
    // to reap, and nothing looks again.
    if (inner_.is_open()) process::wait_for_end(inner_.get(), kLastStepLimit);
  }
  End end(int) const override { return status_ ? End{*status_, false} : End{SIGKILL, true}; }

 private:
  const pid_t guard_;
  const pid_t agent_;
  const FileDescriptor inner_;
  Socket socket_;
  const std::string marker_;
  std::optional<int> status_;
};

}  // namespace

boost::system::result<StartedAgent> start_guarded(const std::vector<std::string>& guard,
                                                  const SpawnRequest& request,
                                                  const std::string& prompt_file,
                                                  const std::string& marker, bool& no_guard) {
  no_guard = false;
  if (const auto error = check_spawn(request)) return error;
  no_guard = true;
  boost::system::result<SpawnedGuard> spawned = spawn_guard(guard);
  if (!spawned) return spawned.error();
  const pid_t pid = spawned->spawned.pid;
  Socket socket(std::move(spawned->socket));
  const bool sent =
      send_all(socket.get(), encode(GuardRequest{request.program, folder_of(request), prompt_file,
                                                 request.args, environment_of(request)}));
  const auto deadline = Clock::now() + kStartLimit;
  std::optional<GuardMessage> answer;
  while (sent && !answer && !socket.at_end() && socket.wait(deadline)) {
    socket.drain();
    answer = socket.next();
  }
  if (answer && answer->kind == GuardMessage::Kind::Started) {
    no_guard = false;
    auto process = std::make_unique<GuardedProcess>(pid, std::move(socket), *answer, marker);
    return StartedAgent{std::move(process), std::move(spawned->spawned.stdin_pipe),
                        std::move(spawned->spawned.stdout_pipe),
                        std::move(spawned->spawned.stderr_pipe)};
  }
  if (!answer) ::kill(pid, SIGKILL);
  reap(pid);
  if (!answer) return boost::system::errc::make_error_code(boost::system::errc::no_such_process);
  no_guard = false;
  return error_of_exec(answer->value);
}

}  // namespace agent_doc::process
