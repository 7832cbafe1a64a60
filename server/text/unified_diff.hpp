// What it is: what changed between two texts as a unified diff, for whoever reads it: an agent, a
// person.
// What it is not: a way to change a text (diff.hpp, edit.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/text/diff.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::text {

/// Equal lines around each change.
inline constexpr std::size_t kDiffContext = 3;

struct UnifiedDiff {
  std::string text;  ///< "@@ -1,4 +1,5 @@" and so on, without names of files; empty when the texts
                     ///< are equal
  /// Where each of its hunks has its first changed line in the newer text, counted from 0. What was
  /// only deleted is at the line that follows it, which may be one behind the last.
  std::vector<std::size_t> places;
};

/// Returns the lines of each hunk without the context around it, in ascending order. Between the
/// changes of one may be lines that are equal. Both texts have "\n" at the end of each line.
std::vector<ChangedLines> changed_places(std::string_view before, std::string_view after);

/// Both texts have "\n" at the end of each line, also of the last one.
UnifiedDiff unified_diff(std::string_view before, std::string_view after);

}  // namespace agent_doc::text
