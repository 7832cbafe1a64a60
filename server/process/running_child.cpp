#include "server/process/running_child.hpp"

#include "server/process/process_stat.hpp"
#include "server/process/process_tree.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace agent_doc::process {

namespace {

/// How long killing a tree may block the server's thread. Processes are gone within a millisecond
/// of SIGKILL, unless the kernel itself holds them.
constexpr std::chrono::milliseconds kAbandonLimit{1000};
/// Exit code when somebody else reaped the process.
constexpr int kUnknownExitCode = 255;
/// How long a guard may take to carry out SIGKILL.
constexpr std::chrono::milliseconds kKillGrace{1500};

std::uint64_t start_of(pid_t pid) {
  const std::optional<ProcessStat> stat = read_process_stat(pid);
  return stat ? stat->start : 0;
}

}  // namespace

RunningChild::RunningChild(boost::asio::io_context& io, StartedAgent agent, PromptFile prompt_file,
                           plugins::OutputForm output, std::shared_ptr<LiveChildren> children,
                           ChildObserver& observer)
    : process_(std::move(agent.process)),
      pid_(process_->pid()),
      child_(process_->child()),
      began_(start_of(child_)),
      reaper_(io.get_executor()),
      prompt_file_(std::move(prompt_file)),
      children_(std::move(children)),
      observer_(&observer),
      stdin_(io),
      stdout_(io),
      stderr_(io),
      ended_(io),
      output_(output),
      stderr_tail_(kStderrTailBytes),
      stop_timer_(io),
      output_timer_(io) {
  try {
    stdin_.assign(agent.stdin_pipe.get());
    agent.stdin_pipe.release();
    stdout_.assign(agent.stdout_pipe.get());
    agent.stdout_pipe.release();
    stderr_.assign(agent.stderr_pipe.get());
    agent.stderr_pipe.release();
    FileDescriptor ended(::fcntl(process_->descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!ended.is_open())
      throw boost::system::system_error(errno, boost::system::system_category());
    ended_.assign(ended.get());
    ended.release();
    reaper_ = boost::process::v2::process(io.get_executor(), child_);
  } catch (...) {
    kill(*process_);  // a process that could not be attached must not be left running
    throw;
  }
}

void RunningChild::kill(AgentProcess& process) {
  process.signal(SIGKILL);
  if (!process.wait_for_end(kAbandonLimit)) process.force();
  if (!process.wait_for_end(kAbandonLimit)) return;
  process.kill_remaining();
  while (::waitpid(process.child(), nullptr, 0) < 0 && errno == EINTR) continue;
}

void RunningChild::start() {
  children_->started(*this);
  read_stdout();
  read_stderr();
  wait_for_end_of_process();
}

// --- standard input ---

void RunningChild::write_line(std::string_view line) {
  if (stdin_closing_ || !stdin_.is_open()) return;
  const std::size_t waiting = queued_lines_.size() + lines_being_written_.size() + line.size() + 1;
  if (waiting > kMaxStdinQueueBytes) {
    note_ = "agent-doc stopped the agent: it does not read its standard input (" +
            std::to_string(waiting) + " bytes would wait, the limit is " +
            std::to_string(kMaxStdinQueueBytes) + ")";
    stdin_closing_ = true;
    stop(StopUrgency::Normal);
    return;
  }
  queued_lines_ += line;
  queued_lines_ += '\n';
  if (lines_being_written_.empty()) write_queued();
}

void RunningChild::close_stdin() {
  stdin_closing_ = true;
  boost::system::error_code ignored;
  if (lines_being_written_.empty()) stdin_.close(ignored);
}

void RunningChild::write_queued() {
  lines_being_written_ = std::exchange(queued_lines_, {});
  boost::asio::async_write(
      stdin_, boost::asio::buffer(lines_being_written_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        self->lines_being_written_.clear();
        // An error means that the process reads no more, which is its right; its exit will tell.
        if (error) self->queued_lines_.clear();
        if (!error && !self->queued_lines_.empty()) return self->write_queued();
        boost::system::error_code ignored;
        if (error || self->stdin_closing_) self->stdin_.close(ignored);
      });
}

// --- standard output and error ---

void RunningChild::read_stdout() {
  stdout_.async_read_some(
      boost::asio::buffer(stdout_piece_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        self->on_stdout(error, count);
      });
}

void RunningChild::on_stdout(const boost::system::error_code& error, std::size_t count) {
  if (stdout_ended_) return;
  if (!error && !deliver({stdout_piece_.data(), count})) return;
  if (output_grace_over_) {
    read_remaining();
  } else if (!error) {
    return read_stdout();
  }
  end_stdout();
}

/// Returns false when the observer is gone.
bool RunningChild::deliver(std::string_view piece) {
  if (output_ == plugins::OutputForm::Text) return deliver_text(text_.take(piece));
  lines_.feed(piece);
  return deliver_lines();
}

bool RunningChild::deliver_text(std::string_view text) {
  if (observer_ != nullptr && !text.empty()) observer_->on_text(text);
  return observer_ != nullptr;
}

bool RunningChild::deliver_lines() {
  while (observer_ != nullptr) {
    const std::optional<Line> line = lines_.next();
    if (!line) return true;
    if (const auto* too_long = std::get_if<LineTooLong>(&*line)) {
      observer_->on_line_too_long(too_long->bytes);
    } else {
      observer_->on_line(std::get<std::string_view>(*line));
    }
  }
  return false;
}

/// Delivers what the pipe holds right now and no more: whoever still writes into it is not the
/// agent.
void RunningChild::read_remaining() {
  int held = 0;
  if (::ioctl(stdout_.native_handle(), FIONREAD, &held) != 0) return;
  for (std::size_t left = static_cast<std::size_t>(held); left > 0 && !stdout_ended_;) {
    const ssize_t count =
        ::read(stdout_.native_handle(), stdout_piece_.data(), std::min(left, stdout_piece_.size()));
    if (count <= 0) return;
    left -= static_cast<std::size_t>(count);
    if (!deliver({stdout_piece_.data(), static_cast<std::size_t>(count)})) return;
  }
}

void RunningChild::end_stdout() {
  if (stdout_ended_) return;
  stdout_ended_ = true;
  boost::system::error_code ignored;
  stdout_.close(ignored);
  lines_.finish();
  if (!deliver_lines() || !deliver_text(text_.finish())) return;
  if (!reaped_) wait_for_output_to_end(kClosedOutputGrace);
  finish_when_complete();
}

void RunningChild::read_stderr() {
  stderr_.async_read_some(
      boost::asio::buffer(stderr_piece_),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        if (self->stderr_ended_) return;
        if (!error) {
          const std::string_view bytes(self->stderr_piece_.data(), count);
          self->stderr_tail_.append(bytes);
          if (self->observer_ != nullptr) self->observer_->on_stderr(bytes);
          if (!self->output_grace_over_) return self->read_stderr();
        }
        self->stderr_ended_ = true;
        boost::system::error_code ignored;
        self->stderr_.close(ignored);
        self->finish_when_complete();
      });
}

// --- stopping ---

void RunningChild::send_signal(int signal) const {
  if (!reaped_) process_->signal(signal);
}

void RunningChild::end(StopUrgency urgency) {
  if (reaped_) return;
  close_stdin();
  if (stop_step_ != StopStep::None) return hurry(urgency);
  urgency_ = urgency;
  stop_step_ = StopStep::InputEnded;
  arm_stop_timer();
}

void RunningChild::stop(StopUrgency urgency) {
  if (reaped_) return;
  hurry(urgency);
  if (stop_step_ == StopStep::None || stop_step_ == StopStep::InputEnded) next_stop_step();
}

void RunningChild::hurry(StopUrgency urgency) {
  if (urgency == urgency_ || urgency == StopUrgency::Normal) return;
  urgency_ = urgency;
  if (stop_step_ != StopStep::None) arm_stop_timer();
}

void RunningChild::next_stop_step() {
  switch (stop_step_) {
    case StopStep::None:
    case StopStep::InputEnded:
      send_signal(SIGINT);
      stop_step_ = StopStep::Interrupted;
      return arm_stop_timer();
    case StopStep::Interrupted:
      send_signal(SIGTERM);
      stop_step_ = StopStep::Terminated;
      return arm_stop_timer();
    case StopStep::Terminated:
      send_signal(SIGKILL);
      stop_step_ = StopStep::Killed;
      return arm_stop_timer();
    case StopStep::Killed:
      process_->force();
      return;
  }
}

std::chrono::milliseconds RunningChild::stop_grace() const {
  const bool hurries = urgency_ == StopUrgency::Shutdown;
  if (stop_step_ == StopStep::Killed) return kKillGrace;
  if (stop_step_ == StopStep::InputEnded)
    return hurries ? kShutdownEndOfInputGrace : kEndOfInputGrace;
  if (stop_step_ == StopStep::Interrupted)
    return hurries ? kShutdownInterruptGrace : kInterruptGrace;
  return hurries ? kShutdownTerminateGrace : kTerminateGrace;
}

void RunningChild::arm_stop_timer() {
  stop_timer_.expires_after(stop_grace());
  stop_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && !self->reaped_) self->next_stop_step();
  });
}

// --- the end ---

void RunningChild::wait_for_end_of_process() {
  ended_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (error || self->reaped_) return;
                      // Asio may report readiness that belonged to an earlier descriptor with the
                      // same number.
                      if (self->process_->has_ended()) return self->on_process_ended();
                      self->wait_for_end_of_process();
                    });
}

void RunningChild::on_process_ended() {
  reap();
  stop_timer_.cancel();
  if (!stdout_ended_ || !stderr_ended_) wait_for_output_to_end(kDrainGrace);
  finish_when_complete();
}

void RunningChild::reap() {
  prompt_file_.remove();
  process_->kill_remaining();
  boost::system::error_code error;
  reaper_.wait(error);
  const int unknown = W_EXITCODE(kUnknownExitCode, 0);
  const AgentProcess::End end = process_->end(error ? unknown : reaper_.native_exit_code());
  reaper_.detach();
  process_.reset();
  wait_status_ = end.status;
  reaped_ = true;
  boost::system::error_code ignored;
  ended_.close(ignored);
  if (end.orphans_are_ours) return children_->ended_without_guards(*this, began_);
  children_->ended(*this);
}

void RunningChild::wait_for_output_to_end(std::chrono::milliseconds grace) {
  output_timer_.expires_after(grace);
  output_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->on_output_grace_over();
  });
}

void RunningChild::on_output_grace_over() {
  if (!reaped_) return stop(StopUrgency::Normal);
  output_grace_over_ = true;
  // Ends the pending reads, unless they have just completed with data; their handlers do the rest.
  boost::system::error_code ignored;
  stdout_.cancel(ignored);
  stderr_.cancel(ignored);
}

void RunningChild::finish_when_complete() {
  if (finished_ || !reaped_ || !stdout_ended_ || !stderr_ended_) return;
  finished_ = true;
  close_pipes();
  children_->gone(*this);
  ChildObserver* const observer = std::exchange(observer_, nullptr);
  if (observer != nullptr) observer->on_exit(exit_status());
}

plugins::ExitStatus RunningChild::exit_status() const {
  plugins::ExitStatus status;
  if (WIFSIGNALED(wait_status_)) {
    status.signal = WTERMSIG(wait_status_);
  } else {
    status.code = WEXITSTATUS(wait_status_);
  }
  status.stderr_tail = stderr_tail_.text();
  if (!note_.empty()) {
    if (!status.stderr_tail.empty() && !status.stderr_tail.ends_with('\n'))
      status.stderr_tail += '\n';
    status.stderr_tail += note_ + '\n';
  }
  return status;
}

void RunningChild::close_pipes() {
  stop_timer_.cancel();
  output_timer_.cancel();
  boost::system::error_code ignored;
  stdin_.close(ignored);
  stdout_.close(ignored);
  stderr_.close(ignored);
}

void RunningChild::abandon() {
  const std::shared_ptr<RunningChild> self = shared_from_this();
  observer_ = nullptr;
  stdout_ended_ = true;
  stderr_ended_ = true;
  close_pipes();
  if (!reaped_) {
    send_signal(SIGKILL);
    // If the kernel does not release it in time, wait_for_end_of_process() reaps it later.
    if (!process_->wait_for_end(kAbandonLimit)) process_->force();
    if (process_->wait_for_end(kAbandonLimit)) on_process_ended();
  }
  finish_when_complete();
}

}  // namespace agent_doc::process
