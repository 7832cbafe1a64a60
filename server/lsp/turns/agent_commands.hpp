// The commands for pickers: agentDoc.agents lists the agents, agentDoc.sessions the sessions that
// one of them keeps for a folder. Nothing is cached: each request asks the agent again
// (session/session_listing.hpp).
#pragma once

#include "protocol/agent_doc.hpp"
#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/workspace.hpp"
#include "server/session/conversation.hpp"
#include "server/session/session_listing.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace agent_doc::lsp {

class Documents;

/// How many agents may be asked for their sessions at the same time.
inline constexpr std::size_t kMaxListings = 4;
/// Longer session titles are cut; in bytes.
inline constexpr std::size_t kMaxListedTitle = 200;

class AgentCommands {
 public:
  AgentCommands(const Client& client, Environment& environment, const Workspace& workspace,
                Documents& documents);

  void add_to(Commands& commands);
  /// Answers all open requests as cancelled and stops their agents, because the server ends. What
  /// is left of them ends with this object.
  void end();

 private:
  struct Listing {
    std::string agent;
    std::string folder;
    protocol::Replier reply;
    std::unique_ptr<session::SessionListing> asked;
    PendingHandle limit;
  };
  using Place = std::list<Listing>::iterator;

  void sessions(const protocol::Fields& argument, protocol::Replier reply);
  /// Returns the agent and folder that the request means, or the reason why they are unknown.
  session::Outcome<session::AgentPlace> place_of(const protocol::SessionsParams& params) const;
  void ask(const plugins::AgentSpec& spec, const std::string& folder, protocol::Replier reply);
  void answer_listing(Place listing, session::ListedSessions listed);
  /// Drops listings whose agents are gone, outside any call of a listing.
  void sweep_soon();

  const Client& client_;
  Environment& environment_;
  const Workspace& workspace_;
  Documents& documents_;
  std::list<Listing> listings_;
  PendingHandle sweep_;
};

}  // namespace agent_doc::lsp
