#include "editors/cli/run_process.hpp"

#include "editors/cli/self.hpp"
#include "server/process/file_descriptor.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <csignal>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace {

constexpr int kProgramNotStarted = 127;

std::vector<std::string> arguments_for(const RunOptions& options, const std::string& file) {
  std::vector<std::string> arguments{path_of_this_program(), "run", "--json"};
  const auto add = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--agent", options.agent);
  add("--model", options.model);
  add("--allow", "none");
  if (options.verbosity == Verbosity::Verbose) arguments.emplace_back("--verbose");
  if (options.force == Force::Yes) arguments.emplace_back("--force");
  arguments.insert(arguments.end(), {"--", file});
  return arguments;
}

/// In a process group of its own: a Ctrl-C on the terminal reaches it once, from us. When we die,
/// it stops its turn.
[[noreturn]] void become_run(const std::vector<std::string>& arguments, int out, int error,
                             pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kProgramNotStarted);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) std::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv.front(), argv.data());
  ::_exit(kProgramNotStarted);
}

}  // namespace

/// Cuts what comes through a pipe into lines.
class RunProcess::Lines : public std::enable_shared_from_this<RunProcess::Lines> {
 public:
  Lines(boost::asio::io_context& io, int descriptor, std::function<void(std::string_view)> line)
      : stream_(io, descriptor), line_(std::move(line)) {}

  void read() {
    stream_.async_read_some(
        boost::asio::buffer(piece_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
          if (error) return self->end();
          self->take(size);
          self->read();
        });
  }

  /// The program has ended: what is in the pipe is all.
  void drain() {
    if (!stream_.is_open()) return;
    stream_.non_blocking(true);
    boost::system::error_code error;
    for (std::size_t size = stream_.read_some(boost::asio::buffer(piece_), error); !error;
         size = stream_.read_some(boost::asio::buffer(piece_), error)) {
      take(size);
    }
    end();
  }

  /// Nobody wants to hear more.
  void abandon() {
    line_ = [](std::string_view) {};
    end();
  }

 private:
  void take(std::size_t size) {
    text_.append(piece_.data(), size);
    std::size_t at = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', at)) {
      line_(std::string_view(text_).substr(at, end - at));
      at = end + 1;
    }
    text_.erase(0, at);
    if (text_.size() > kMaxEventBytes) line_(std::exchange(text_, {}));
  }

  void end() {
    if (!stream_.is_open()) return;
    boost::system::error_code ignored;
    stream_.close(ignored);
    if (!text_.empty()) line_(std::exchange(text_, {}));
  }

  boost::asio::posix::stream_descriptor stream_;
  std::function<void(std::string_view)> line_;
  std::array<char, 65536> piece_{};
  std::string text_;
};

RunProcess::RunProcess(boost::asio::io_context& io, const RunOptions& options,
                       const std::string& file, OnLine event, OnLine complaint) {
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> error{-1, -1};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return;
  out_ = std::make_shared<Lines>(io, out[0], std::move(event));
  const process::FileDescriptor our_out(out[1]);
  if (::pipe2(error.data(), O_CLOEXEC) != 0) return;
  error_ = std::make_shared<Lines>(io, error[0], std::move(complaint));
  const process::FileDescriptor our_error(error[1]);
  const std::vector<std::string> arguments = arguments_for(options, file);
  const pid_t parent = ::getpid();
  // A signal for the child must not reach the handlers of this program, which it has until then.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  io.notify_fork(boost::asio::io_context::fork_prepare);
  pid_ = ::fork();
  if (pid_ == 0) become_run(arguments, our_out.get(), our_error.get(), parent);
  io.notify_fork(boost::asio::io_context::fork_parent);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) return;
  out_->read();
  error_->read();
}

RunProcess::~RunProcess() {
  if (out_) out_->abandon();
  if (error_) error_->abandon();
}

void RunProcess::interrupt() const {
  if (pid_ > 0 && !is_reaped_) ::kill(pid_, SIGINT);
}

std::optional<int> RunProcess::reap() {
  int status = 0;
  if (pid_ <= 0 || is_reaped_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  is_reaped_ = true;
  out_->drain();
  error_->drain();
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(kTurnFailed);
}

}  // namespace agent_doc::cli
