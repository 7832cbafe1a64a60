#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/app/server.hpp"
#include "server/app/stdio_connection.hpp"
#include "server/process/file_descriptor.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// The time limit for the last messages to a client that reads slowly or not at all.
constexpr std::chrono::milliseconds kFlushLimit{500};

/// Connects the server and its client until both have finished.
class Service {
 public:
  Service(int input, int output)
      : signals_(io_, SIGINT, SIGTERM, SIGHUP),
        flush_limit_(io_),
        connection_(
            io_, input, output, [this](std::string_view body) { server_->receive(body); },
            [this](app::ConnectionEnd end, const std::string& reason) {
              on_connection_ended(end, reason);
            }),
        server_(app::Server::make(
            io_, app::options_of_agents_only_process(app::load_config(), path_of_this_program()),
            [this](std::string_view body) { connection_.send(body); },
            [this](int code) { on_server_ended(code); })) {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) server_->connection_lost();
    });
  }

  int run() {
    io_.run();
    return exit_code_.value_or(kTurnFailed);
  }

 private:
  void on_connection_ended(app::ConnectionEnd end, const std::string& reason) {
    if (end != app::ConnectionEnd::Closed) {
      broken_ = true;
      complain(
          kTurnFailed,
          reason +
              ". The connection is closed and all agents are stopped; start the server again.");
    }
    server_->connection_lost();
  }

  void on_server_ended(int code) {
    if (exit_code_) return;
    exit_code_ = broken_ ? kTurnFailed : code;
    connection_.flush([this] { io_.stop(); });
    flush_limit_.expires_after(kFlushLimit);
    flush_limit_.async_wait([this](const boost::system::error_code& error) {
      if (!error) io_.stop();
    });
  }

  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer flush_limit_;
  bool broken_ = false;
  std::optional<int> exit_code_;
  app::StdioConnection connection_;
  std::unique_ptr<app::Server> server_;
};

}  // namespace

int serve(const ServeOptions&) {
  // The protocol gets its own descriptor. Anything that a library prints goes to standard error,
  // and so cannot get between two messages.
  const process::FileDescriptor output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!output.is_open() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return complain(kTurnFailed, "standard output cannot be used");
  return Service(STDIN_FILENO, output.get()).run();
}

}  // namespace agent_doc::cli
