// Which parts of a text are still there after somebody edited it, compared by characters where a
// line was changed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_doc::text {

/// Of a changed place, the characters before times those after; a larger place counts as replaced
/// as a whole.
inline constexpr std::size_t kMaxComparedCharacters = 250'000;

/// Bytes [before_begin, before_begin + length) of one text are those from `after_begin` on of the
/// other.
struct KeptPart {
  std::size_t before_begin = 0;
  std::size_t after_begin = 0;
  std::size_t length = 0;
};

/// Returns the parts of `before` that `after` has kept: ascending in both, none empty, none cutting
/// a UTF-8 sequence or a "\r\n". Both texts are well-formed UTF-8.
std::vector<KeptPart> kept_parts(std::string_view before, std::string_view after);

}  // namespace agent_doc::text
