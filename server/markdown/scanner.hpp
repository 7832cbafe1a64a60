// Classifies the lines of a markdown text as code, headings, HTML or text, in one pass and by the
// block rules of CommonMark 0.30 as far as they decide where a turn begins. Inlines, lists and
// quotes are text, although list items and quotes are tracked to their end. Setext headings are
// text, too, and link reference definitions are paragraphs. The tests compare it with cmark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// The kind of a line. Applies inside list items and quotes, too, except for Heading.
enum class LineKind {
  Text,
  Blank,
  Heading,  ///< a top-level ATX heading; `level` and `content_*` are set
  FenceOpen,
  FenceClose,
  Code,  ///< inside a fence, blank lines included, or indented code
  Html,  ///< a line of an HTML block
  /// The first line of a comment that is a block of its own; its other lines are Html.
  HtmlComment,
};

/// List items and quotes nested deeper than this are text. Bounds the cost of a line.
inline constexpr std::size_t kMaxContainers = 100;

/// One line: the bytes [begin, end) of the text, without the line end.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  LineKind kind = LineKind::Text;
  int level = 0;                  ///< 1 to 6, for Heading
  std::size_t content_begin = 0;  ///< the heading's text, without markers and outer spaces
  std::size_t content_end = 0;
};

/// A top-level block that is still open at the end of a text and swallows whatever is appended: a
/// fence, or HTML such as an unclosed comment.
struct OpenBlock {
  enum class Kind { Fence, Html };
  Kind kind = Kind::Fence;
  std::size_t begin = 0;     ///< of the first line
  std::string closing_line;  ///< "```", "~~~~", "-->", …
};

struct Blocks {
  std::vector<Line> lines;
  std::optional<OpenBlock> open;
};

/// Scans `text` from `from`, where the body begins after the front matter. Never fails.
Blocks scan_blocks(std::string_view text, std::size_t from);

/// Returns the lines of scan_blocks().
std::vector<Line> scan(std::string_view text, std::size_t from);

/// Returns the line ("```", "~~~~", "-->") that closes the top-level block still open at the end of
/// `text`, or an empty string.
std::string missing_closing_line(std::string_view text);

}  // namespace agent_doc::markdown
