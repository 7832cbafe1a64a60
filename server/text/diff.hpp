// What it is: what changed between two texts, as edits of whole lines minimised to the bytes that differ. It stands in for the
// changes that a client did not tell: a formatter, a reload, a full-text client, another program that wrote the file.
// What it is not: a patch format, nor a merge.
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_doc::text {

/// Above this many differing lines (after the common head and tail are taken off) `diff` answers one replacement.
inline constexpr std::size_t kMaxDiffedLines = 40'000;

/// Edits that turn `before` into `after`, in ascending order, not overlapping and not touching, all in offsets of `before`. To apply them
/// one by one start with the last. Two equal texts give none.
std::vector<Edit> diff(std::string_view before, std::string_view after);

/// Lines [before_begin, before_end) of one text, counted from 0, stand as [after_begin, after_end) in the other.
struct ChangedLines {
  std::size_t before_begin = 0, before_end = 0;
  std::size_t after_begin = 0, after_end = 0;
};
/// Returns which lines differ, in ascending order; between two of them is one equal line at least. Above kMaxDiffedLines it is one.
std::vector<ChangedLines> changed_lines(std::string_view before, std::string_view after);

/// `edits` (as `diff` gives them) moved so that each can be applied after the ones before it: the form of `didChange`.
std::vector<Edit> sequential(std::vector<Edit> edits);

/// `edit`, made against a common base, as it stands once `first` was applied to that base. Where both insert at one place, `edit` stays
/// behind. What `first` inserted inside the range of `edit` is kept: the range is then split, hence up to two edits, ascending and both in
/// offsets of the text with `first`.
std::vector<Edit> rebase(const Edit& edit, const Edit& first);

}  // namespace agent_doc::text
