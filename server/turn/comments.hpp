// What it is: a markdown text without what the person keeps to themselves: HTML comments (outside
// code) and `[//]: # (…)` lines.
// What it is not: a markdown parser (server/markdown).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// What becomes of the white space around a comment.
enum class CommentGaps : std::uint8_t {
  Kept,
  Closed,  ///< it is as if the comment had never stood there: no blank line where there was one, no
           ///< second space
};

/// Returns `markdown` without comments. Markers of components (`<!-- agent:NAME -->` and its kin)
/// are none.
std::string without_comments(std::string_view markdown, CommentGaps gaps = CommentGaps::Kept);

/// From byte `at` of a text without comments on, up to the next of these, it is the text with them
/// from byte `source` on.
struct KeptText {
  std::size_t at = 0;
  std::size_t source = 0;
};

struct WithoutComments {
  std::string text;
  std::vector<KeptText> kept;  ///< ascending; the first is at 0, unless nothing is left

  /// Returns where byte `at` of `text` stood. Precondition: `text` has it.
  std::size_t source_of(std::size_t at) const;
};

/// Returns `markdown` without comments, with closed gaps, and where each piece of it stood.
WithoutComments traced_without_comments(std::string_view markdown);

}  // namespace agent_doc::turn
