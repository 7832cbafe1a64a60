// Makes hostile text visible by marking what cannot be seen or changes how the text around it is
// displayed. Unlike turn/sanitiser.hpp it removes nothing, because the text shown here is the text
// that will run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Longer runs of blanks, in columns with a tab counted as eight, are replaced by their length:
/// "<200 blanks>".
inline constexpr std::size_t kMaxBlanks = 24;
/// Number of consecutive line ends that are shown as they are.
inline constexpr std::size_t kMaxLineEnds = 3;
/// Accents on one letter; more of them would be drawn over the lines around it.
inline constexpr std::size_t kMaxMarks = 3;

/// Returns well-formed `text` with everything in it made visible: a line end becomes "⏎" and a line
/// end; control characters, bidi controls, invisible and private characters and unusual spaces
/// become "<U+202E>"; letters made of invisible tags become "<invisible: …>".
std::string visible(std::string_view text);

/// Returns the same as visible(), on one line: "⏎" is followed by a space.
std::string visible_line(std::string_view text);

}  // namespace agent_doc::text
