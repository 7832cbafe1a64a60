// What it is: what there is to tell about one turn, in a line for a person.
// What it is not: the payload of `agentDoc/turn` (turn_updates.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/session/turn_view.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace agent_doc::lsp {

/// "1,234"
std::string grouped(std::int64_t number);
/// "0.4 s", "12 s", "3 min 5 s"
std::string duration_words(std::chrono::milliseconds elapsed);
/// "$0.0123", from millionths of a dollar: two significant digits of what is less than a cent.
std::string cost_words(std::int64_t micros);
/// "claude · done · model-1 · 1,234 tokens in, 56 out · $0.01 · 12 s"; what is not known is left
/// out.
std::string turn_words(const session::TurnView& view);

}  // namespace agent_doc::lsp
