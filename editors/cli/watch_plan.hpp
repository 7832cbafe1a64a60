// When `agent-doc watch` looks at a file that was saved, and whether it may run it: saves are
// debounced, a document runs once at a time, several at once up to a limit, and runs that follow
// each other without a person between them come to an end. Pure: time comes in as a parameter.
// watch.cpp has the files and the processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace agent_doc::cli {

/// Some editors save by several steps: a file is looked at when it was quiet for so long, or after
/// kLongestSettling of saves without a pause.
inline constexpr std::chrono::milliseconds kSettling{100};
inline constexpr std::chrono::milliseconds kLongestSettling{1000};
/// A save during a run, or so soon after it, may be the agent's own.
inline constexpr std::chrono::milliseconds kChainGap{2000};
/// So many runs of one document may follow each other in that way.
inline constexpr unsigned kMaxChain = 5;
/// And so many runs of one document may begin within kRunsWindow, whatever is between them.
inline constexpr std::size_t kMaxRunsInWindow = 20;
inline constexpr std::chrono::minutes kRunsWindow{10};
/// And of all documents together: an agent may write new ones that ask to be sent.
inline constexpr std::size_t kMaxRunsOfAll = 100;
/// A file that is being written, or runs elsewhere, is looked at again after a pause, so often.
inline constexpr std::chrono::milliseconds kLookAgainAfter{500};
inline constexpr unsigned kMaxLooksAgain = 4;

class WatchPlan {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit WatchPlan(unsigned jobs) : jobs_(jobs) {}

  void saved(const std::string& path, Time now);
  /// It could not be read or taken now. Returns false when that was so too often: then the next
  /// save counts.
  bool look_again(const std::string& path, Time now);
  /// Returns when take_due() has a file; nullopt: not before something else happens.
  std::optional<Time> next_look() const;
  /// Returns a file to look at, once.
  std::optional<std::string> take_due(Time now);

  enum class Verdict {
    Run,
    LongChain,     ///< it would be run kMaxChain times in a row
    TooManyRuns,   ///< it was run kMaxRunsInWindow times within kRunsWindow
    TooManyOfAll,  ///< kMaxRunsOfAll runs of any documents began within kRunsWindow
  };
  /// Returns whether the file, which asks to be sent, may run.
  Verdict may_run(const std::string& path, Time now);
  void began(const std::string& path, Time now);
  /// What was saved meanwhile is looked at now.
  void ended(const std::string& path, Time now);

  unsigned running() const { return running_; }

 private:
  struct File {
    std::optional<Time> due;
    Time first_save;  ///< of those that are not looked at yet
    bool runs = false;
    bool saved_while_running = false;
    unsigned looks_again = 0;
    unsigned chain = 0;  ///< runs in a row
    std::optional<Time> ended;
    std::deque<Time> began;  ///< the last ones, at most kMaxRunsInWindow
  };
  void forget_idle(const std::string& path, Time now);

  unsigned jobs_;
  unsigned running_ = 0;
  std::deque<Time> began_;  ///< of all files, at most kMaxRunsOfAll
  std::map<std::string, File> files_;
};

}  // namespace agent_doc::cli
