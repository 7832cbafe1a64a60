// Parses the block structure of CommonMark 0.30, line by line: a stack of containers (list items,
// quotes) with one leaf in the innermost. Keeps no text and knows no inlines. scanner.hpp, which
// scans whole texts with it, lists the simplifications. Use one parser for each text.
#pragma once

#include "server/markdown/html_block.hpp"
#include "server/markdown/scanner.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// An open list item or quote.
struct Container {
  enum class Kind { Quote, Item };
  Kind kind = Kind::Quote;
  /// Items: the columns by which a line must be indented to belong to the item.
  std::size_t content_indent = 0;
  bool has_content = false;      ///< an item that begins with a blank line ends at the next one
  std::size_t marker_begin = 0;  ///< items: byte offset of the marker in the line that opened it
  std::size_t marker_length = 0;
};

/// The shape of a line inside its containers: more detail than finding turns needs.
struct LineShape {
  enum class Leaf {
    None,  ///< a blank line outside code
    Paragraph,
    Heading,
    Break,      ///< a thematic break
    Underline,  ///< underline of a setext heading
    FenceOpen,
    FenceClose,
    Fence,
    IndentedCode,
    Html,
  };
  Leaf leaf = Leaf::None;
  bool begins = false;  ///< a block or a container begins in this line
  int level = 0;        ///< of the heading
  /// Open containers that the line continues. When `begins` is set, all others are new.
  std::size_t matched = 0;
  std::size_t text_at = 0;  ///< offset of the first byte after container markers and spaces
  std::size_t indent = 0;   ///< columns before it, inside the containers
};

class BlockParser {
 public:
  /// Parses the next line, given without its line end. Offsets in the result are bytes of `line`.
  Line parse(std::string_view line, std::size_t line_begin);
  std::optional<OpenBlock> open_block() const;

  /// Returns the shape of the most recently parsed line.
  const LineShape& shape() const { return shape_; }
  /// Returns the containers that are open after it, outermost first.
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
  std::optional<bool> blank_line_continues_all_;  ///< cached while containers_ is unchanged
  Leaf leaf_ = Leaf::None;
  Fence fence_;
  HtmlBlockStart html_;
  std::size_t leaf_begin_ = 0;
  LineShape shape_;
};

}  // namespace agent_doc::markdown
