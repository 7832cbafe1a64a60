#include "server/lsp/turns/agent_commands.hpp"

#include "server/lsp/documents/documents.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/uri.hpp"
#include "server/session/known_agents.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::lsp {

namespace {

using protocol::RefusalReason;

boost::json::value agents(const session::AgentDirectory& directory) {
  std::vector<protocol::AgentEntry> entries;
  for (session::KnownAgent& agent : session::known_agents(directory)) {
    protocol::AgentEntry entry;
    entry.name = std::move(agent.spec.name);
    entry.dialect = std::move(agent.spec.dialect);
    entry.installed = agent.installed;
    entry.isDefault = agent.is_default;
    entry.canResume = agent.support.resume;
    entry.canFork = agent.support.fork;
    entry.canList = agent.support.list;
    entry.howToGet = std::move(agent.how_to_get);
    entries.push_back(std::move(entry));
  }
  return protocol::encode(entries);
}

boost::json::value sessions_result(const std::string& agent, const std::string& folder,
                                   session::ListedSessions listed) {
  session::put_in_order(listed.sessions, kMaxListedTitle);
  protocol::SessionsResult result;
  result.agent = agent;
  result.folder = uri_of(folder);
  result.complete = listed.listing == plugins::Listing::Whole;
  for (plugins::KeptSession& kept : listed.sessions)
    result.sessions.push_back({std::move(kept.id), std::move(kept.title), kept.used_ms});
  return protocol::encode(result);
}

protocol::Error tells_nobody(const std::string& agent) {
  return protocol::refused(RefusalReason::Unsupported,
                           agent + " tells no other program which sessions it keeps.");
}

/// Returns the reason why `agent` cannot be asked, if there is one.
std::optional<protocol::Error> obstacle(const session::AgentDirectory& directory,
                                        const std::string& agent) {
  const std::vector<session::KnownAgent> known = session::known_agents(directory);
  const auto found = std::find_if(known.begin(), known.end(), [&](const session::KnownAgent& one) {
    return one.spec.name == agent;
  });
  if (found == known.end()) {
    return protocol::refused(RefusalReason::UnknownAgent, "there is no agent called " + agent +
                                                              ": " + directory.how_to_get(agent));
  }
  if (!found->support.resume)
    return protocol::refused(RefusalReason::Unsupported,
                             agent + " keeps no sessions that one could go on with.");
  if (!found->support.list) return tells_nobody(agent);
  if (!found->installed) {
    const std::string why =
        agent + ": `" + found->spec.command + "` was not found. " + found->how_to_get;
    return protocol::refused(RefusalReason::UnknownAgent, why);
  }
  return std::nullopt;
}

}  // namespace

AgentCommands::AgentCommands(const Client& client, Environment& environment,
                             const Workspace& workspace, Documents& documents)
    : client_(client), environment_(environment), workspace_(workspace), documents_(documents) {}

void AgentCommands::add_to(Commands& commands) {
  commands.add(protocol::kAgentsCommand, Commands::Target::Other,
               [this](const protocol::Fields&, protocol::Replier reply) {
                 reply.result(agents(environment_.agents()));
               });
  commands.add(protocol::kSessionsCommand, Commands::Target::Document,
               [this](const protocol::Fields& argument, protocol::Replier reply) {
                 sessions(argument, std::move(reply));
               });
}

void AgentCommands::sessions(const protocol::Fields& argument, protocol::Replier reply) {
  const auto outcome = place_of(protocol::decode_sessions(argument));
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client_, std::move(reply), to_error(*refusal));
  const auto& place = std::get<session::AgentPlace>(outcome);
  if (auto error = obstacle(environment_.agents(), place.agent))
    return refuse(client_, std::move(reply), *error);
  if (listings_.size() >= kMaxListings) {
    const std::string why =
        std::to_string(kMaxListings) +
        " agents are asked for their sessions already: wait for them, or cancel one";
    return refuse(client_, std::move(reply), protocol::refused(protocol::RefusalReason::Busy, why));
  }
  ask(*environment_.agents().find(place.agent), place.folder, std::move(reply));
}

session::Outcome<session::AgentPlace> AgentCommands::place_of(
    const protocol::SessionsParams& params) const {
  using session::Refusal;
  using session::RefusalKind;
  session::AgentPlace place{
      params.agent.empty() ? environment_.agents().default_agent() : params.agent, {}};
  if (!params.uri.empty()) {
    const Document* document = documents_.find_file(params.uri);
    if (document == nullptr) return Refusal{RefusalKind::NotOpen, not_open(params.uri).message};
    auto outcome = document->session().agent_place(params.agent);
    if (std::holds_alternative<Refusal>(outcome)) return outcome;
    place = std::move(std::get<session::AgentPlace>(outcome));
  }
  if (!params.folder.empty()) {
    const auto folder = path_of(params.folder);
    if (!folder)
      return Refusal{RefusalKind::Invalid,
                     params.folder + " is no folder of this machine: name one by a file URI"};
    place.folder = *folder;
  }
  if (place.folder.empty())
    place.folder = workspace_
                       .first_folder([this](const std::string& folder) {
                         return environment_.is_folder(folder);
                       })
                       .value_or("");
  if (place.folder.empty())
    return Refusal{
        RefusalKind::Invalid,
        "no folder is open whose sessions could be listed: open one, or name it by `folder`"};
  if (!environment_.is_folder(place.folder))
    return Refusal{
        RefusalKind::Invalid,
        "the folder " + place.folder + " does not exist: make it, or name another one by `folder`"};
  return place;
}

void AgentCommands::ask(const plugins::AgentSpec& spec, const std::string& folder,
                        protocol::Replier reply) {
  const Place listing = listings_.insert(
      listings_.end(), Listing{spec.name, folder, std::move(reply), nullptr, nullptr});
  listing->asked = std::make_unique<session::SessionListing>(
      spec,
      [this, listing](session::ListedSessions listed) {
        answer_listing(listing, std::move(listed));
      },
      [this] { sweep_soon(); });
  session::SessionListing& asked = *listing->asked;
  listing->reply.on_cancel([&asked] { asked.stop(); });
  listing->limit = environment_.schedule(environment_.now() + session::kListLimit,
                                         [&asked] { asked.time_is_over(); });
  const auto started = asked.start(folder, environment_.launcher());
  if (started) return;
  const std::string why = "the agent " + spec.name + " could not be started (`" + spec.command +
                          "`: " + started.error().message() + "). " +
                          environment_.agents().how_to_get(spec.name);
  refuse(client_, std::move(listing->reply),
         protocol::refused(protocol::RefusalReason::UnknownAgent, why));
  listings_.erase(listing);
}

void AgentCommands::answer_listing(Place listing, session::ListedSessions listed) {
  listing->limit.reset();
  switch (listed.listing) {
    case plugins::Listing::Unsupported:
      return refuse(client_, std::move(listing->reply), tells_nobody(listing->agent));
    case plugins::Listing::Failed:
      return refuse(client_, std::move(listing->reply),
                    protocol::refused(protocol::RefusalReason::Invalid,
                                      turn::one_line(listed.problem, kMaxMessageBytes)));
    case plugins::Listing::Whole:
    case plugins::Listing::Cut:
      break;
  }
  listing->reply.result(sessions_result(listing->agent, listing->folder, std::move(listed)));
}

void AgentCommands::end() {
  for (Listing& listing : listings_) {
    listing.limit.reset();
    listing.asked->stop();
    listing.reply.error({protocol::ErrorCode::RequestCancelled, "the server ends", nullptr});
  }
}

void AgentCommands::sweep_soon() {
  sweep_ = environment_.schedule(environment_.now(), [this] {
    listings_.remove_if([](const Listing& listing) { return listing.asked->is_gone(); });
  });
}

}  // namespace agent_doc::lsp
