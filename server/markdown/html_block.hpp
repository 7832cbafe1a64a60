// What it is: where an HTML block of CommonMark 0.30 (section 4.6) begins and ends.
// What it is not: an HTML parser.
// Thread rule: pure functions.
#pragma once

#include <string_view>

namespace agent_doc::markdown {

/// In the order of the specification's start conditions 1 to 7.
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
  std::string_view
      closing;  ///< what ends it; empty for Element and AnyTag, which end at a blank line
};

/// `line` begins at its first character that is not a space.
HtmlBlockStart html_block_start(std::string_view line);

/// True when a block of `kind` ends with this line of it. Never true for the kinds that end at a
/// blank line.
bool html_block_ends(HtmlBlockKind kind, std::string_view line);

}  // namespace agent_doc::markdown
