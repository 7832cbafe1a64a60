#include "server/app/tour_main.hpp"

#include "plugins/tour/tour_agent.hpp"
#include "server/app/tour_flags.hpp"
#include "server/app/tour_look.hpp"
#include "server/app/tour_store.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::app {

namespace {

namespace tour = plugins::tour;
using std::chrono::milliseconds;

constexpr std::size_t kMaxInputLineBytes = 64 * 1024 * 1024;
/// A pipe that polls as writable accepts this much without blocking.
constexpr std::size_t kWriteBytes = 4096;
constexpr int kTerminated = 143;
constexpr int kHungUp = 129;

void say(const std::string& message) {
  const std::string line = message + "\n";
  // Nothing can be done when standard error is gone.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string working_directory() {
  std::array<char, 4096> path{};
  return ::getcwd(path.data(), path.size()) == nullptr ? std::string() : std::string(path.data());
}

tour::TourOptions options_of(const TourFlags& flags) {
  tour::TourOptions options;
  options.model = flags.model.empty() ? "tour" : flags.model;
  options.cwd = working_directory();
  if (flags.partial_messages) options.partial = tour::PartialMessages::Included;
  if (!flags.permission_tool.empty()) options.permission_host = tour::PermissionHost::Stdio;
  options.look_at_folder = [cwd = options.cwd] { return look_at_folder(cwd); };
  if (environment("AGENT_DOC_TOUR_PACE") == "0") options.pace = tour::TourPace::Immediate;
  return options;
}

/// Serves standard input, output, signals and the agent until the agent is done.
class TourProcess {
 public:
  TourProcess(tour::TourAgent agent, TourStore store, int signals)
      : agent_(std::move(agent)),
        store_(std::move(store)),
        signals_(signals),
        began_(std::chrono::steady_clock::now()) {}

  int run() {
    while (!exit_code_) {
      save_session();
      collect_lines();
      if (output_.empty() && agent_.exit()) {
        if (!agent_.exit()->message.empty()) say(agent_.exit()->message);
        return agent_.exit()->code;
      }
      wait();
    }
    return *exit_code_;
  }

 private:
  tour::TourTime now() const {
    return {std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began_),
            std::chrono::system_clock::now()};
  }

  void save_session() {
    if (agent_.session_revision() == saved_revision_) return;
    saved_revision_ = agent_.session_revision();
    const auto error = store_.save(agent_.session());
    if (!error || reported_not_saved_) return;
    reported_not_saved_ = true;
    const std::string where = store_.directory().empty()
                                  ? "set HOME or XDG_STATE_HOME to a folder"
                                  : store_.directory() + ": " + error.message();
    say("agent-doc tour: the session cannot be kept (" + where +
        "). The reply goes on, but resuming this session later will not be possible.");
  }

  /// Collects nothing while output is pending: the agent must not run ahead of its reader.
  void collect_lines() {
    if (!output_.empty()) return;
    const std::uint64_t revision = agent_.session_revision();
    for (const std::string& line : agent_.take_lines(now())) {
      output_ += line;
      output_ += '\n';
    }
    if (agent_.session_revision() != revision) save_session();
  }

  int milliseconds_to_wait() const {
    if (!output_.empty()) return -1;
    const auto due = agent_.next_due();
    if (!due) return -1;
    const auto left = (*due - now().elapsed).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
  }

  void wait() {
    enum { kInput, kOutput, kSignals };
    std::array<pollfd, 3> events{
        {{input_open_ ? STDIN_FILENO : -1, POLLIN, 0},
         {STDOUT_FILENO, static_cast<short>(output_.empty() ? 0 : POLLOUT), 0},
         {signals_, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), milliseconds_to_wait()) < 0 && errno != EINTR) {
      say(std::string("agent-doc tour: cannot wait for input: ") + std::strerror(errno));
      exit_code_ = 1;
      return;
    }
    if (events[kSignals].revents != 0) read_signal();
    if ((events[kOutput].revents & (POLLERR | POLLNVAL)) != 0) {
      exit_code_ = 1;
      return;
    }
    if (events[kInput].revents != 0) read_input();
    if ((events[kOutput].revents & POLLOUT) != 0) write_output();
  }

  void read_signal() {
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
    if (info.ssi_signo == SIGTERM) exit_code_ = kTerminated;
    if (info.ssi_signo == SIGHUP) exit_code_ = kHungUp;
    if (info.ssi_signo == SIGINT) agent_.on_interrupt(now());
  }

  void read_input() {
    std::array<char, 64 * 1024> piece{};
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      input_open_ = false;
      if (!input_.empty()) agent_.on_line(std::exchange(input_, {}), now());
      agent_.on_eof(now());
      return;
    }
    std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n')) {
      input_ += bytes.substr(0, end);
      agent_.on_line(std::exchange(input_, {}), now());
      bytes.remove_prefix(end + 1);
    }
    input_ += bytes;
    if (input_.size() > kMaxInputLineBytes) {
      say("agent-doc tour: a line of standard input is longer than " +
          std::to_string(kMaxInputLineBytes) + " bytes; ask in fewer words.");
      exit_code_ = 1;
    }
  }

  void write_output() {
    const std::size_t size = std::min(output_.size() - written_, kWriteBytes);
    const ssize_t written = ::write(STDOUT_FILENO, output_.data() + written_, size);
    if (written < 0 && errno != EINTR && errno != EAGAIN) exit_code_ = 1;
    if (written > 0) written_ += static_cast<std::size_t>(written);
    if (written_ < output_.size()) return;
    output_.clear();
    written_ = 0;
  }

  tour::TourAgent agent_;
  TourStore store_;
  int signals_;
  std::chrono::steady_clock::time_point began_;
  std::uint64_t saved_revision_ = 0;
  bool reported_not_saved_ = false;
  bool input_open_ = true;
  std::string input_;
  std::string output_;
  std::size_t written_ = 0;
  std::optional<int> exit_code_;
};

int catch_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t caught;
  ::sigemptyset(&caught);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&caught, signal);
  ::sigprocmask(SIG_BLOCK, &caught, nullptr);
  return ::signalfd(-1, &caught, SFD_CLOEXEC);
}

/// Avoids std::random_device: statically linked, it needs a newer C library than a packaged server
/// may require.
tour::RandomBits random_bits() {
  return [] {
    std::uint64_t bits = 0;
    while (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) continue;
    return bits;
  };
}

/// Behaves like the real program: a sentence, and a result in place of a reply.
int no_such_session(const std::string& id, const tour::RandomBits& random) {
  const std::string message = "No conversation found with session ID: " + id;
  say(message);
  tour::TourWire wire({}, random);
  wire.no_such_session(id, message);
  const std::string line = wire.take_lines().front() + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
  return 1;
}

}  // namespace

int run_tour_agent(int argc, char** argv) {
  namespace tour = plugins::tour;
  const auto [flags, problem] = parse_tour_flags(argc, argv);
  if (!problem.empty()) {
    say(problem);
    return 1;
  }
  const int signals = catch_signals();
  const tour::RandomBits random = random_bits();
  const TourStore store = TourStore::of_this_person();

  tour::TourSession session;
  if (!flags.resume.empty()) {
    auto found = store.load(flags.resume);
    if (!found && found.error() != boost::system::errc::no_such_file_or_directory) {
      say("agent-doc tour: the session " + flags.resume + " cannot be read from " +
          store.directory() + ": " + found.error().message());
    }
    if (!found) return no_such_session(flags.resume, random);
    session = std::move(*found);
  }
  if (!flags.session_id.empty() && store.exists(flags.session_id)) {
    say("Error: Session ID " + flags.session_id + " is already in use.");
    return 1;
  }
  if (flags.fork_session) session = tour::fork_of(session, {});
  if (session.id.empty())
    session.id = flags.session_id.empty() ? tour::make_uuid(random) : flags.session_id;

  return TourProcess(tour::TourAgent(options_of(flags), std::move(session), random), store, signals)
      .run();
}

}  // namespace agent_doc::app
