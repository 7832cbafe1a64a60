// The agents that are alive: their markers, how they are started, and the orphans that they leave
// behind. running_child.hpp stops them.
#pragma once

#include "server/process/agent_process.hpp"
#include "server/process/asio_launcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace agent_doc::process {

/// After this many guards in a row failed to start, agents are started without.
inline constexpr int kMaxFailedGuards = 3;

class RunningChild;

class LiveChildren : public std::enable_shared_from_this<LiveChildren> {
 public:
  LiveChildren(boost::asio::io_context& io, const LauncherOptions& options);

  /// Returns the marker for the environment of the next agent. No other process of the system has
  /// it.
  std::string next_marker();
  /// Starts an agent behind guards, or without when no guard can be started.
  boost::system::result<StartedAgent> start(const SpawnRequest& request,
                                            const std::string& prompt_file,
                                            const std::string& marker);
  void started(RunningChild& child);
  /// Reports that a child has ended, its tree is killed and it is reaped.
  void ended(const RunningChild& child);
  /// Reports the same when what the child had started may have been adopted by this process.
  /// `since` is ProcessStat::start of its first process.
  void ended_without_guards(const RunningChild& child, std::uint64_t since);
  /// Reports that a child makes no more calls.
  void gone(RunningChild& child);

  std::size_t count() const { return children_.size(); }
  std::vector<RunningChild*> all() const { return {children_.begin(), children_.end()}; }
  /// Calls `done` from the io_context as soon as no child lives.
  void when_none(std::function<void()> done);
  /// Stops waiting for orphans, because the launcher is gone.
  void close();

 private:
  void forget(const RunningChild& child);
  void wait_for_orphans();

  boost::asio::io_context& io_;
  const Orphans orphans_;
  const std::string id_;
  std::uint64_t last_number_ = 0;
  std::set<RunningChild*> children_;
  std::set<pid_t> ours_;  ///< children that this process started itself and has not reaped
  const std::vector<std::string> guard_command_;
  int failed_guards_ = 0;  ///< consecutive
  boost::asio::signal_set child_ended_;
  bool waiting_for_orphans_ = false;
  std::vector<std::function<void()>> when_none_;
};

}  // namespace agent_doc::process
