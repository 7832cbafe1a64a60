#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/file_exchange.hpp"
#include "editors/cli/question.hpp"
#include "editors/cli/run_process.hpp"
#include "editors/cli/run_summary.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/watch_plan.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/file/folder_watch.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/markdown/send_mark.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;
namespace filesystem = std::filesystem;

namespace {

/// More folders are a mistake (a home folder, the root), and a limit of the system before long.
constexpr std::size_t kMaxWatchedFolders = 10'000;
constexpr std::size_t kMaxToldSentence = 300;

bool is_hidden(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with('.');
}

/// In a folder only what is markdown by its name, and not by having no name.
bool may_be_watched(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return !is_hidden(path) && name.find('.') != std::string_view::npos && has_markdown_name(name);
}

class Watcher {
 public:
  Watcher(const WatchOptions& options, file::FolderWatch watch)
      : options_(options),
        watch_(std::move(watch)),
        plan_(options.jobs),
        watched_(io_, watch_.native_handle()),
        timer_(io_),
        signals_(io_, SIGINT, SIGTERM, SIGHUP),
        children_(io_, SIGCHLD) {}
  ~Watcher() { watched_.release(); }  // watch_ owns the descriptor
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int run() {
    for (const std::string& target : options_.targets) {
      if (const std::string problem = add_target(target); !problem.empty())
        return complain(watch_.size() == 0 ? kUsage : kTurnFailed, problem);
    }
    tell_of_configuration();
    wait_for_signal();
    wait_for_children();
    wait_for_events();
    say("watching " + std::to_string(watch_.size()) +
        (watch_.size() == 1 ? " folder" : " folders") +
        ": save a document whose question ends with a line /send, or has - [x] send");
    arm();
    io_.run();
    return exit_code_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Kind = file::FolderWatch::Event::Kind;
  struct Run {
    std::unique_ptr<RunProcess> process;
    RunSummary summary;
  };

  /// Returns why `target` cannot be watched, or an empty string.
  std::string add_target(const std::string& target) {
    std::error_code error;
    const filesystem::path path = filesystem::canonical(target, error);
    if (error) return target + " cannot be watched: " + error.message() + ".";
    if (filesystem::is_directory(path, error)) {
      trees_.insert(path.string());
      return add_tree(path.string());
    }
    if (!filesystem::is_regular_file(path, error))
      return target + " is neither a folder nor a file.";
    files_.insert(path.string());
    plan_.saved(path.string(), Clock::now());
    return add_folder(path.parent_path().string());
  }

  std::string add_folder(const std::string& folder) {
    if (watch_.size() >= kMaxWatchedFolders)
      return folder + " is not watched: more than " + std::to_string(kMaxWatchedFolders) +
             " folders are too many. Name those that have documents.";
    const boost::system::error_code error = watch_.add(folder);
    if (!error || error == boost::system::errc::no_such_file_or_directory) return {};
    return file::why_not_watched(folder, error);
  }

  /// Watches `folder` and all in it but hidden folders and links. What asks for it there already is
  /// run, too: it was saved before, or while the folder was not watched yet.
  std::string add_tree(const std::string& folder) {
    std::vector<std::string> left{folder};
    while (!left.empty()) {
      const std::string one = std::move(left.back());
      left.pop_back();
      if (std::string problem = add_folder(one); !problem.empty()) return problem;
      std::error_code error;
      for (filesystem::directory_iterator entry(one, error), end; !error && entry != end;
           entry.increment(error)) {
        const std::string path = entry->path().string();
        std::error_code ignored;
        if (entry->is_symlink(ignored) || is_hidden(path)) continue;
        if (entry->is_directory(ignored)) left.push_back(path);
        if (may_be_watched(path)) plan_.saved(path, Clock::now());
      }
    }
    return {};
  }

  bool is_in_tree(const std::string& path) const {
    for (const std::string& tree : trees_) {
      if (path.starts_with(tree == "/" ? tree : tree + "/")) return true;
    }
    return false;
  }
  bool is_ours(const std::string& path) const {
    return files_.contains(path) || (may_be_watched(path) && is_in_tree(path));
  }

  void wait_for_events() {
    watched_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code& error) {
                          if (error || is_stopping_) return;
                          for (const file::FolderWatch::Event& event : watch_.drain()) take(event);
                          arm();
                          wait_for_events();
                        });
  }

  void take(const file::FolderWatch::Event& event) {
    switch (event.kind) {
      case Kind::FileSaved:
        if (is_ours(event.path)) plan_.saved(event.path, Clock::now());
        return;
      case Kind::FolderMade: {
        std::error_code ignored;
        if (is_hidden(event.path) || !is_in_tree(event.path) ||
            filesystem::is_symlink(event.path, ignored))
          return;
        if (const std::string problem = add_tree(event.path); !problem.empty()) warn(problem);
        return;
      }
      case Kind::FolderGone:
        if (trees_.contains(event.path))
          warn(event.path + " is gone, so it is not watched any more.");
        if (watch_.size() == 0) stop(kTurnFailed);
        return;
      case Kind::EventsLost:
        return look_at_everything();
    }
  }

  void look_at_everything() {
    for (const std::string& tree : trees_) {
      if (const std::string problem = add_tree(tree); !problem.empty()) warn(problem);
    }
    for (const std::string& path : files_) {
      const std::string folder = filesystem::path(path).parent_path().string();
      if (const std::string problem = add_folder(folder); !problem.empty()) warn(problem);
      plan_.saved(path, Clock::now());
    }
  }

  void arm() {
    const std::optional<Clock::time_point> next = plan_.next_look();
    if (!next || is_stopping_) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(*next);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || is_stopping_) return;
      while (const std::optional<std::string> path = plan_.take_due(Clock::now())) look(*path);
      arm();
    });
  }

  /// Runs the document if it asks for it.
  void look(const std::string& path) {
    file::FileResult<file::DocumentFile> document = file::DocumentFile::open(path);
    if (document.has_error() || document->path() != path) return;
    const file::FileResult<std::string> text = document->read();
    if (text.has_error()) {
      if (text.error().kind == file::FileErrorKind::BeingWritten)
        return look_again(path, text.error().message);
      if (files_.contains(path)) warn(text.error().message);
      return;
    }
    const std::optional<std::string> unmarked =
        markdown::without_send_marks(*text, markdown::read_front_matter(*text));
    if (!unmarked || !may_run(path)) return;
    // Another watcher of the same folder finds the mark gone, or the document held.
    std::optional<HeldDocument> held = hold_document(path);
    if (!held)
      return look_again(path, path + " is busy: a turn runs in it. Save it again afterwards.");
    const auto done = exchange_text(*document, *text, *unmarked);
    if (done.has_error()) return warn(done.error().message);
    if (*done == Exchanged::FoundOther) return plan_.saved(path, Clock::now());
    held.reset();
    start(path);
  }

  void look_again(const std::string& path, const std::string& why) {
    if (!plan_.look_again(path, Clock::now())) warn(why);
  }

  bool may_run(const std::string& path) {
    switch (plan_.may_run(path, Clock::now())) {
      case WatchPlan::Verdict::Run:
        return true;
      case WatchPlan::Verdict::LongChain:
        warn(path + " was run " + std::to_string(kMaxChain) +
             " times in a row, each time asked for during the run before: it may ask itself. To go "
             "on, save it again.");
        return false;
      case WatchPlan::Verdict::TooManyRuns:
        warn(path + " was run " + std::to_string(kMaxRunsInWindow) + " times within " +
             std::to_string(kRunsWindow.count()) +
             " minutes: it may ask itself. To go on, save it again later.");
        return false;
      case WatchPlan::Verdict::TooManyOfAll:
        warn(path + " is not run: " + std::to_string(kMaxRunsOfAll) + " runs began within " +
             std::to_string(kRunsWindow.count()) +
             " minutes, so agents may ask each other. To go on, save it again later.");
        return false;
    }
    return false;
  }

  void start(const std::string& path) {
    RunOptions options;
    options.verbosity = Verbosity::Normal;
    options.force = Force::Yes;  // named by the person, or markdown by its name
    Run& run = runs_[path];
    run = Run{};
    run.process = std::make_unique<RunProcess>(
        io_, options, path, [this, path](std::string_view line) { on_event(path, line); },
        [this, path](std::string_view line) { on_words(path, line); });
    if (!run.process->has_started()) {
      runs_.erase(path);
      return warn(path + " could not be run: no process could be started.");
    }
    plan_.began(path, Clock::now());
    if (options_.format == Format::Text) say(path + " runs");
  }

  void on_event(const std::string& path, std::string_view line) {
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    if (error || !value.is_object()) return on_words(path, line);
    const json::object& event = value.as_object();
    runs_[path].summary.note(event);
    if (options_.format == Format::Json) {
      write_all(STDOUT_FILENO, event_line(path, event));
    } else if (const std::string complaint = complaint_in(event); !complaint.empty()) {
      warn(path + ": " + complaint);
    }
  }

  /// What is no event: a complaint from before the run began.
  void on_words(const std::string& path, std::string_view line) {
    if (line.starts_with("agent-doc: ")) line.remove_prefix(std::string_view("agent-doc: ").size());
    if (!line.empty()) warn(path + ": " + std::string(line));
  }

  void wait_for_children() {
    children_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      reap();
      wait_for_children();
    });
  }

  void reap() {
    for (auto one = runs_.begin(); one != runs_.end();) {
      const std::optional<int> code = one->second.process->reap();
      if (!code) {
        ++one;
        continue;
      }
      if (options_.format == Format::Text)
        write_all(STDOUT_FILENO, one->second.summary.last_line(one->first, *code));
      plan_.ended(one->first, Clock::now());
      one = runs_.erase(one);
    }
    if (is_stopping_ && runs_.empty()) return io_.stop();
    arm();
  }

  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      if (number == SIGHUP && !is_terminal_gone()) {
        tell_of_configuration();
        look_at_everything();
        arm();
      } else {
        stop(number == SIGINT ? kCancelled : kDone);
      }
      wait_for_signal();
    });
  }

  /// A terminal that is closed sends the same signal as a person who means the configuration.
  bool is_terminal_gone() const { return had_terminal_ && ::tcgetpgrp(STDIN_FILENO) < 0; }

  /// Ends when no turn runs any more: each is stopped and keeps what has arrived.
  void stop(int code) {
    if (!is_stopping_) exit_code_ = code;
    is_stopping_ = true;
    timer_.cancel();
    for (auto& [path, run] : runs_) run.process->interrupt();
    if (runs_.empty()) io_.stop();
  }

  /// Each run reads the configuration anew; here it is only looked at for mistakes.
  void tell_of_configuration() {
    for (const std::string& problem : app::load_config().problems) warn(problem);
  }

  void say(const std::string& sentence) const {
    if (options_.format == Format::Json) return;
    write_all(STDOUT_FILENO, turn::one_line(sentence, kMaxToldSentence) + "\n");
  }
  void warn(const std::string& sentence) const {
    if (options_.format == Format::Text) {
      complain(kDone, turn::one_line(sentence, kMaxToldSentence));
      return;
    }
    const json::object event{{"event", "message"},
                             {"kind", "error"},
                             {"text", turn::one_line(sentence, kMaxToldSentence)}};
    write_all(STDOUT_FILENO, protocol::serialise_json(event) + "\n");
  }

  WatchOptions options_;
  boost::asio::io_context io_{1};
  file::FolderWatch watch_;
  WatchPlan plan_;
  boost::asio::posix::stream_descriptor watched_;
  boost::asio::steady_timer timer_;
  boost::asio::signal_set signals_;
  boost::asio::signal_set children_;
  std::set<std::string> trees_;
  std::set<std::string> files_;  ///< named one by one
  std::map<std::string, Run> runs_;
  bool had_terminal_ = ::isatty(STDIN_FILENO) != 0;
  bool is_stopping_ = false;
  int exit_code_ = kDone;
};

}  // namespace

int watch(const WatchOptions& options) {
  WatchOptions all = options;
  if (all.targets.empty()) all.targets.emplace_back(".");
  auto made = file::FolderWatch::make();
  if (made.has_error())
    return complain(kTurnFailed, file::why_not_watched(all.targets.front(), made.error()));
  return Watcher(all, std::move(*made)).run();
}

}  // namespace agent_doc::cli
