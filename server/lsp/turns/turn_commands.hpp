// The commands on a document's turn and session: run, stop, newSession, continueReply, answer,
// status and the like. Forking creates a file (fork_command.hpp).
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/commands.hpp"

namespace agent_doc::lsp {

class Documents;

void add_turn_commands(Commands& commands, const Client& client, Documents& documents);

}  // namespace agent_doc::lsp
