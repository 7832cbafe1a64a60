// What it is: makes hostile text visible: what cannot be seen, or changes how the text around it is
// seen, is marked.
// What it is not: a sanitiser (turn/sanitiser.hpp): nothing is taken out, for what is shown here is
// what will run.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Columns of blanks in a row that stand as they are, a tab counted as eight; more are counted
/// instead: "<200 blanks>".
inline constexpr std::size_t kMaxBlanks = 24;
/// Line ends in a row that stand as they are.
inline constexpr std::size_t kMaxLineEnds = 3;
/// Accents on one letter; more of them would be drawn over the lines around.
inline constexpr std::size_t kMaxMarks = 3;

/// Returns well-formed `text` with everything in it made visible: a line end is "⏎" and a line end;
/// control characters, bidi controls, invisible and private characters and unusual spaces are
/// "<U+202E>"; letters made of invisible tags are "<invisible: …>".
std::string visible(std::string_view text);

/// Returns the same on one line: behind "⏎" follows a space.
std::string visible_line(std::string_view text);

}  // namespace agent_doc::text
