#include "server/process/live_children.hpp"

#include "server/process/process_tree.hpp"
#include "server/process/running_child.hpp"

#include <boost/asio/post.hpp>

#include <sys/random.h>

#include <array>
#include <csignal>
#include <utility>

namespace agent_doc::process {

namespace live_children_internal {

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  // Never short: up to 256 bytes are given at once, and the pool is ready long before any program of a person runs.
  [[maybe_unused]] const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4U];
    id += kDigits[byte & 0xFU];
  }
  return id + '-';
}

}  // namespace live_children_internal

LiveChildren::LiveChildren(boost::asio::io_context& io, const LauncherOptions& options)
    : io_(io), orphans_(options.orphans), id_(live_children_internal::random_id()), child_ended_(io) {
  if (!options.guard_command.empty()) guard_.emplace(io, options.guard_command, id_);
}

std::string LiveChildren::next_marker() {
  return id_ + std::to_string(++last_number_) + ';';
}

void LiveChildren::starting() {
  if (guard_) guard_->ensure_running();
}

void LiveChildren::started(RunningChild& child) {
  children_.insert(&child);
  leaders_.insert(child.pid());
  if (guard_) guard_->agent_started(child.pid(), child.prompt_file());
  if (orphans_ == Orphans::Reap && leaders_.size() == 1) {
    boost::system::error_code ignored;  // without it orphans are reaped when an agent ends
    child_ended_.add(SIGCHLD, ignored);
    wait_for_orphans();
  }
}

void LiveChildren::ending(const RunningChild& child) {
  if (guard_) guard_->agent_ended(child.pid());
  leaders_.erase(child.pid());
  boost::system::error_code ignored;
  if (leaders_.empty()) child_ended_.clear(ignored);
}

void LiveChildren::reaped() {
  if (orphans_ == Orphans::Reap) reap_orphans();
}

void LiveChildren::gone(RunningChild& child) {
  children_.erase(&child);
  if (!children_.empty()) return;
  for (std::function<void()>& done : std::exchange(when_none_, {})) boost::asio::post(io_, std::move(done));
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

void LiveChildren::reap_orphans() {
  std::set<pid_t> known = leaders_;
  if (guard_pid() != 0) known.insert(guard_pid());
  reap_adopted(known);
}

void LiveChildren::wait_for_orphans() {
  if (waiting_for_orphans_) return;
  waiting_for_orphans_ = true;
  child_ended_.async_wait([weak = weak_from_this()](const boost::system::error_code& error, int) {
    const std::shared_ptr<LiveChildren> self = weak.lock();
    if (!self) return;
    self->waiting_for_orphans_ = false;
    if (!error) self->reap_orphans();
    if (!self->leaders_.empty()) self->wait_for_orphans();
  });
}

}  // namespace agent_doc::process
