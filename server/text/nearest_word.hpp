// What it is: the word that was perhaps meant.
// What it is not: a word that was found; who asks knows that there is none.
// Thread rule: pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace agent_doc::text {

/// A word with more mistakes in it was not meant.
inline constexpr std::size_t kMaxTypos = 2;
/// What is longer is compared by its beginning.
inline constexpr std::size_t kMaxComparedBytes = 60;

/// Returns the one of `known` that is nearest to `word`, the first of equals, or nothing when none
/// is near. A letter that was left out, put in, changed, or swapped with its neighbour is one typo;
/// a word of nothing but typos is near to none.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);

}  // namespace agent_doc::text
