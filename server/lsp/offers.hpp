// What the user can do with a document in its present state, as commands with titles, for code
// actions and code lenses. The commands themselves are in turns/.
#pragma once

#include "protocol/lsp.hpp"

#include <vector>

namespace agent_doc::lsp {

class Document;

/// Longer questions are cut in the title of an answer.
inline constexpr std::size_t kMaxQuestionBytes = 80;

protocol::Command run_offer(const Document& document);
protocol::Command stop_offer(const Document& document);
/// Returns what can be done with the prompt below a growing reply: queue it, say it to the agent at
/// once, take it back. Costs
/// the document while a turn runs.
std::vector<protocol::Command> next_prompt_offers(const Document& document);
/// Returns one command for each option of the question that the turn waits for.
std::vector<protocol::Command> answer_offers(const Document& document);
/// Returns commands for the last turn once it is over: run it again, write the rest of it.
std::vector<protocol::Command> last_turn_offers(const Document& document);
/// Returns commands for the session that the document names, while no turn runs: fork it, leave it.
/// Costs the front matter.
std::vector<protocol::Command> session_offers(const Document& document);

}  // namespace agent_doc::lsp
