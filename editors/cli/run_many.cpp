#include "editors/cli/run_many.hpp"

#include "editors/cli/run_process.hpp"
#include "editors/cli/run_summary.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::size_t kMaxShownMessage = 300;

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
    std::unique_ptr<RunProcess> process{};
    RunSummary summary{};
    bool has_ended = false;
  };

  void start_more() {
    while (!is_stopping_ && next_ < runs_.size() && running_ < options_.jobs)
      start(*runs_[next_++]);
    if (running_ == 0) io_.stop();
  }

  void start(Run& run) {
    run.process = std::make_unique<RunProcess>(
        io_, options_, run.file, [this, &run](std::string_view line) { on_event(run, line); },
        [this, &run](std::string_view line) { on_message(run, "error", line); });
    if (!run.process->has_started()) return ended(run, kTurnFailed);
    ++running_;
  }

  void on_event(Run& run, std::string_view line) {
    boost::system::error_code error;
    json::value value = json::parse(line, error);
    if (error || !value.is_object()) return on_message(run, "error", line);
    json::object& event = value.as_object();
    run.summary.note(event);
    if (options_.format == Format::Json) return print(event_line(run.file, event));
    if (const std::string complaint = complaint_in(event); !complaint.empty()) told(run, complaint);
  }

  /// What is no event: a complaint from before the run began.
  void on_message(Run& run, std::string_view kind, std::string_view line) {
    if (line.starts_with("agent-doc: ")) line.remove_prefix(std::string_view("agent-doc: ").size());
    if (line.empty()) return;
    if (options_.format == Format::Text) return told(run, std::string(line));
    json::object event{
        {"event", "message"}, {"kind", kind}, {"text", turn::one_line(line, line.size() * 3)}};
    print(event_line(run.file, event));
  }

  void told(Run& run, const std::string& text) {
    progress_.clear();
    write_all(STDERR_FILENO,
              "agent-doc: " + run.file + ": " + turn::one_line(text, kMaxShownMessage) + "\n");
  }

  static void print(const std::string& text) { write_all(STDOUT_FILENO, text); }

  void wait_for_children() {
    children_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      reap();
      wait_for_children();
    });
  }

  void reap() {
    for (const std::unique_ptr<Run>& run : runs_) {
      const std::optional<int> code = run->process ? run->process->reap() : std::nullopt;
      if (!code) continue;
      --running_;
      ended(*run, *code);
    }
    start_more();
  }

  void ended(Run& run, int code) {
    run.has_ended = true;
    ++ended_;
    worst_ = worse_of(worst_, code);
    if (options_.format == Format::Json) return;
    progress_.clear();
    print(run.summary.last_line(run.file, code));
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
      if (!run->process || run->has_ended) continue;
      what += (what.empty() ? "" : ", ") + run->file + " " +
              (run->summary.phase().empty() ? "begins" : run->summary.phase());
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
        if (run->process) run->process->interrupt();
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
