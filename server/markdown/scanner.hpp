// What it is: one pass over the lines of a markdown text that tells which lines are code, headings,
// HTML, per CommonMark 0.30 block rules as far as they decide where a turn begins (top level only).
// What it is not: a markdown parser; inlines, lists and quotes are text to it, though it knows
// where each list item and quote ends. Setext headings are text, too, and link reference
// definitions are paragraphs. cmark is its oracle in the tests.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// Inside a list item or a quote, too, except for Heading.
enum class LineKind {
  Text,
  Blank,
  Heading,  ///< ATX heading of the top level; `level` and `content` are set
  FenceOpen,
  FenceClose,
  Code,         ///< inside a fence (blank lines, too), or indented code
  Html,         ///< a line of an HTML block
  HtmlComment,  ///< the first line of a comment that is a block of its own; its further lines are
                ///< Html
};

/// Deeper nested list items and quotes are text. It bounds what a line can cost.
inline constexpr std::size_t kMaxContainers = 100;

/// One line: bytes [begin, end) of the text without its line end.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  LineKind kind = LineKind::Text;
  int level = 0;                  ///< 1 to 6, for Heading
  std::size_t content_begin = 0;  ///< the heading's text without markers and outer spaces
  std::size_t content_end = 0;
};

/// What is still open at the end of a text, at the top level, and swallows whatever is put behind
/// it: a fence, or HTML such as an unclosed comment.
struct OpenBlock {
  enum class Kind { Fence, Html };
  Kind kind = Kind::Fence;
  std::size_t begin = 0;     ///< of its first line
  std::string closing_line;  ///< "```", "~~~~", "-->", …
};

struct Blocks {
  std::vector<Line> lines;
  std::optional<OpenBlock> open;
};

/// Never fails. `from` is where the body begins (behind the front matter); earlier bytes get no
/// line.
Blocks scan_blocks(std::string_view text, std::size_t from);

/// The lines of scan_blocks().
std::vector<Line> scan(std::string_view text, std::size_t from);

/// The line that closes what is still open at the end of `text` ("```", "~~~~", "-->"), or empty.
/// Top level only.
std::string missing_closing_line(std::string_view text);

}  // namespace agent_doc::markdown
