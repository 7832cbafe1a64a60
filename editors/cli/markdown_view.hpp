// What it is: markdown that is read on a terminal while it comes: bytes of a reply in, bytes for a
// terminal out. What was printed is never printed again, and the cursor never goes back; where the
// bytes are cut makes no difference.
// What it is not: I/O; nor does it know that a reply may be replaced (terminal.hpp).
// Thread rule: not thread-safe; one per reply.
//
// Which block a line belongs to is what markdown::BlockParser says. It is asked with the begin of a
// line, again and again, until nothing that follows could make another block of it; from then on
// words are printed as they come. Lines of code, headings, HTML and what may be a table wait for
// their end.
#pragma once

#include "editors/cli/inline_text.hpp"
#include "editors/cli/line_writer.hpp"
#include "editors/cli/markdown_table.hpp"
#include "server/markdown/block_parser.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// What begins a line longer than this is not looked at any more: the line waits for its end.
inline constexpr std::size_t kMaxUndecidedLine = 256;
/// A line that waits for its end is printed when it is so long, and goes on as it comes.
inline constexpr std::size_t kMaxHeldLine = 4096;

class MarkdownView {
 public:
  /// `columns` of the terminal.
  MarkdownView(Colour colour, std::size_t columns);
  MarkdownView(const MarkdownView&) = delete;
  MarkdownView& operator=(const MarkdownView&) = delete;

  /// For what is printed from now on.
  void set_columns(std::size_t columns) { writer_.set_columns(columns); }

  /// Returns what is to be printed now.
  std::string feed(std::string_view bytes);
  /// No more will come. Returns the rest, with the end of its line.
  std::string finish();
  /// Somebody else writes on the terminal. Returns what ends the line that was begun.
  std::string interrupt();

  /// Nothing stands in the line that the next output goes to.
  bool at_line_start() const { return writer_.at_line_start(); }

 private:
  enum class Reading {
    Undecided,  ///< the begin of the line is in `line_`
    Held,       ///< the line is in `line_` until its end
    Inline,     ///< it is text of a paragraph, word by word
    Verbatim,   ///< it is code that is too long to be held
  };
  enum class Leaf { None, Paragraph, Table, Code, Html };
  enum class Extent { WholeLine, BeginOfLine };
  /// A list item or a quote, as its lines begin.
  struct Shown {
    std::string first;
    std::string rest;
    std::size_t columns = 0;
  };

  void take(std::string_view character);
  void end_line();
  void decide();
  void let_go();
  Reading reading_of(std::string_view line, const markdown::LineShape& shape) const;

  void show(std::string_view line, Extent extent);
  void show_paragraph(std::string_view text, Extent extent);
  void show_heading(std::string_view text, int level);
  void show_code(std::string_view line, std::size_t own_indent);
  void show_rule(std::string_view sign, std::size_t length);
  void show_blank();
  void write_code_blanks();

  void start_block(std::string_view line);
  void close_leaf();
  void close_containers(std::size_t kept);
  void open_containers(std::string_view line);
  LineBegin begin_of_line(bool first) const;
  void feed_inline(std::string_view text);

  Colour colour_;
  LineWriter writer_;
  InlineText inline_;
  markdown::BlockParser parser_;

  std::string bytes_;  ///< of a character that is not whole
  std::string line_;
  Reading reading_ = Reading::Undecided;

  Leaf leaf_ = Leaf::None;
  std::vector<Shown> containers_;
  std::size_t new_containers_from_ = 0;
  std::optional<std::string> head_;  ///< a line that may be the head of a table
  std::optional<MarkdownTable> table_;
  bool is_fence_ = false;
  std::size_t fence_indent_ = 0;
  std::size_t code_blanks_ = 0;  ///< empty lines of code that are not printed yet
  bool printed_ = false;
  bool blank_is_due_ = false;
  LineBegin blank_begin_;
};

}  // namespace agent_doc::cli
