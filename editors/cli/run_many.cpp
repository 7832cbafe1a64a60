#include "editors/cli/run_many.hpp"

#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "server/process/file_descriptor.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::size_t kMaxShownMessage = 300;
constexpr int kProgramNotStarted = 127;

std::vector<std::string> arguments_for(const RunOptions& options, const std::string& file) {
  std::vector<std::string> arguments{path_of_this_program(), "run", "--json"};
  const auto add = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--agent", options.agent);
  add("--model", options.model);
  add("--allow", "none");
  if (options.verbosity == Verbosity::Verbose) arguments.emplace_back("--verbose");
  if (options.force == Force::Yes) arguments.emplace_back("--force");
  arguments.insert(arguments.end(), {"--", file});
  return arguments;
}

/// In a process group of its own: a Ctrl-C on the terminal reaches it once, from us. When we die,
/// it stops its turn.
[[noreturn]] void become_run(const std::vector<std::string>& arguments, int out, int error,
                             pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kProgramNotStarted);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv.front(), argv.data());
  ::_exit(kProgramNotStarted);
}

/// Cuts what comes through a pipe into lines.
class Lines {
 public:
  Lines(boost::asio::io_context& io, int descriptor, std::function<void(std::string_view)> line)
      : stream_(io, descriptor), line_(std::move(line)) {}

  void read() {
    stream_.async_read_some(boost::asio::buffer(piece_),
                            [this](const boost::system::error_code& error, std::size_t size) {
                              if (error) return end();
                              take(size);
                              read();
                            });
  }

  /// The program has ended: what is in the pipe is all.
  void drain() {
    if (!stream_.is_open()) return;
    stream_.non_blocking(true);
    boost::system::error_code error;
    for (std::size_t size = stream_.read_some(boost::asio::buffer(piece_), error); !error;
         size = stream_.read_some(boost::asio::buffer(piece_), error)) {
      take(size);
    }
    end();
  }

 private:
  void take(std::size_t size) {
    text_.append(piece_.data(), size);
    std::size_t at = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', at)) {
      line_(std::string_view(text_).substr(at, end - at));
      at = end + 1;
    }
    text_.erase(0, at);
    if (text_.size() > kMaxEventBytes) line_(std::exchange(text_, {}));
  }

  void end() {
    if (!stream_.is_open()) return;
    boost::system::error_code ignored;
    stream_.close(ignored);
    if (!text_.empty()) line_(std::exchange(text_, {}));
  }

  boost::asio::posix::stream_descriptor stream_;
  std::function<void(std::string_view)> line_;
  std::array<char, 65536> piece_{};
  std::string text_;
};

class ManyRuns {
 public:
  ManyRuns(const RunOptions& options, const std::vector<std::string>& files)
      : options_(options),
        signals_(io_, SIGINT, SIGTERM, SIGHUP),
        children_(io_, SIGCHLD),
        ticker_(io_),
        error_(facts_of(STDERR_FILENO)),
        progress_(error_.colour ? Colour::On : Colour::Off,
                  [](std::string_view bytes) { write_all(STDERR_FILENO, bytes); }) {
    for (const std::string& file : files) runs_.push_back(std::make_unique<Run>(Run{file}));
  }

  int run() {
    if (runs_.empty()) return kDone;
    wait_for_signal();
    wait_for_children();
    start_more();
    tick();
    io_.run();
    progress_.clear();
    if (options_.format == Format::Json)
      write_all(STDOUT_FILENO, protocol::serialise_json(
                                   json::object{{"event", "allEnded"}, {"exitCode", worst_}}) +
                                   "\n");
    return worst_;
  }

 private:
  struct Run {
    std::string file;
    pid_t pid = -1;
    std::unique_ptr<Lines> out{};
    std::unique_ptr<Lines> error{};
    std::string phase{};
    std::string last_error{};
    std::int64_t elapsed_ms = 0;
    std::int64_t output_tokens = 0;
    bool has_ended = false;
  };

  void start_more() {
    while (!is_stopping_ && next_ < runs_.size() && running_ < options_.jobs)
      start(*runs_[next_++]);
    if (running_ == 0) io_.stop();
  }

  void start(Run& run) {
    std::array<int, 2> out{-1, -1};
    std::array<int, 2> error{-1, -1};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(error.data(), O_CLOEXEC) != 0)
      return ended(run, kTurnFailed);
    const process::FileDescriptor our_out(out[1]);
    const process::FileDescriptor our_error(error[1]);
    const std::vector<std::string> arguments = arguments_for(options_, run.file);
    const pid_t parent = ::getpid();
    io_.notify_fork(boost::asio::io_context::fork_prepare);
    run.pid = ::fork();
    if (run.pid == 0) become_run(arguments, our_out.get(), our_error.get(), parent);
    io_.notify_fork(boost::asio::io_context::fork_parent);
    run.out = std::make_unique<Lines>(io_, out[0],
                                      [this, &run](std::string_view line) { on_event(run, line); });
    run.error = std::make_unique<Lines>(
        io_, error[0], [this, &run](std::string_view line) { on_message(run, "error", line); });
    if (run.pid < 0) return ended(run, kTurnFailed);
    ++running_;
    run.out->read();
    run.error->read();
  }

  void on_event(Run& run, std::string_view line) {
    boost::system::error_code error;
    json::value value = json::parse(line, error);
    if (error || !value.is_object()) return on_message(run, "error", line);
    json::object& event = value.as_object();
    note(run, event);
    if (options_.format == Format::Json) print(run, event);
  }

  void note(Run& run, const json::object& event) {
    const auto text = [&event](const char* key) {
      const json::value* value = event.if_contains(key);
      return value != nullptr && value->is_string() ? std::string(value->as_string())
                                                    : std::string();
    };
    const std::string kind = text("event");
    if (kind == "turn") {
      run.phase = text("phase");
      if (const json::value* elapsed = event.if_contains("elapsedMs"))
        run.elapsed_ms = elapsed->to_number<std::int64_t>();
      if (const json::value* usage = event.if_contains("usage");
          usage != nullptr && usage->is_object()) {
        if (const json::value* output = usage->as_object().if_contains("output"))
          run.output_tokens = output->to_number<std::int64_t>();
      }
    }
    if (kind == "message" && options_.format == Format::Text && text("kind") != "info")
      told(run, text("text"));
  }

  /// What is no event: a complaint from before the run began.
  void on_message(Run& run, std::string_view kind, std::string_view line) {
    if (line.starts_with("agent-doc: ")) line.remove_prefix(std::string_view("agent-doc: ").size());
    if (line.empty()) return;
    if (options_.format == Format::Text) return told(run, std::string(line));
    json::object event{
        {"event", "message"}, {"kind", kind}, {"text", turn::one_line(line, line.size() * 3)}};
    print(run, event);
  }

  void told(Run& run, const std::string& text) {
    run.last_error = text;
    progress_.clear();
    write_all(STDERR_FILENO,
              "agent-doc: " + run.file + ": " + turn::one_line(text, kMaxShownMessage) + "\n");
  }

  static void print(const Run& run, const json::object& event) {
    json::object line{
        {"event", event.contains("event") ? event.at("event") : json::value("message")},
        {"file", run.file}};
    for (const auto& field : event) {
      if (field.key() != "file") line[field.key()] = field.value();
    }
    write_all(STDOUT_FILENO, protocol::serialise_json(line) + "\n");
  }

  void wait_for_children() {
    children_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      reap();
      wait_for_children();
    });
  }

  void reap() {
    for (const std::unique_ptr<Run>& run : runs_) {
      int status = 0;
      if (run->pid <= 0 || run->has_ended || ::waitpid(run->pid, &status, WNOHANG) != run->pid)
        continue;
      run->out->drain();
      run->error->drain();
      --running_;
      ended(*run, WIFEXITED(status) ? WEXITSTATUS(status) : kTurnFailed);
    }
    start_more();
  }

  void ended(Run& run, int code) {
    run.has_ended = true;
    ++ended_;
    worst_ = worse_of(worst_, code);
    if (options_.format == Format::Json) return;
    progress_.clear();
    const char* sign = code == kDone ? "✔ " : code == kNothingToSend ? "– " : "✘ ";
    const char* state = code == kDone            ? "done"
                        : code == kCancelled     ? "stopped"
                        : code == kBusy          ? "busy"
                        : code == kNothingToSend ? "nothing to send"
                                                 : "failed";
    std::string line = sign + run.file + " · " + state;
    if (run.elapsed_ms > 0) line += " · " + duration(std::chrono::milliseconds(run.elapsed_ms));
    if (run.output_tokens > 0)
      line += " · " + std::to_string(run.output_tokens) + " tokens written";
    write_all(STDOUT_FILENO, turn::one_line(line, 3 * line.size()) + "\n");
  }

  void tick() {
    show_progress();
    ticker_.expires_after(kRedrawEvery);
    ticker_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tick();
    });
  }

  void show_progress() {
    if (options_.format == Format::Json || !error_.cursor) return;
    std::string what;
    for (const std::unique_ptr<Run>& run : runs_) {
      if (run->pid <= 0 || run->has_ended) continue;
      what += (what.empty() ? "" : ", ") + run->file + " " +
              (run->phase.empty() ? "begins" : run->phase);
    }
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_);
    progress_.show(
        {std::to_string(ended_) + " of " + std::to_string(runs_.size()), {}, what, elapsed, 0},
        columns_of(STDERR_FILENO));
  }

  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      is_stopping_ = true;
      worst_ = kCancelled;
      for (const std::unique_ptr<Run>& run : runs_) {
        if (run->pid > 0 && !run->has_ended) ::kill(run->pid, SIGINT);
      }
      wait_for_signal();
    });
  }

  RunOptions options_;
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  boost::asio::signal_set children_;
  boost::asio::steady_timer ticker_;
  StreamFacts error_;
  ProgressLine progress_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::size_t ended_ = 0;
  bool is_stopping_ = false;
  int worst_ = kDone;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

int worse_of(int one, int other) {
  constexpr std::array<int, 7> kOrder = {kDone,  kNothingToSend, kBusy,     kNoAgent,
                                         kUsage, kTurnFailed,    kCancelled};
  const auto rank = [&kOrder](int code) {
    const auto found = std::find(kOrder.begin(), kOrder.end(), code);
    return found == kOrder.end() ? kOrder.size() - 2
                                 : static_cast<std::size_t>(found - kOrder.begin());
  };
  return rank(one) >= rank(other) ? one : other;
}

int run_many(const RunOptions& options, const std::vector<std::string>& files) {
  return ManyRuns(options, files).run();
}

}  // namespace agent_doc::cli
