// What it is: a markdown text without what the person keeps to themselves: HTML comments (outside
// code) and `[//]: # (…)` lines.
// What it is not: a markdown parser (server/markdown).
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace agent_doc::turn
