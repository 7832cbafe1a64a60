#include "editors/cli/agent_trial.hpp"

#include "editors/cli/self.hpp"
#include "server/process/asio_launcher.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace agent_doc::cli {

namespace agent_trial_internal {

std::string ending_of(const plugins::ExitStatus& status) {
  std::string how = status.signal != 0 ? "signal " + std::to_string(status.signal) : "exit code " + std::to_string(status.code);
  const std::string tail = turn::one_line(status.stderr_tail, status.stderr_tail.size());
  return tail.empty() ? how : how + ": " + tail;
}

/// One program until it ends, or `limit` has passed and it was stopped.
class OneProgram : public process::ChildObserver {
 public:
  OneProgram(boost::asio::io_context& io, std::chrono::milliseconds limit) : limit_(io) {
    limit_.expires_after(limit);
    limit_.async_wait([this](const boost::system::error_code& error) {
      if (!error) on_limit();
    });
  }

  void on_line_too_long(std::size_t) override {}
  void on_exit(const plugins::ExitStatus& status) override {
    limit_.cancel();
    ended(status);
  }

 protected:
  /// False when it could not be started.
  bool start(process::ChildLauncher& launcher, const plugins::Launch& launch) {
    auto launched = launcher.launch(launch, *this);
    if (launched.has_error()) {
      limit_.cancel();
      not_started(launched.error());
      return false;
    }
    child_ = std::move(*launched);
    return true;
  }
  process::Child& child() { return *child_; }
  void stop() {
    if (child_) child_->stop(process::StopUrgency::Shutdown);
  }

 private:
  virtual void on_limit() = 0;
  virtual void not_started(const boost::system::error_code& error) = 0;
  virtual void ended(const plugins::ExitStatus& status) = 0;

  boost::asio::steady_timer limit_;
  std::unique_ptr<process::Child> child_;
};

class VersionQuestion final : public OneProgram {
 public:
  VersionQuestion(boost::asio::io_context& io, process::ChildLauncher& launcher, FoundAgent& agent)
      : OneProgram(io, kVersionLimit), agent_(agent) {
    plugins::Launch launch{agent.program, agent.spec.args, agent.spec.env, {}, plugins::ProcessLifetime::Turn};
    launch.args.emplace_back("--version");
    if (start(launcher, launch)) child().close_stdin();
  }

  void on_line(std::string_view line) override {
    if (first_.empty()) first_ = turn::one_line(line, kMaxVersionBytes);
  }

 private:
  void on_limit() override { stop(); }
  void not_started(const boost::system::error_code&) override {}
  void ended(const plugins::ExitStatus& status) override {
    if (status.code == 0 && status.signal == 0) agent_.version = first_;
  }

  FoundAgent& agent_;
  std::string first_;
};

/// The agent as a document would start it.
class AgentOnTrial final : public OneProgram, private plugins::Actions {
 public:
  AgentOnTrial(boost::asio::io_context& io, process::ChildLauncher& launcher, const plugins::AgentSpec& spec, Trial trial)
      : OneProgram(io, trial == Trial::Start ? kLivesAfter : kTurnLimit), trial_(trial), protocol_(plugins::make_protocol(spec)) {
    plugins::LaunchRequest request;
    request.cwd = std::filesystem::temp_directory_path().string();
    if (start(launcher, protocol_->launch(request)) && trial_ == Trial::Turn)
      protocol_->begin_turn({"Say hello in one short sentence."}, *this);
  }

  const std::string& trouble() const { return trouble_; }

  void on_line(std::string_view line) override { protocol_->on_line(line, *this); }

 private:
  void on_limit() override {
    if (trial_ == Trial::Turn) trouble_ = "it was started, but did not answer within " + std::to_string(kTurnLimit.count() / 1000) + " s";
    over_ = true;
    stop();
  }
  void not_started(const boost::system::error_code& error) override { trouble_ = "it could not be started: " + error.message(); }
  void ended(const plugins::ExitStatus& status) override {
    if (!over_) trouble_ = "it ended at once (" + ending_of(status) + ")";
  }

  void emit(const plugins::AgentEvent& event) override {
    if (const auto* failure = std::get_if<plugins::Failure>(&event)) failure_ = failure->message;
    if (const auto* question = std::get_if<plugins::PermissionAsked>(&event)) protocol_->answer(question->id, "", *this);
    const auto* end = std::get_if<plugins::TurnEnded>(&event);
    if (end == nullptr || over_) return;
    if (end->outcome != plugins::Outcome::Done) trouble_ = "its turn failed" + (failure_.empty() ? std::string() : ": " + failure_);
    over_ = true;
    stop();
  }
  void write_line(std::string line) override { child().write_line(std::move(line)); }
  void close_stdin() override { child().close_stdin(); }
  void send_signal(plugins::Signal signal) override { child().send_signal(signal); }
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

  Trial trial_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  bool over_ = false;
  std::string failure_;
  std::string trouble_;
};

}  // namespace agent_trial_internal

std::vector<FoundAgent> find_agents(const std::vector<plugins::AgentSpec>& specs, const std::string& self) {
  std::vector<FoundAgent> agents;
  for (const plugins::AgentSpec& spec : specs) {
    agents.push_back({spec, process::find_executable(spec.command, search_path()), {}, spec.command == self});
  }
  boost::asio::io_context io(1);
  const auto launcher = process::make_asio_launcher(io, {});
  std::vector<std::unique_ptr<agent_trial_internal::VersionQuestion>> questions;
  for (FoundAgent& agent : agents) {
    if (agent.program.empty() || agent.is_built_in) continue;
    questions.push_back(std::make_unique<agent_trial_internal::VersionQuestion>(io, *launcher, agent));
  }
  io.run();
  return agents;
}

std::string try_agent(const plugins::AgentSpec& spec, Trial trial) {
  boost::asio::io_context io(1);
  const auto launcher = process::make_asio_launcher(io, {});
  agent_trial_internal::AgentOnTrial on_trial(io, *launcher, spec, trial);
  io.run();
  return on_trial.trouble();
}

std::string describe(const FoundAgent& agent) {
  if (agent.is_built_in) return agent.spec.name + " (built in)";
  return agent.version.empty() ? agent.spec.name : agent.spec.name + " " + agent.version;
}

}  // namespace agent_doc::cli
