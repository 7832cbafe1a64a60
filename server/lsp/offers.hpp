// What it is: what a person can do with a document as it stands, as commands with their titles:
// what code actions and code lenses show.
// What it is not: where they are shown, and the commands themselves (turn_commands.hpp,
// fork_command.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/lsp.hpp"

#include <vector>

namespace agent_doc::lsp {

class Document;

/// Of the question in the title of an answer.
inline constexpr std::size_t kMaxQuestionBytes = 80;

protocol::Command run_offer(const Document& document);
protocol::Command stop_offer(const Document& document);
/// While a turn waits for permission: one for each option of the question.
std::vector<protocol::Command> answer_offers(const Document& document);
/// When the last turn is over: run it again, write the rest of it.
std::vector<protocol::Command> last_turn_offers(const Document& document);
/// Of the session that the document names, when no turn runs: fork it, leave it. Costs the front
/// matter.
std::vector<protocol::Command> session_offers(const Document& document);

}  // namespace agent_doc::lsp
