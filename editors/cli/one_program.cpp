#include "editors/cli/one_program.hpp"

#include "server/turn/sanitiser.hpp"

#include <utility>

namespace agent_doc::cli {

std::string ending_of(const plugins::ExitStatus& status) {
  std::string how = status.signal != 0 ? "signal " + std::to_string(status.signal) : "exit code " + std::to_string(status.code);
  const std::string tail = turn::one_line(status.stderr_tail, status.stderr_tail.size());
  return tail.empty() ? how : how + ": " + tail;
}

OneProgram::OneProgram(boost::asio::io_context& io, std::chrono::milliseconds limit) : limit_(io) {
  limit_.expires_after(limit);
  limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error) on_limit();
  });
}

void OneProgram::on_exit(const plugins::ExitStatus& status) {
  limit_.cancel();
  ended(status);
}

bool OneProgram::start(process::ChildLauncher& launcher, const plugins::Launch& launch) {
  auto launched = launcher.launch(launch, *this);
  if (launched.has_error()) {
    limit_.cancel();
    not_started(launched.error());
    return false;
  }
  child_ = std::move(*launched);
  return true;
}

void OneProgram::stop() {
  if (child_) child_->stop(process::StopUrgency::Shutdown);
}

}  // namespace agent_doc::cli
