// What it is: the commands for pickers: agentDoc.agents, which agents there are, and
// agentDoc.sessions, which sessions one of them keeps for a folder.
// What it is not: what an agent is asked (session/session_listing.hpp), nor a list that is kept:
// each request asks anew.
// Thread rule: the server's thread only.
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

/// Agents that are asked for their sessions at the same time.
inline constexpr std::size_t kMaxListings = 4;
/// Of a session's title in an answer, in bytes.
inline constexpr std::size_t kMaxListedTitle = 200;

class AgentCommands {
 public:
  AgentCommands(const Client& client, Environment& environment, const Workspace& workspace,
                Documents& documents);

  void add_to(Commands& commands);
  /// The server ends: requests that wait are answered as cancelled, their agents stopped. Whatever
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
  /// The agent that is meant and its folder, or why that cannot be said.
  session::Outcome<session::AgentPlace> place_of(const protocol::SessionsParams& params) const;
  void ask(const plugins::AgentSpec& spec, const std::string& folder, protocol::Replier reply);
  void told(Place listing, session::ListedSessions listed);
  /// Outside of any call of a listing: forgets those whose agents are gone.
  void sweep_soon();

  const Client& client_;
  Environment& environment_;
  const Workspace& workspace_;
  Documents& documents_;
  std::list<Listing> listings_;
  PendingHandle sweep_;
};

}  // namespace agent_doc::lsp
