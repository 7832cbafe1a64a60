#include "editors/cli/one_program.hpp"

#include "server/turn/sanitiser.hpp"

#include <exception>
#include <utility>

namespace agent_doc::cli {

std::string ending_of(const plugins::ExitStatus& status) {
  std::string how = status.signal != 0 ? "signal " + std::to_string(status.signal)
                                       : "exit code " + std::to_string(status.code);
  const std::string tail = turn::one_line(status.stderr_tail, status.stderr_tail.size());
  return tail.empty() ? how : how + ": " + tail;
}

OneProgram::OneProgram(boost::asio::io_context& io, std::chrono::milliseconds limit) : limit_(io) {
  limit_.expires_after(limit);
  limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error) on_limit();
  });
}

void OneProgram::on_line(std::string_view line) {
  guarded([&] { heard(line); });
}

void OneProgram::on_text(std::string_view piece) {
  guarded([&] { heard_text(piece); });
}

void OneProgram::on_exit(const plugins::ExitStatus& status) {
  limit_.cancel();
  guarded([&] { ended(status); });
}

template <class Call>
void OneProgram::guarded(Call&& call) {
  if (broken_) return;
  std::string why;
  try {
    return call();
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an unknown exception";
  }
  broken_ = true;
  broke("agent-doc could not go on with what it said (" + why +
        "): this is a mistake in agent-doc, please report it.");
  stop();
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
