// What it is: the block structure of CommonMark 0.30, one line after the other: a stack of
// containers (list items, quotes) and one leaf in the innermost of them.
// What it is not: it keeps no text and knows no inlines; what is left out is said in scanner.hpp,
// which scans whole texts with it.
// Thread rule: not thread-safe; a small value, one per text.
#pragma once

#include "server/markdown/html_block.hpp"
#include "server/markdown/scanner.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// A list item or a quote that is open.
struct Container {
  enum class Kind { Quote, Item };
  Kind kind = Kind::Quote;
  std::size_t content_indent =
      0;                     ///< of an item: columns that a line must be indented to belong to it
  bool has_content = false;  ///< an item that began with a blank line ends at the next one
  std::size_t marker_begin = 0;  ///< of an item: the byte of its marker in the line that opened it
  std::size_t marker_length = 0;
};

/// What a line is inside its containers: more than who looks for turns has to know.
struct LineShape {
  enum class Leaf {
    None,  ///< a blank line outside of code
    Paragraph,
    Heading,
    Break,      ///< a thematic break
    Underline,  ///< of a setext heading
    FenceOpen,
    FenceClose,
    Fence,
    IndentedCode,
    Html,
  };
  Leaf leaf = Leaf::None;
  bool begins = false;  ///< a block, or a container, begins in this line
  int level = 0;        ///< of a heading
  std::size_t matched =
      0;  ///< containers from before that the line is in; when `begins`, the others are new
  std::size_t text_at = 0;  ///< the first byte that is neither a marker of a container nor a space
  std::size_t indent = 0;   ///< columns before it, inside of the containers
};

class BlockParser {
 public:
  /// `line` without its line end. Offsets of the result are bytes of `line`.
  Line parse(std::string_view line, std::size_t line_begin);
  std::optional<OpenBlock> open_block() const;

  /// Returns what the line that was parsed last is.
  const LineShape& shape() const { return shape_; }
  /// Returns what is open after it, the outermost first.
  const std::vector<Container>& containers() const { return containers_; }

 private:
  enum class Leaf { None, Paragraph, IndentedCode, Fence, Html };
  struct Fence {
    char character = '`';
    std::size_t length = 0;  ///< 0: none
  };
  class Cursor;
  struct Progress;

  static Fence opening_fence(std::string_view text);
  static bool closes(const Fence& fence, std::string_view text);
  static bool is_thematic_break(Cursor& cursor);

  bool is_plain(std::string_view text, Line& line);
  Line parse_in_containers(Progress& progress);
  std::size_t match_containers(Cursor& cursor);
  bool blank_line_continues_all();
  bool continues_leaf(const Progress& progress, Line& line);
  bool opens_leaf(Progress& progress, Line& line);
  bool opens_container(Progress& progress);
  void push(const Container& container);
  void open_item(Progress& progress, std::size_t marker_length);
  void begin_block(Progress& progress);
  void close_unmatched(Progress& progress);

  std::vector<Container> containers_;
  std::optional<bool> blank_line_continues_all_;  ///< while containers_ stays as it is
  Leaf leaf_ = Leaf::None;
  Fence fence_;
  HtmlBlockStart html_;
  std::size_t leaf_begin_ = 0;
  LineShape shape_;
};

}  // namespace agent_doc::markdown
