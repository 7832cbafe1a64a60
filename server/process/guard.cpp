#include "server/process/guard.hpp"

#include "server/process/process_tree.hpp"
#include "server/process/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cassert>
#include <cerrno>
#include <utility>

namespace agent_doc::process {

namespace guard_internal {

/// A guard without agents only looks into /proc once and ends.
constexpr std::chrono::milliseconds kGuardEndLimit{1000};

std::string line_of(pid_t agent, const std::string& prompt_file) {
  const std::string line = '+' + std::to_string(agent);
  const bool fits_in_line = prompt_file.find('\n') == std::string::npos;
  return prompt_file.empty() || !fits_in_line ? line + '\n' : line + ' ' + prompt_file + '\n';
}

}  // namespace guard_internal

Guard::Guard(boost::asio::io_context& io, std::vector<std::string> command, std::string marker)
    : io_(io), command_(std::move(command)), marker_(std::move(marker)), ended_(io_), self_(std::make_shared<Guard*>(this)) {
  assert(!command_.empty());
}

Guard::~Guard() {
  input_ = FileDescriptor();
  if (pid_ == 0) return;
  if (!wait_for_end(open_pidfd(pid_).get(), guard_internal::kGuardEndLimit)) ::kill(pid_, SIGKILL);
  reap();
}

void Guard::ensure_running() {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0) return;
  pid_ = 0;
  start();
}

void Guard::start() {
  if (starts_ >= kMaxGuardStarts) return;
  ++starts_;
  SpawnRequest request;
  request.program = command_.front();
  request.args.assign(command_.begin() + 1, command_.end());
  request.cwd = "/";
  boost::system::result<Spawned> spawned = spawn(request, Output::Discarded);
  if (!spawned) return;
  pid_ = spawned->pid;
  input_ = std::move(spawned->stdin_pipe);
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  std::string known = '=' + marker_ + '\n';
  for (const auto& [agent, prompt_file] : agents_) known += guard_internal::line_of(agent, prompt_file);
  tell(known);
  if (!agents_.empty()) watch();
}

void Guard::agent_started(pid_t pid, const std::string& prompt_file) {
  agents_[pid] = prompt_file;
  tell(guard_internal::line_of(pid, prompt_file));
  if (agents_.size() == 1) watch();
}

void Guard::agent_ended(pid_t pid) {
  agents_.erase(pid);
  tell('-' + std::to_string(pid) + '\n');
  boost::system::error_code ignored;
  if (agents_.empty()) ended_.close(ignored);
}

/// A guard that does not take its line is of no use: it is ended, and watch() starts another one, which is told everything.
void Guard::tell(std::string_view line) {
  if (pid_ == 0) return;
  const ssize_t written = ::write(input_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) ::kill(pid_, SIGKILL);
}

void Guard::watch() {
  if (pid_ == 0) return;
  FileDescriptor pidfd = open_pidfd(pid_);
  boost::system::error_code error;
  ended_.close(error);
  if (!pidfd.is_open() || ended_.assign(pidfd.get(), error)) return;
  pidfd.release();
  wait_for_end_of_guard();
}

void Guard::wait_for_end_of_guard() {
  ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [weak = std::weak_ptr<Guard*>(self_), pid = pid_](const boost::system::error_code& wait_error) {
                      const std::shared_ptr<Guard*> self = weak.lock();
                      if (wait_error || !self || (*self)->pid_ != pid) return;
                      Guard& guard = **self;
                      // As in RunningChild: readiness may have been an earlier descriptor's.
                      if (!has_ended(guard.ended_.native_handle())) return guard.wait_for_end_of_guard();
                      guard.reap();
                      if (!guard.agents_.empty()) guard.start();
                    });
}

void Guard::reap() {
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  input_ = FileDescriptor();
}

}  // namespace agent_doc::process
