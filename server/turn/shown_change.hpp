// What it is: a change of a text as a person reads it before allowing it: the lines that go, the
// lines that come, and a few around them.
// What it is not: a patch to apply; it makes nothing visible and cuts no line (question.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// Unchanged lines before and behind each change; what is between them is counted.
inline constexpr std::size_t kLinesAroundChange = 3;

/// Returns a line for each: "- " goes, "+ " comes, "  " stays; "@ 12 lines stay". "\\ no line end"
/// where the last one has none. Every line that goes or comes is there.
std::string shown_change(std::string_view before, std::string_view after);

}  // namespace agent_doc::turn
