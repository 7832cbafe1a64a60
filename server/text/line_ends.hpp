// The line ends of a text ("\n", "\r\n" or "\r", as in LSP 3.17): finding out which it uses, and
// replacing them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Returns `text` with each of its line ends replaced by `line_end`.
std::string with_line_ends(std::string_view text, std::string_view line_end);

/// Returns the line end that `text` uses everywhere, or an empty view when it has none or several
/// kinds. The view is static.
std::string_view only_line_end(std::string_view text);

/// Returns the most frequent line end of `text`, the first one among equals, or "\n" when it has
/// none. The view is static.
std::string_view most_frequent_line_end(std::string_view text);

/// Returns where the line end at byte `at` of `text` ends, or `at` when there is none.
std::size_t after_line_end(std::string_view text, std::size_t at);

/// Returns whether what follows `text` begins a line.
bool is_whole_lines(std::string_view text);

}  // namespace agent_doc::text
