// Reading and writing single YAML scalars in front matter: plain, 'single' and "double" quoted.
// Structure, tags, anchors and block scalars are not supported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::markdown {

enum class ScalarStyle { Plain, SingleQuoted, DoubleQuoted };

/// In Flow, inside `{…}` and `[…]`, more characters end a plain scalar.
enum class ScalarContext { Block, Flow };

struct Scalar {
  std::size_t begin = 0;  ///< bytes of the text, quotes included
  std::size_t end = 0;
  ScalarStyle style = ScalarStyle::Plain;
  std::string value;         ///< empty for null (`~`, `null`)
  std::string_view problem;  ///< an error for the user; empty when there is none
};

/// Reads the scalar at `begin`, which is no space. A plain scalar ends with its line. A quoted one
/// may extend up to `limit`; if it is never closed it ends with its line and has a problem.
Scalar read_scalar(std::string_view text, std::size_t begin, std::size_t limit,
                   ScalarContext context);

/// Returns true when `value`, written without quotes, is read back as the same string.
bool is_safe_plain(std::string_view value, ScalarContext context);

/// Returns `value` in `style`, or in double quotes when that style cannot represent it.
std::string write_scalar(std::string_view value, ScalarContext context,
                         ScalarStyle style = ScalarStyle::Plain);

}  // namespace agent_doc::markdown
