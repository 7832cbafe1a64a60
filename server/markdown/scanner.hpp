// What it is: one pass over the lines of a markdown text that tells which lines are code, headings, HTML, per CommonMark 0.30 block rules as far as
// they decide where a turn begins (top level only).
// What it is not: a markdown parser; inlines, lists and quotes are text to it. cmark is its oracle in the tests.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

enum class LineKind {
  Text,
  Blank,
  Heading,     ///< ATX heading of the top level; `level` and `content` are set
  FenceOpen,
  FenceClose,
  Code,        ///< inside a fence, or indented code
  Html,        ///< a line of an HTML block; a comment that starts a block is HtmlComment
  HtmlComment,
};

/// One line: bytes [begin, end) of the text without its line end.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  LineKind kind = LineKind::Text;
  int level = 0;                  ///< 1 to 6, for Heading
  std::size_t content_begin = 0;  ///< the heading's text without markers and outer spaces
  std::size_t content_end = 0;
};

/// Never fails. `from` is where the body begins (behind the front matter); earlier bytes get no line.
std::vector<Line> scan(std::string_view text, std::size_t from);

/// The fence that is still open at the end of `text`, as the line that closes it ("```", "~~~~"), or empty. Top level only.
std::string open_fence(std::string_view text);

}  // namespace agent_doc::markdown
