#include "editors/cli/commands.hpp"
#include "editors/cli/local_server.hpp"
#include "editors/cli/one_program.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/file/local_time.hpp"
#include "server/process/asio_launcher.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace sessions_internal {

/// Some agents take seconds to begin, and read all their sessions then.
constexpr std::chrono::seconds kListLimit{30};
/// Of a title in the list.
constexpr std::size_t kMaxShownTitle = 100;
constexpr std::size_t kMaxShownProblem = 2000;
constexpr std::int64_t kMillisecondsPerSecond = 1000;

struct Listed {
  plugins::Listing listing = plugins::Listing::Failed;
  std::vector<plugins::KeptSession> sessions;
  std::string problem;
};

/// An agent that is started for nothing but the list.
class SessionQuestion final : public OneProgram, private plugins::Actions {
 public:
  SessionQuestion(boost::asio::io_context& io, process::ChildLauncher& launcher, const plugins::AgentSpec& spec, const std::string& folder)
      : OneProgram(io, kListLimit), name_(spec.name), protocol_(plugins::make_protocol(spec)) {
    plugins::LaunchRequest request;
    request.cwd = folder;
    request.permissions = spec.permissions;
    if (start(launcher, protocol_->launch(request))) protocol_->list_sessions(*this);
  }

  Listed take() { return std::move(listed_); }

 private:
  void heard(std::string_view line) override { protocol_->on_line(line, *this); }
  void broke(const std::string& why) override {
    listed_ = {plugins::Listing::Failed, {}, why};
    over_ = true;
  }
  void on_limit() override {
    over({plugins::Listing::Failed, {}, name_ + " did not list its sessions within " + std::to_string(kListLimit.count()) + " s. " + advice()});
  }
  void not_started(const boost::system::error_code& error) override {
    listed_.problem = name_ + " could not be started: " + error.message() + ". " + advice();
  }
  void ended(const plugins::ExitStatus& status) override { protocol_->on_exit(status, *this); }

  void emit(const plugins::AgentEvent& event) override {
    if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) protocol_->answer(asked->id, "", *this);
    if (const auto* told = std::get_if<plugins::SessionsListed>(&event)) over({told->listing, told->sessions, std::string(told->problem)});
  }
  void over(Listed listed) {
    if (std::exchange(over_, true)) return;
    listed_ = std::move(listed);
    child().close_stdin();
    stop();
  }
  std::string advice() const { return "`agent-doc doctor " + name_ + "` shows what is wrong."; }

  void write_line(std::string line) override { child().write_line(std::move(line)); }
  void close_stdin() override { child().close_stdin(); }
  void send_signal(plugins::Signal signal) override { child().send_signal(signal); }
  void read_file(plugins::FileRead request) override { protocol_->file_answered(request.id, {false, "no turn runs: no file is read"}, *this); }
  void write_file(plugins::FileWrite request) override { protocol_->file_answered(request.id, {false, "no turn runs: no file is written"}, *this); }

  std::string name_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  bool over_ = false;
  Listed listed_;
};

Listed ask(const plugins::AgentSpec& spec, const std::string& folder) {
  boost::asio::io_context io(1);
  const auto launcher = process::make_asio_launcher(io, {guard_command(), process::Orphans::LeaveEnded});
  SessionQuestion question(io, *launcher, spec, folder);
  io.run();
  return question.take();
}

/// The newest first, those without a time last; each title on one clean line.
void put_in_order(std::vector<plugins::KeptSession>& sessions) {
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const plugins::KeptSession& a, const plugins::KeptSession& b) { return a.used_ms > b.used_ms; });
  for (plugins::KeptSession& session : sessions) session.title = turn::one_line(session.title, kMaxShownTitle);
}

std::string time_of(const plugins::KeptSession& session) {
  if (!session.used_ms) return "?";
  return file::local_time(static_cast<std::time_t>(*session.used_ms / kMillisecondsPerSecond), file::TimeForm::List);
}

std::string table_of(const std::vector<plugins::KeptSession>& sessions) {
  std::vector<std::pair<std::string, std::string>> rows{{"ID", "LAST USED"}};
  for (const plugins::KeptSession& session : sessions) rows.emplace_back(session.id, time_of(session));
  std::size_t ids = 0;
  std::size_t times = 0;
  for (const auto& [id, time] : rows) {
    ids = std::max(ids, id.size());
    times = std::max(times, time.size());
  }
  std::string table;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& [id, time] = rows[row];
    const std::string& title = row == 0 ? "TITLE" : sessions[row - 1].title;
    table += id + std::string(ids - id.size() + 2, ' ') + time;
    if (!title.empty()) table += std::string(times - time.size() + 2, ' ') + title;
    table += '\n';
  }
  return table;
}

json::object json_of(const std::string& agent, const std::string& folder, const Listed& listed) {
  json::array list;
  for (const plugins::KeptSession& session : listed.sessions) {
    json::object entry{{"sessionId", session.id}, {"title", session.title}};
    entry["usedMs"] = session.used_ms ? json::value(*session.used_ms) : json::value();
    list.push_back(std::move(entry));
  }
  return {{"agent", agent}, {"folder", folder}, {"complete", listed.listing == plugins::Listing::Whole}, {"sessions", std::move(list)}};
}

std::string how_to_go_on(const std::string& agent) { return "agent-doc new FILE --agent " + agent + " --resume ID"; }

int cannot_list(const plugins::AgentSpec& spec, const std::string& self) {
  if (spec.command == self) return complain(kTurnFailed, spec.name + " has no sessions but those of documents: `agent-doc log` lists them.");
  if (!plugins::session_support(spec).resume) return complain(kTurnFailed, spec.name + " keeps no sessions that one could go on with.");
  return complain(kTurnFailed, spec.name + " tells no other program which sessions it keeps. With an id from its own program: " + how_to_go_on(spec.name));
}

int show(const plugins::AgentSpec& spec, const std::string& folder, Listed listed, Format format) {
  put_in_order(listed.sessions);
  if (format == Format::Json) {
    write_all(STDOUT_FILENO, protocol::serialise_json(json_of(spec.name, folder, listed)) + "\n");
    return kDone;
  }
  if (listed.sessions.empty()) return complain(kNothingToSend, spec.name + " keeps no session of the folder " + folder);
  write_all(STDOUT_FILENO, table_of(listed.sessions));
  if (listed.listing == plugins::Listing::Cut) complain(kDone, spec.name + " has more sessions of this folder than are listed");
  if (facts_of(STDOUT_FILENO).live) write_all(STDOUT_FILENO, "To go on with one in a document: " + how_to_go_on(spec.name) + "\n");
  return kDone;
}

}  // namespace sessions_internal

int list_sessions(const SessionsOptions& options) {
  const app::Config config = app::load_config();
  const std::string self = path_of_this_program();
  const auto directory = app::make_agent_directory(config, self, search_path());
  for (const std::string& problem : config.problems) complain(kDone, problem);
  const std::string name = options.agent.empty() ? directory->default_agent() : options.agent;
  const std::optional<plugins::AgentSpec> spec = directory->find(name);
  if (!spec) return complain(kUsage, "there is no agent " + name + "; " + directory->how_to_get(name) + ".");
  if (!plugins::session_support(*spec).list) return sessions_internal::cannot_list(*spec, self);
  if (!directory->is_installed(name)) return complain(kTurnFailed, name + ": `" + spec->command + "` was not found. " + directory->how_to_get(name));

  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return complain(kTurnFailed, "the current folder could not be found: " + error.message() + ". Change to another one.");
  const std::string folder = project_folder_of(here / "document.md");  // where a document in this folder has its agent work
  sessions_internal::Listed listed = sessions_internal::ask(*spec, folder);
  if (listed.listing == plugins::Listing::Unsupported) return sessions_internal::cannot_list(*spec, self);
  if (listed.listing == plugins::Listing::Failed) {
    return complain(kTurnFailed, turn::one_line(listed.problem, sessions_internal::kMaxShownProblem));
  }
  return sessions_internal::show(*spec, folder, std::move(listed), options.format);
}

}  // namespace agent_doc::cli
