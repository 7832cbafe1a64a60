// Runs agent processes on an io_context: pipes, lines, signals, and ending whole process trees.
//
// Use it from the thread that runs the io_context. SIGPIPE must be ignored in this process, and the
// descriptors 0, 1 and 2 must be open.
#pragma once

#include "server/process/child.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace agent_doc::process {

/// How to treat processes that an agent started and that outlived their parents. They become
/// children of this process when become_subreaper() was called.
enum class Orphans {
  /// This process has other children than agents: touch only what provably belongs to an agent.
  LeaveEnded,
  /// Only the launcher starts children in this process: every other child in another session is an
  /// orphan, and is reaped when it ends.
  Reap,
};

struct LauncherOptions {
  /// Program (absolute path) and arguments that call run_guard(0). Each agent then has guards of
  /// its own, so that nothing it starts outlives it or this process (guard.hpp). Empty: no guards.
  std::vector<std::string> guard_command;
  Orphans orphans = Orphans::LeaveEnded;
};

class AsioLauncher : public ChildLauncher {
 public:
  /// Returns the number of children that are not reaped yet, or whose on_exit() is still pending.
  virtual std::size_t live_count() const = 0;
  /// Calls Child::stop() for each child. `done` runs from the io_context when none is left, and
  /// soon if there is none now.
  virtual void stop_all(StopUrgency urgency, std::function<void()> done) = 0;
};

/// Returns a launcher on `io`, which must outlive it and all its children. io_context::run() goes
/// on as long as children live.
std::unique_ptr<AsioLauncher> make_asio_launcher(boost::asio::io_context& io,
                                                 const LauncherOptions& options);

}  // namespace agent_doc::process
