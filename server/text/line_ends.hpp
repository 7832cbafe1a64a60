// What it is: the line ends of a text ("\n", "\r\n", "\r": LSP 3.17): which it uses, and the same
// text with others.
// What it is not: a walk over lines (lines.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Returns `text` with `line_end` in place of each of its line ends.
std::string with_line_ends(std::string_view text, std::string_view line_end);

/// Returns the line end that `text` uses everywhere (a constant); empty when it has none, or
/// several kinds.
std::string_view only_line_end(std::string_view text);

/// Returns the line end that `text` uses most (a constant), the first one where others are as
/// frequent; "\n" when it has none.
std::string_view most_frequent_line_end(std::string_view text);

}  // namespace agent_doc::text
