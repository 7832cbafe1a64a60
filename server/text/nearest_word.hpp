// Suggestions for misspelt words.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace agent_doc::text {

/// A word with more typos than this is not suggested.
inline constexpr std::size_t kMaxTypos = 2;
/// Longer words are compared by their first bytes.
inline constexpr std::size_t kMaxComparedBytes = 60;

/// Returns the word in `known` that is nearest to `word`, the first one among equals, or an empty
/// view when none is near. A typo is a letter that is missing, added, changed, or swapped with its
/// neighbour. A word that consists of typos alone is near to nothing.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);

}  // namespace agent_doc::text
