// One `agent-doc run FILE --json` as a process of its own, for commands that run several documents:
// what it prints comes line by line, and its end is found when the owner hears of SIGCHLD. When
// this program dies, it stops its turn. Belongs to the thread of the io_context.
#pragma once

#include "editors/cli/commands.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace agent_doc::cli {

/// A line of a run's events is at most so long; what is longer is told as text.
inline constexpr std::size_t kMaxEventBytes = 256 * 1024 * 1024;

class RunProcess {
 public:
  using OnLine = std::function<void(std::string_view)>;

  /// Starts the run with those of `options` that go for one of several documents: nobody is asked.
  /// `event` gets the lines of its standard output, `complaint` those of its standard error.
  RunProcess(boost::asio::io_context& io, const RunOptions& options, const std::string& file,
             OnLine event, OnLine complaint);
  ~RunProcess();
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  bool has_started() const { return pid_ > 0; }
  /// Stops its turn, as Ctrl-C does.
  void interrupt() const;
  /// Returns the exit code, once, if it has ended; all its lines were given then.
  std::optional<int> reap();

 private:
  class Lines;

  pid_t pid_ = -1;
  bool is_reaped_ = false;
  std::shared_ptr<Lines> out_;
  std::shared_ptr<Lines> error_;
};

}  // namespace agent_doc::cli
