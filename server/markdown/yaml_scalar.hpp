// What it is: one scalar of YAML as it stands in front matter, read and written: plain, 'single'
// and "double" quoted.
// What it is not: a YAML parser; it knows no structure, tags, anchors or block scalars.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::markdown {

enum class ScalarStyle { Plain, SingleQuoted, DoubleQuoted };

/// Inside `{…}` and `[…]` more characters end a plain scalar.
enum class ScalarContext { Block, Flow };

struct Scalar {
  std::size_t begin = 0;  ///< bytes of the text, quotes included
  std::size_t end = 0;
  ScalarStyle style = ScalarStyle::Plain;
  std::string value;         ///< null (`~`, `null`) is empty
  std::string_view problem;  ///< what is wrong with it, for a person; empty when nothing is
};

/// The scalar that begins at `begin`, which is no space. A plain one ends with its line; a quoted
/// one may go on up to `limit`, or ends with its line, with a problem, when its quotation mark is
/// not closed.
Scalar read_scalar(std::string_view text, std::size_t begin, std::size_t limit,
                   ScalarContext context);

/// True when `value`, written without quotes, is read back as this very string.
bool is_safe_plain(std::string_view value, ScalarContext context);

/// `value` in `style`, or in double quotes when it cannot stand in that style.
std::string write_scalar(std::string_view value, ScalarContext context,
                         ScalarStyle style = ScalarStyle::Plain);

}  // namespace agent_doc::markdown
