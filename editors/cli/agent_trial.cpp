#include "editors/cli/agent_trial.hpp"

#include "editors/cli/one_program.hpp"
#include "editors/cli/self.hpp"
#include "server/process/asio_launcher.hpp"
#include "server/turn/sanitiser.hpp"
#include "server/turn/turn.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace agent_doc::cli {

namespace {

class VersionQuestion final : public OneProgram {
 public:
  VersionQuestion(boost::asio::io_context& io, process::ChildLauncher& launcher, FoundAgent& agent)
      : OneProgram(io, kVersionLimit), agent_(agent) {
    plugins::Launch launch{
        agent.program, agent.spec.args, agent.spec.env, {}, plugins::ProcessLifetime::Turn};
    launch.args.emplace_back("--version");
    if (start(launcher, launch)) child().close_stdin();
  }

 private:
  void heard(std::string_view line) override {
    if (first_.empty()) first_ = turn::one_line(line, kMaxVersionBytes);
  }
  void broke(const std::string&) override {}
  void on_limit() override { stop(); }
  void not_started(const boost::system::error_code&) override {}
  void ended(const plugins::ExitStatus& status) override {
    if (status.code == 0 && status.signal == 0) agent_.version = first_;
  }

  FoundAgent& agent_;
  std::string first_;
};

constexpr const char* kHello = "Say hello in one short sentence.";

plugins::LaunchRequest request_of(const plugins::AgentSpec& spec) {
  plugins::LaunchRequest request;
  request.cwd = std::filesystem::temp_directory_path().string();
  request.permissions = spec.permissions;
  request.prompt = kHello;
  return request;
}

/// Starts the agent as a document would.
class AgentOnTrial final : public OneProgram, private plugins::Actions {
 public:
  AgentOnTrial(boost::asio::io_context& io, process::ChildLauncher& launcher,
               const plugins::AgentSpec& spec, Trial trial, LineExplainer* explainer,
               const std::function<void(const std::string&)>& waits)
      : OneProgram(io, trial == Trial::Session ? kSessionLimit : kTurnLimit),
        io_(io),
        patience_(io),
        waits_(waits),
        trial_(trial),
        explainer_(explainer),
        protocol_(plugins::make_protocol(spec)) {
    if (!start(launcher, protocol_->launch(request_of(spec)))) return;
    patience_.expires_after(kTrialPatience);
    patience_.async_wait([this](const boost::system::error_code& error) {
      if (!error && !over_) waits_(what_is_waited_for());
    });
    protocol_->begin_turn({kHello}, *this);
  }

  const TrialResult& result() const { return result_; }

 private:
  void heard(std::string_view line) override {
    if (explainer_ != nullptr) explainer_->line_begins(line);
    protocol_->on_line(line, *this);
    if (explainer_ != nullptr) explainer_->line_ended();
  }
  void heard_text(std::string_view piece) override {
    if (explainer_ != nullptr) explainer_->line_begins(piece);
    protocol_->on_output(piece, *this);
    if (explainer_ != nullptr) explainer_->line_ended();
  }
  void broke(const std::string& why) override {
    result_.trouble = why;
    over_ = true;
  }
  std::int64_t limit_in_seconds() const {
    return std::chrono::duration_cast<std::chrono::seconds>(trial_ == Trial::Session ? kSessionLimit
                                                                                     : kTurnLimit)
        .count();
  }
  std::string what_is_waited_for() const {
    const std::string what =
        trial_ == Trial::Turn && has_session_
            ? "it has a session, and has not answered yet"
            : "it was started, and has begun no session yet; a first start takes longer";
    return what + " (waiting for up to " + std::to_string(limit_in_seconds()) + " s)" +
           (last_notice_.empty() ? "" : "; the last that it said: " + last_notice_);
  }
  void on_limit() override {
    const bool session = trial_ == Trial::Session;
    const auto seconds = limit_in_seconds();
    const std::string what = session ? "began no session" : "did not answer";
    end("it was started, but " + what + " within " + std::to_string(seconds) + " s" +
        (last_notice_.empty() ? "" : "; the last that it said: " + last_notice_));
  }
  void not_started(const boost::system::error_code& error) override {
    result_.trouble = "it could not be started: " + error.message();
  }
  void ended(const plugins::ExitStatus& status) override {
    patience_.cancel();
    if (!over_) protocol_->on_exit(status, *this);
    if (!over_) result_.trouble = "it ended at once (" + ending_of(status) + ")";
  }

  void emit(const plugins::AgentEvent& event) override {
    if (over_) return;
    if (explainer_ != nullptr) explainer_->event(event);
    if (const auto* failure = std::get_if<plugins::Failure>(&event)) {
      failure_ = failure->message;
      result_.kind = failure->kind;
    }
    if (const auto* notice = std::get_if<plugins::Notice>(&event))
      last_notice_ = turn::one_line(notice->text, turn::kMaxStatus);
    if (const auto* question = std::get_if<plugins::PermissionAsked>(&event))
      protocol_->answer(question->id, "", *this);
    if (const auto* session = std::get_if<plugins::SessionStarted>(&event))
      session_started(*session);
    if (const auto* turn = std::get_if<plugins::TurnEnded>(&event)) turn_ended(*turn);
  }
  void session_started(const plugins::SessionStarted& session) {
    result_.model = session.model;
    if (std::exchange(has_session_, true) || trial_ == Trial::Turn) return;
    result_.took = elapsed();
    boost::asio::post(io_, [this] {  // not inside a call of the protocol
      if (!over_) protocol_->cancel(*this);
    });
  }
  void turn_ended(const plugins::TurnEnded& turn) {
    if (trial_ == Trial::Session && has_session_ && failure_.empty()) return end({});
    if (trial_ == Trial::Turn) result_.took = elapsed();
    const bool well = trial_ == Trial::Turn && turn.outcome == plugins::Outcome::Done;
    end(well ? "" : failure_.empty() ? "its turn failed" : failure_);
  }
  void end(std::string trouble) {
    result_.trouble = std::move(trouble);
    over_ = true;
    patience_.cancel();
    stop();
  }
  std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 began_);
  }

  void write_line(std::string line) override { child().write_line(std::move(line)); }
  void close_stdin() override { child().close_stdin(); }
  void send_signal(plugins::Signal signal) override { child().send_signal(signal); }
  void read_file(plugins::FileRead request) override {
    protocol_->file_answered(request.id, {false, "no file is read in a trial"}, *this);
  }
  void write_file(plugins::FileWrite request) override {
    protocol_->file_answered(request.id, {false, "no file is written in a trial"}, *this);
  }

  boost::asio::io_context& io_;
  boost::asio::steady_timer patience_;
  const std::function<void(const std::string&)>& waits_;
  Trial trial_;
  LineExplainer* explainer_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool has_session_ = false;
  bool over_ = false;
  std::string failure_;
  std::string last_notice_;
  TrialResult result_;
};

}  // namespace

std::vector<FoundAgent> find_agents(const std::vector<plugins::AgentSpec>& specs,
                                    const std::string& self) {
  std::vector<FoundAgent> agents;
  agents.reserve(specs.size());
  for (const plugins::AgentSpec& spec : specs) {
    agents.push_back(
        {spec, process::find_executable(spec.command, search_path()), {}, spec.command == self});
  }
  boost::asio::io_context io(1);
  const auto launcher =
      process::make_asio_launcher(io, {guard_command(), process::Orphans::LeaveEnded});
  std::vector<std::unique_ptr<VersionQuestion>> questions;
  for (FoundAgent& agent : agents) {
    // The arguments of a generic agent may be a whole program: `--version` after them could do
    // anything.
    if (agent.program.empty() || agent.is_built_in || agent.spec.dialect == "generic") continue;
    questions.push_back(std::make_unique<VersionQuestion>(io, *launcher, agent));
  }
  io.run();
  return agents;
}

TrialResult try_agent(const plugins::AgentSpec& spec, Trial trial, LineExplainer* explainer,
                      const std::function<void(const std::string&)>& waits) {
  boost::asio::io_context io(1);
  const auto launcher =
      process::make_asio_launcher(io, {guard_command(), process::Orphans::LeaveEnded});
  AgentOnTrial on_trial(io, *launcher, spec, trial, explainer, waits);
  io.run();
  return on_trial.result();
}

plugins::ProcessLifetime lifetime_of(const plugins::AgentSpec& spec) {
  return plugins::make_protocol(spec)->launch(request_of(spec)).lifetime;
}

std::string describe(const FoundAgent& agent) {
  if (agent.is_built_in) return agent.spec.name + " (built in)";
  return agent.version.empty() ? agent.spec.name : agent.spec.name + " " + agent.version;
}

}  // namespace agent_doc::cli
