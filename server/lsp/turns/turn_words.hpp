// A summary of one turn in a line for the user.
#pragma once

#include "server/session/turn_view.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace agent_doc::lsp {

/// Returns the number as "1,234".
std::string grouped(std::int64_t number);
/// Returns the time as "0.4 s", "12 s" or "3 min 5 s".
std::string duration_words(std::chrono::milliseconds elapsed);
/// Returns millionths of a dollar as "$0.0123". Amounts below a cent get two significant digits.
std::string cost_words(std::int64_t micros);
/// Returns "claude · done · model-1 · 1,234 tokens in, 56 out · $0.01 · 12 s", without what is
/// unknown.
std::string turn_words(const session::TurnView& view);

}  // namespace agent_doc::lsp
