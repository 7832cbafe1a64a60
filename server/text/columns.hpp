// Terminal columns of text, one grapheme cluster at a time. Control characters have no width, and
// lines and tabs are the caller's business.
#pragma once

#include <cstddef>
#include <string_view>

namespace agent_doc::text {

/// Longer clusters are cut: no letter is that long, so it is an attack.
inline constexpr std::size_t kMaxClusterBytes = 128;

/// An extended grapheme cluster (UAX 29).
struct Cluster {
  std::size_t length = 0;  ///< bytes
  /// Columns by the rules of wcwidth: the sum over the code points, which no terminal exceeds.
  std::size_t columns = 0;
};

/// Returns the cluster that begins at `bytes[at]`. Precondition: `at` < bytes.size().
Cluster cluster_at(std::string_view bytes, std::size_t at);

/// Returns the number of columns of `bytes`.
std::size_t width_of(std::string_view bytes);

/// Returns true for the letters and signs of Chinese, Japanese and Korean, between which a line may
/// be broken.
bool is_ideographic(char32_t point);

/// Returns the code point at `bytes[at]`, or U+FFFD when there is none.
char32_t point_at(std::string_view bytes, std::size_t at);

}  // namespace agent_doc::text
