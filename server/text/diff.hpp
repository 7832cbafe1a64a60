// The difference between two texts, as edits of whole lines reduced to the bytes that differ. Used
// where no changes are reported: a formatter, a reload, a client that sends full texts, another
// program that wrote the file.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_doc::text {

/// Above this many differing lines, not counting the common head and tail, diff() returns a single
/// replacement.
inline constexpr std::size_t kMaxDiffedLines = 40'000;

/// Returns the edits that turn `before` into `after`: ascending, neither overlapping nor touching,
/// with offsets into `before`. To apply them one by one, begin with the last. Equal texts give
/// none.
std::vector<Edit> diff(std::string_view before, std::string_view after);

/// Lines [before_begin, before_end) of one text, counted from 0, are [after_begin, after_end)
/// in the other.
struct ChangedLines {
  std::size_t before_begin = 0, before_end = 0;
  std::size_t after_begin = 0, after_end = 0;
};

/// Returns which lines differ, in ascending order; between two of them is one equal line at least.
/// Above kMaxDiffedLines it is one.
std::vector<ChangedLines> changed_lines(std::string_view before, std::string_view after);

/// Returns `edits`, as diff() gives them, with offsets that hold after the earlier edits were
/// applied, as in `didChange`.
std::vector<Edit> sequential(std::vector<Edit> edits);

/// Returns `edit`, made against a common base, as it applies after `first` was applied to that
/// base. Where both insert at the same place, `edit` goes second. Text that `first` inserted inside
/// the range of `edit` is kept, which splits the range: hence up to two edits, ascending, both with
/// offsets into the text after `first`.
std::vector<Edit> rebase(const Edit& edit, const Edit& first);

}  // namespace agent_doc::text
