// The command agentDoc.fork: creates a new document next to the old one, whose first run forks the
// agent's session, and opens it if the client can. Conversation::fork makes its text.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"
#include "server/lsp/environment.hpp"

namespace agent_doc::lsp {

class Documents;

/// Forks are named `NAME-fork.md`, `NAME-fork-2.md`, … up to this number.
inline constexpr int kMaxForksOfOneName = 1000;

void add_fork_command(Commands& commands, const Client& client, Documents& documents,
                      Environment& environment);

}  // namespace agent_doc::lsp
