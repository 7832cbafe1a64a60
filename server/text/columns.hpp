// What it is: how wide text is on a terminal, one grapheme cluster after the other.
// What it is not: it knows no lines and no tabs; control characters have no width.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace agent_doc::text {

/// A longer cluster is cut: it is no letter, it is an attack.
inline constexpr std::size_t kMaxClusterBytes = 128;

/// An extended grapheme cluster (UAX 29).
struct Cluster {
  std::size_t length = 0;  ///< bytes
  std::size_t columns =
      0;  ///< by wcwidth's rules: the sum over its code points, which no terminal exceeds
};

/// Returns the cluster that begins at `bytes[at]`; `at` is before the end.
Cluster cluster_at(std::string_view bytes, std::size_t at);

/// Returns the columns of all of `bytes`.
std::size_t width_of(std::string_view bytes);

/// True for the letters and signs of Chinese, Japanese and Korean, between which a line may be
/// broken.
bool is_ideographic(char32_t point);

/// Returns the code point at `bytes[at]`, U+FFFD where there is none.
char32_t point_at(std::string_view bytes, std::size_t at);

}  // namespace agent_doc::text
