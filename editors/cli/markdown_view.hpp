// Renders markdown for a terminal while it arrives: takes the bytes of a reply, returns bytes for a
// terminal. Nothing is printed twice, and the cursor never moves back. The result does not depend
// on where the bytes are cut. terminal.hpp handles replies that are replaced. Not thread-safe; one
// per reply.
//
// markdown::BlockParser decides to which block a line belongs. It is asked with the beginning of a
// line, again and again, until no later text could change the block; from then on words are printed
// as they arrive. Lines of code, headings, HTML and possible tables wait for their end.
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

/// A line whose block is undecided after so many bytes waits for its end.
inline constexpr std::size_t kMaxUndecidedLine = 256;
/// A waiting line of this length is printed, and its rest as it arrives.
inline constexpr std::size_t kMaxHeldLine = 4096;

class MarkdownView {
 public:
  /// `columns` is the width of the terminal.
  MarkdownView(Colour colour, std::size_t columns);
  MarkdownView(const MarkdownView&) = delete;
  MarkdownView& operator=(const MarkdownView&) = delete;

  /// Applies to later output.
  void set_columns(std::size_t columns) { writer_.set_columns(columns); }

  /// Returns the bytes to print now.
  std::string feed(std::string_view bytes);
  /// Ends the reply. Returns the rest, with its line end.
  std::string finish();
  /// Called before somebody else writes on the terminal. Returns the bytes that end the current
  /// line.
  std::string interrupt();

  /// Returns whether the current line of the terminal is empty.
  bool at_line_start() const { return writer_.at_line_start(); }

 private:
  enum class Reading {
    Undecided,  ///< the beginning of the line is in `line_`
    Held,       ///< the line is in `line_` until its end
    Inline,     ///< text of a paragraph, word by word
    Verbatim,   ///< code that is too long to be held
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

  std::string bytes_;  ///< of an incomplete character
  std::string line_;
  Reading reading_ = Reading::Undecided;

  Leaf leaf_ = Leaf::None;
  std::vector<Shown> containers_;
  std::size_t new_containers_from_ = 0;
  std::optional<std::string> head_;  ///< a line that may be the head of a table
  std::optional<MarkdownTable> table_;
  bool is_fence_ = false;
  std::size_t fence_indent_ = 0;
  std::size_t code_blanks_ = 0;  ///< empty lines of code, not printed yet
  bool printed_ = false;
  bool blank_is_due_ = false;
  LineBegin blank_begin_;
};

}  // namespace agent_doc::cli
