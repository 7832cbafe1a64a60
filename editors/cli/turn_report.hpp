// What it is: how turns of the store look on the command line: one line each, or one of them whole.
// What it is not: reading them (server/store/history.hpp).
// Thread rule: pure functions, but for the local time zone.
#pragma once

#include "server/store/records.hpp"

#include <string>
#include <vector>

namespace agent_doc::cli {

/// WithName: the end of its path, and no more than a terminal has room for.
enum class Naming { WithFile, WithName, WithoutFile };

/// With its newline. Nothing of what was said reaches the terminal with control characters.
std::string line_of(const store::StoredTurn& turn, Naming naming);
/// The prompt, what the agent said before and after, the reply; ends with a newline.
std::string report_of(const store::StoredTurn& turn, const std::vector<store::StoredPiece>& pieces);

}  // namespace agent_doc::cli
