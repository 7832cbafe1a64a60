// What it is: which agents live: their markers, how they are started, the orphans that they leave
// behind.
// What it is not: it stops none (running_child.*).
// Thread rule: the server's thread only.
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

/// After so many in a row that could not be started agents are started without.
inline constexpr int kMaxFailedGuards = 3;

class RunningChild;

class LiveChildren : public std::enable_shared_from_this<LiveChildren> {
 public:
  LiveChildren(boost::asio::io_context& io, const LauncherOptions& options);

  /// For the environment of the next agent; no other process of the system has it.
  std::string next_marker();
  /// Behind guards, unless none can be had: that is no reason to have no agents.
  boost::system::result<StartedAgent> start(const SpawnRequest& request,
                                            const std::string& prompt_file,
                                            const std::string& marker);
  void started(RunningChild& child);
  /// It has ended, its tree is killed, it is reaped.
  void ended(const RunningChild& child);
  /// The same, but what it had started may have come to this process. `since`: ProcessStat::start
  /// of its first process.
  void ended_without_guards(const RunningChild& child, std::uint64_t since);
  /// Nothing more will be heard of it.
  void gone(RunningChild& child);

  std::size_t count() const { return children_.size(); }
  std::vector<RunningChild*> all() const { return {children_.begin(), children_.end()}; }
  /// Calls it (from the io_context) as soon as no child lives.
  void when_none(std::function<void()> done);
  /// The launcher is gone: no more waiting for orphans.
  void close();

 private:
  void forget(const RunningChild& child);
  void wait_for_orphans();

  boost::asio::io_context& io_;
  const Orphans orphans_;
  const std::string id_;
  std::uint64_t last_number_ = 0;
  std::set<RunningChild*> children_;
  std::set<pid_t> ours_;  ///< children of this process that it started itself and has not reaped
  const std::vector<std::string> guard_command_;
  int failed_guards_ = 0;  ///< in a row
  boost::asio::signal_set child_ended_;
  bool waiting_for_orphans_ = false;
  std::vector<std::function<void()>> when_none_;
};

}  // namespace agent_doc::process
