// What it is: the vocabulary of changes to a text: one contiguous replacement, and how a position
// moves through it.
// What it is not: it does not know positions in lines (position.hpp) nor who made the change
// (server/sync).
// Thread rule: plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Replaces the bytes [begin, end) of a UTF-8 text by `replacement`. Offsets are bytes into the
/// text before the edit.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;

  bool is_no_op() const { return begin == end && replacement.empty(); }
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// On which side of text that is inserted exactly at it an offset stays.
enum class Bias {
  Left,   ///< before the inserted text
  Right,  ///< after the inserted text
};

/// Returns where `offset` is after `edit`. An offset inside the replaced bytes goes to the begin
/// (Left) or the end (Right) of the replacement; an offset at a border of a non-empty replaced
/// range stays at that border.
std::size_t map_offset(std::size_t offset, Bias bias, const Edit& edit);

/// `edit` without the common prefix and suffix of the bytes it replaces (`replaced`) and its
/// replacement, cut at UTF-8 boundaries only, and not between "\r" and "\n" of either. Without it a
/// client that reports whole lines would move anchors that nobody touched.
Edit minimise(const Edit& edit, std::string_view replaced);

/// Number of equal bytes at the start, and at the end, of `a` and `b`.
std::size_t common_prefix(std::string_view a, std::string_view b);
std::size_t common_suffix(std::string_view a, std::string_view b);

}  // namespace agent_doc::text
