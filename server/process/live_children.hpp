// What it is: which agents live: their markers, the guard that is told of them, the orphans that they leave behind.
// What it is not: it neither starts nor stops one (asio_launcher.*, running_child.*).
// Thread rule: the server's thread only.
#pragma once

#include "server/process/asio_launcher.hpp"
#include "server/process/guard.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace agent_doc::process {

class RunningChild;

class LiveChildren : public std::enable_shared_from_this<LiveChildren> {
 public:
  LiveChildren(boost::asio::io_context& io, const LauncherOptions& options);

  /// For the environment of the next agent; no other process of the system has it.
  std::string next_marker();
  /// Before an agent is started, so that the guard covers it from its first moment.
  void starting();
  void started(RunningChild& child);
  /// The process has ended, its tree is killed, it is about to be reaped.
  void ending(const RunningChild& child);
  void reaped();
  /// Nothing more will be heard of it.
  void gone(RunningChild& child);

  std::size_t count() const { return children_.size(); }
  std::vector<RunningChild*> all() const { return {children_.begin(), children_.end()}; }
  /// Calls it (from the io_context) as soon as no child lives.
  void when_none(std::function<void()> done);
  pid_t guard_pid() const { return guard_ ? guard_->pid() : 0; }
  /// The launcher is gone: no more waiting for orphans.
  void close();

 private:
  void reap_orphans();
  void wait_for_orphans();

  boost::asio::io_context& io_;
  const Orphans orphans_;
  const std::string id_;
  std::uint64_t last_number_ = 0;
  std::set<RunningChild*> children_;
  std::set<pid_t> leaders_;  ///< not reaped yet
  std::optional<Guard> guard_;
  boost::asio::signal_set child_ended_;
  bool waiting_for_orphans_ = false;
  std::vector<std::function<void()>> when_none_;
};

}  // namespace agent_doc::process
