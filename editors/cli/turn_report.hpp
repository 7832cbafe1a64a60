// Formats turns of the store for the command line: one line each, or one whole turn.
// server/store/history.hpp reads them. Pure, except for the local time zone.
#pragma once

#include "server/store/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace agent_doc::cli {

/// WithName: the end of the path, as far as a terminal has room for it.
enum class Naming { WithFile, WithName, WithoutFile };

/// Returns, for example, "$1.5000"; empty if no cost is known.
std::string shown_cost(std::int64_t micros);
/// Returns the line of a turn, with its newline and without control characters of the conversation.
std::string line_of(const store::StoredTurn& turn, Naming naming);
/// Returns the prompt, the agent's other text, and the reply; ends with a newline.
std::string report_of(const store::StoredTurn& turn, const std::vector<store::StoredPiece>& pieces);

}  // namespace agent_doc::cli
