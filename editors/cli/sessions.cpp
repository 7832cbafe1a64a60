#include "editors/cli/commands.hpp"
#include "editors/cli/local_server.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/file/local_time.hpp"
#include "server/process/asio_launcher.hpp"
#include "server/session/session_listing.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// The maximal length of a title in the list.
constexpr std::size_t kMaxShownTitle = 100;
constexpr std::size_t kMaxShownProblem = 2000;
constexpr std::int64_t kMillisecondsPerSecond = 1000;

using session::ListedSessions;

ListedSessions ask(const plugins::AgentSpec& spec, const std::string& folder) {
  boost::asio::io_context io(1);
  const auto launcher =
      process::make_asio_launcher(io, {guard_command(), process::Orphans::LeaveEnded});
  boost::asio::steady_timer limit(io, session::kListLimit);
  ListedSessions listed;
  const auto told = [&](ListedSessions all) {
    listed = std::move(all);
    limit.cancel();
  };
  session::SessionListing listing(spec, told, [] {});
  limit.async_wait([&listing](const boost::system::error_code& error) {
    if (!error) listing.time_is_over();
  });
  if (const auto started = listing.start(folder, *launcher); started.has_error()) {
    listed.problem = spec.name + " could not be started: " + started.error().message() +
                     ". `agent-doc doctor " + spec.name + "` shows what is wrong.";
    return listed;
  }
  io.run();
  return listed;
}

std::string time_of(const plugins::KeptSession& session) {
  if (!session.used_ms) return "?";
  return file::local_time(static_cast<std::time_t>(*session.used_ms / kMillisecondsPerSecond),
                          file::TimeForm::List);
}

std::string table_of(const std::vector<plugins::KeptSession>& sessions) {
  std::vector<std::pair<std::string, std::string>> rows{{"ID", "LAST USED"}};
  for (const plugins::KeptSession& session : sessions)
    rows.emplace_back(session.id, time_of(session));
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

json::object json_of(const std::string& agent, const std::string& folder,
                     const ListedSessions& listed) {
  json::array list;
  for (const plugins::KeptSession& session : listed.sessions) {
    json::object entry{{"sessionId", session.id}, {"title", session.title}};
    entry["usedMs"] = session.used_ms ? json::value(*session.used_ms) : json::value();
    list.push_back(std::move(entry));
  }
  return {{"agent", agent},
          {"folder", folder},
          {"complete", listed.listing == plugins::Listing::Whole},
          {"sessions", std::move(list)}};
}

std::string how_to_go_on(const std::string& agent) {
  return "agent-doc new FILE --agent " + agent + " --resume ID";
}

int cannot_list(const plugins::AgentSpec& spec, const std::string& self) {
  if (spec.command == self)
    return complain(
        kTurnFailed,
        spec.name + " has no sessions but those of documents: `agent-doc log` lists them.");
  if (!plugins::session_support(spec).resume)
    return complain(kTurnFailed, spec.name + " keeps no sessions that one could go on with.");
  return complain(
      kTurnFailed,
      spec.name +
          " tells no other program which sessions it keeps. With an id from its own program: " +
          how_to_go_on(spec.name));
}

int show(const plugins::AgentSpec& spec, const std::string& folder, ListedSessions listed,
         Format format) {
  session::put_in_order(listed.sessions, kMaxShownTitle);
  if (format == Format::Json) {
    write_all(STDOUT_FILENO, protocol::serialise_json(json_of(spec.name, folder, listed)) + "\n");
    return kDone;
  }
  if (listed.sessions.empty())
    return complain(kNothingToSend, spec.name + " keeps no session of the folder " + folder);
  write_all(STDOUT_FILENO, table_of(listed.sessions));
  if (listed.listing == plugins::Listing::Cut)
    complain(kDone, spec.name + " has more sessions of this folder than are listed");
  if (facts_of(STDOUT_FILENO).live)
    write_all(STDOUT_FILENO, "To go on with one in a document: " + how_to_go_on(spec.name) + "\n");
  return kDone;
}

}  // namespace

int list_sessions(const SessionsOptions& options) {
  const app::Config config = app::load_config();
  const std::string self = path_of_this_program();
  const auto directory = app::make_agent_directory(config, self, search_path());
  for (const std::string& problem : config.problems) complain(kDone, problem);
  const std::string name = options.agent.empty() ? directory->default_agent() : options.agent;
  const std::optional<plugins::AgentSpec> spec = directory->find(name);
  if (!spec)
    return complain(kNoAgent,
                    "there is no agent called " + name + ": " + directory->how_to_get(name) + ".");
  if (!plugins::session_support(*spec).list) return cannot_list(*spec, self);
  if (!directory->is_installed(name))
    return complain(
        kNoAgent, name + ": `" + spec->command + "` was not found. " + directory->how_to_get(name));

  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error)
    return complain(kTurnFailed, "the current folder could not be found: " + error.message() +
                                     ". Change to another one.");
  const std::string folder = project_folder_of(
      here / "document.md");  // the folder in which an agent of a document here works
  session::ListedSessions listed = ask(*spec, folder);
  if (listed.listing == plugins::Listing::Unsupported) return cannot_list(*spec, self);
  if (listed.listing == plugins::Listing::Failed) {
    return complain(kTurnFailed, turn::one_line(listed.problem, kMaxShownProblem));
  }
  return show(*spec, folder, std::move(listed), options.format);
}

}  // namespace agent_doc::cli
