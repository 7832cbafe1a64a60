// What it is: the command agentDoc.fork: a new document beside the old one, whose first run forks
// the agent's session; it is opened where the client can.
// What it is not: what stands in the new document (Conversation::fork).
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"
#include "server/lsp/environment.hpp"

namespace agent_doc::lsp {

class Documents;

/// `NAME-fork.md`, `NAME-fork-2.md`, … up to this number.
inline constexpr int kMaxForksOfOneName = 1000;

void add_fork_command(Commands& commands, const Client& client, Documents& documents,
                      Environment& environment);

}  // namespace agent_doc::lsp
