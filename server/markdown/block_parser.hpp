// What it is: the block structure of CommonMark 0.30, one line after the other: a stack of containers (list items, quotes) and one leaf in the innermost
// of them.
// What it is not: it keeps no text and knows no inlines; what is left out is said in scanner.hpp, which scans whole texts with it.
// Thread rule: not thread-safe; a small value, one per text.
#pragma once

#include "server/markdown/html_block.hpp"
#include "server/markdown/scanner.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

class BlockParser {
 public:
  /// `line` without its line end. Offsets of the result are bytes of `line`.
  Line parse(std::string_view line, std::size_t line_begin);
  std::optional<OpenBlock> open_block() const;

 private:
  enum class Leaf { None, Paragraph, IndentedCode, Fence, Html };
  struct Container {
    enum class Kind { Quote, Item };
    Kind kind = Kind::Quote;
    std::size_t content_indent = 0;  ///< of an item: columns that a line must be indented to belong to it
    bool has_content = false;        ///< an item that began with a blank line ends at the next one
  };
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
  std::size_t match_containers(Cursor& cursor);
  bool blank_line_continues_all();
  bool continues_leaf(const Progress& progress, Line& line);
  bool opens_leaf(Progress& progress, Line& line);
  bool opens_container(Progress& progress);
  void push(Container::Kind kind, std::size_t content_indent);
  void open_item(Progress& progress, std::size_t marker_length);
  void begin_block(Progress& progress);
  void close_unmatched(Progress& progress);

  std::vector<Container> containers_;
  std::optional<bool> blank_line_continues_all_;  ///< while containers_ stays as it is
  Leaf leaf_ = Leaf::None;
  Fence fence_;
  HtmlBlockStart html_;
  std::size_t leaf_begin_ = 0;
};

}  // namespace agent_doc::markdown
