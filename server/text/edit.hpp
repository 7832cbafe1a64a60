// Edits of a text: one contiguous replacement, and the mapping of offsets through it. Positions in
// lines are in position.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Replaces the bytes [begin, end) of a UTF-8 text by `replacement`. The offsets refer to the text
/// before the edit.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;

  bool is_no_op() const { return begin == end && replacement.empty(); }
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// The side on which an offset stays when text is inserted exactly there.
enum class Bias {
  Left,   ///< before the inserted text
  Right,  ///< after the inserted text
};

/// Returns where `offset` is after `edit`. An offset inside the replaced bytes moves to the
/// beginning (Left) or the end (Right) of the replacement; one at the border of a non-empty
/// replaced range stays at that border.
std::size_t map_offset(std::size_t offset, Bias bias, const Edit& edit);

/// Returns `edit` without the prefix and suffix that its replacement has in common with `replaced`,
/// the bytes that it replaces. Cuts at UTF-8 boundaries only, and never between "\r" and "\n".
/// Without this a client that reports whole lines would move anchors in text that nobody touched.
Edit minimise(const Edit& edit, std::string_view replaced);

/// Returns the number of equal bytes at the start, or at the end, of `a` and `b`.
std::size_t common_prefix(std::string_view a, std::string_view b);
std::size_t common_suffix(std::string_view a, std::string_view b);

}  // namespace agent_doc::text
