// One agent process from start to end: its pipes, the steps of stopping it, and the end of its
// whole tree. It is started by spawn.hpp, and keeps itself alive until the process is reaped. Used
// on the server's thread.
#pragma once

#include "server/process/agent_process.hpp"
#include "server/process/child.hpp"
#include "server/process/line_reader.hpp"
#include "server/process/live_children.hpp"
#include "server/process/prompt_file.hpp"
#include "server/process/tail.hpp"
#include "server/process/text_reader.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/process/v2/process.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::process {

class RunningChild : public std::enable_shared_from_this<RunningChild> {
 public:
  /// Throws boost::system::system_error when no descriptor can be created.
  RunningChild(boost::asio::io_context& io, StartedAgent agent, PromptFile prompt_file,
               plugins::OutputForm output, std::shared_ptr<LiveChildren> children,
               ChildObserver& observer);
  /// Kills a process for which the constructor threw.
  static void kill(AgentProcess& process);

  void start();
  void write_line(std::string_view line);
  void close_stdin();
  void send_signal(int signal) const;
  void end(StopUrgency urgency);
  void stop(StopUrgency urgency);
  /// Kills the tree and reaps the process; makes no more calls to the observer.
  void abandon();
  pid_t pid() const { return pid_; }
  /// AgentProcess::child().
  pid_t child_of_ours() const { return child_; }

 private:
  enum class StopStep { None, InputEnded, Interrupted, Terminated, Killed };

  void write_queued();
  void read_stdout();
  void on_stdout(const boost::system::error_code& error, std::size_t count);
  bool deliver(std::string_view piece);
  bool deliver_text(std::string_view text);
  bool deliver_lines();
  void read_remaining();
  void end_stdout();
  void read_stderr();
  void wait_for_end_of_process();
  void on_process_ended();
  void reap();
  void wait_for_output_to_end(std::chrono::milliseconds grace);
  void on_output_grace_over();
  void hurry(StopUrgency urgency);
  void next_stop_step();
  std::chrono::milliseconds stop_grace() const;
  void arm_stop_timer();
  void close_pipes();
  void finish_when_complete();
  plugins::ExitStatus exit_status() const;

  std::unique_ptr<AgentProcess> process_;  ///< until it is reaped
  const pid_t pid_;
  const pid_t child_;
  const std::uint64_t began_;           ///< ProcessStat::start
  boost::process::v2::process reaper_;  ///< of child_
  PromptFile prompt_file_;
  const std::shared_ptr<LiveChildren> children_;
  ChildObserver* observer_;  ///< null after on_exit() or abandon()

  boost::asio::writable_pipe stdin_;
  boost::asio::readable_pipe stdout_;
  boost::asio::readable_pipe stderr_;
  boost::asio::posix::stream_descriptor ended_;  ///< a duplicate of the descriptor of process_

  std::string queued_lines_;
  std::string lines_being_written_;
  bool stdin_closing_ = false;

  std::array<char, 64 * 1024> stdout_piece_;
  const plugins::OutputForm output_;
  LineReader lines_;
  TextReader text_;
  bool stdout_ended_ = false;
  std::array<char, 4 * 1024> stderr_piece_;
  Tail stderr_tail_;
  bool stderr_ended_ = false;

  StopStep stop_step_ = StopStep::None;
  StopUrgency urgency_ = StopUrgency::Normal;
  boost::asio::steady_timer stop_timer_;
  boost::asio::steady_timer output_timer_;
  bool output_grace_over_ = false;
  bool reaped_ = false;
  bool finished_ = false;
  int wait_status_ = 0;
  std::string note_;  ///< why we stopped the process ourselves
};

}  // namespace agent_doc::process
