// Where an HTML block of CommonMark 0.30 (section 4.6) begins and ends.
#pragma once

#include <string_view>

namespace agent_doc::markdown {

/// In the order of start conditions 1 to 7 of the specification.
enum class HtmlBlockKind {
  None,
  RawText,
  Comment,
  Instruction,
  Declaration,
  CData,
  Element,
  AnyTag
};

struct HtmlBlockStart {
  HtmlBlockKind kind = HtmlBlockKind::None;
  /// The text that ends the block; empty for Element and AnyTag, which end at a blank line.
  std::string_view closing;
};

/// Returns the kind of block that `line` starts, or None. `line` begins with its first character
/// that is no space.
HtmlBlockStart html_block_start(std::string_view line);

/// Returns true when a block of `kind` ends with this line. Always false for the kinds that end at
/// a blank line.
bool html_block_ends(HtmlBlockKind kind, std::string_view line);

}  // namespace agent_doc::markdown
