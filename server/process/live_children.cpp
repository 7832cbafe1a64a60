#include "server/process/live_children.hpp"

#include "server/process/process_tree.hpp"
#include "server/process/running_child.hpp"

#include <boost/asio/post.hpp>

#include <sys/random.h>

#include <array>
#include <chrono>
#include <csignal>
#include <utility>

namespace agent_doc::process {

namespace {

/// How long killing orphans may block this thread.
constexpr std::chrono::milliseconds kKillOrphansLimit{200};

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  // Never short: up to 256 bytes are returned at once, and the pool is initialised long before any
  // user's program runs.
  [[maybe_unused]] const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 0xFU];
  }
  return id + '-';
}

}  // namespace

LiveChildren::LiveChildren(boost::asio::io_context& io, const LauncherOptions& options)
    : io_(io),
      orphans_(options.orphans),
      id_(random_id()),
      guard_command_(options.guard_command),
      child_ended_(io) {}

std::string LiveChildren::next_marker() {
  return id_ + std::to_string(++last_number_) + ';';
}

boost::system::result<StartedAgent> LiveChildren::start(const SpawnRequest& request,
                                                        const std::string& prompt_file,
                                                        const std::string& marker) {
  if (!guard_command_.empty() && failed_guards_ < kMaxFailedGuards) {
    bool no_guard = false;
    boost::system::result<StartedAgent> started =
        start_guarded(guard_command_, request, prompt_file, marker, no_guard);
    failed_guards_ = no_guard ? failed_guards_ + 1 : 0;
    if (!no_guard) return started;
  }
  return start_directly(request, marker);
}

void LiveChildren::started(RunningChild& child) {
  children_.insert(&child);
  ours_.insert(child.child_of_ours());
  if (orphans_ == Orphans::Reap && ours_.size() == 1) {
    boost::system::error_code ignored;  // without it, orphans are reaped when an agent ends
    child_ended_.add(SIGCHLD, ignored);
    wait_for_orphans();
  }
}

void LiveChildren::ended(const RunningChild& child) {
  forget(child);
  if (orphans_ == Orphans::Reap) reap_adopted(ours_);
}

void LiveChildren::ended_without_guards(const RunningChild& child, std::uint64_t since) {
  forget(child);
  if (orphans_ == Orphans::Reap) kill_adopted(ours_, since, kKillOrphansLimit);
}

void LiveChildren::forget(const RunningChild& child) {
  ours_.erase(child.child_of_ours());
  boost::system::error_code ignored;
  if (ours_.empty()) child_ended_.clear(ignored);
}

void LiveChildren::gone(RunningChild& child) {
  children_.erase(&child);
  if (!children_.empty()) return;
  for (std::function<void()>& done : std::exchange(when_none_, {}))
    boost::asio::post(io_, std::move(done));
}

void LiveChildren::when_none(std::function<void()> done) {
  if (children_.empty()) {
    boost::asio::post(io_, std::move(done));
  } else {
    when_none_.push_back(std::move(done));
  }
}

void LiveChildren::close() {
  boost::system::error_code ignored;
  child_ended_.clear(ignored);
}

void LiveChildren::wait_for_orphans() {
  if (waiting_for_orphans_) return;
  waiting_for_orphans_ = true;
  child_ended_.async_wait([weak = weak_from_this()](const boost::system::error_code& error, int) {
    const std::shared_ptr<LiveChildren> self = weak.lock();
    if (!self) return;
    self->waiting_for_orphans_ = false;
    if (!error) reap_adopted(self->ours_);
    if (!self->ours_.empty()) self->wait_for_orphans();
  });
}

}  // namespace agent_doc::process
