// What it is: places in a text as LSP names them, counted by the clients of the simulation
// themselves.
// What it is not: the engine's own count (text::TextBuffer), which it proves.
// Thread rule: pure functions.
#pragma once

#include "server/text/position.hpp"

#include <cstddef>
#include <string_view>

namespace agent_doc::simulation {

text::Position position_in(std::string_view text, std::size_t offset,
                           text::PositionEncoding encoding);
std::size_t offset_in(std::string_view text, text::Position position,
                      text::PositionEncoding encoding);

/// Where the line of `offset` begins, and where it ends, before its line end.
std::size_t line_begin(std::string_view text, std::size_t offset);
std::size_t line_end(std::string_view text, std::size_t offset);
bool is_line_end(char byte);

}  // namespace agent_doc::simulation
