// What it is: the commands on a document's turn and session: run, stop, newSession, continueReply,
// answer, status.
// What it is not: fork, which makes a file (fork_command.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"

namespace agent_doc::lsp {

class Documents;

void add_turn_commands(Commands& commands, const Client& client, Documents& documents);

}  // namespace agent_doc::lsp
