// What it is: real agent processes on an io_context: pipes, lines, signals, the end of whole
// process trees.
// What it is not: it knows no agent's protocol and keeps nothing beyond the processes' lives.
// Thread rule: the thread that runs the io_context. SIGPIPE must be ignored in this process;
// descriptors 0, 1 and 2 must be open.
#pragma once

#include "server/process/child.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace agent_doc::process {

/// Processes that an agent started and that outlived their parents come to this process when
/// become_subreaper() was called.
enum class Orphans {
  LeaveEnded,  ///< this process has other children than agents: only what is proven to be an
               ///< agent's is touched
  Reap,  ///< the launcher is the only one that starts children here: all others of another session
         ///< are orphans, and are reaped when they end
};

struct LauncherOptions {
  /// Program (absolute path) and arguments that call run_guard(0): each agent has guards of its own
  /// then, so that nothing that it starts outlives it or this process (guard.hpp). Empty: none.
  std::vector<std::string> guard_command;
  Orphans orphans = Orphans::LeaveEnded;
};

class AsioLauncher : public ChildLauncher {
 public:
  /// Children that are not reaped yet, or whose on_exit() is still to come.
  virtual std::size_t live_count() const = 0;
  /// Child::stop() for each. `done` is called from the io_context when none is left (at once when
  /// there is none).
  virtual void stop_all(StopUrgency urgency, std::function<void()> done) = 0;
};

/// The io_context outlives the launcher and all its children. While children live, they keep
/// io_context::run() going; without any it may return.
std::unique_ptr<AsioLauncher> make_asio_launcher(boost::asio::io_context& io,
                                                 const LauncherOptions& options);

}  // namespace agent_doc::process
