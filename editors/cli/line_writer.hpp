// Lays out words for a terminal that is only appended to: wrapped at its width, after the marks of
// lists and quotes, in its own colours. It does not know markdown (markdown_view.hpp) and does no
// I/O: take() returns the bytes to print. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::cli {

enum class Colour { Off, On };

/// A bit set.
enum class Style : std::uint8_t {
  None = 0,
  Bold = 1,
  Italic = 2,
  Underline = 4,
  Dim = 8,
  Code = 16,    ///< a colour; nothing without colours
  Heading = 32  ///< a colour; nothing without colours
};
constexpr Style operator|(Style a, Style b) {
  return static_cast<Style>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(Style all, Style one) {
  return (static_cast<std::uint8_t>(all) & static_cast<std::uint8_t>(one)) != 0;
}

/// A longer word is printed in pieces; its line may become too long.
inline constexpr std::size_t kMaxWordBytes = 1024;
/// One column for a letter, and the last one, which stays free.
inline constexpr std::size_t kFewestColumns = 2;

/// The beginning of a line.
struct LineBegin {
  std::string bytes;  ///< may have escape sequences of ours
  std::size_t columns = 0;
};

enum class Spaces {
  Break,  ///< a line may end at them
  Keep,   ///< they belong to the word
};
/// How to print a word that is longer than a line.
enum class LongWord {
  Whole,  ///< let the terminal wrap it, so that it can be copied
  Cut,
};

/// For any input, the output has no control characters except line ends and the escape sequences of
/// styles, and no style lasts beyond a word.
class LineWriter {
 public:
  LineWriter(Colour colour, std::size_t columns, LongWord long_word = LongWord::Whole);

  /// Applies to later lines.
  void set_columns(std::size_t columns);
  /// The next line begins with `first`, those after it with `rest`.
  void set_begins(LineBegin first, LineBegin rest);

  /// Adds text. A word is written when it is complete: when a space, a possible line break or the
  /// end of the line follows.
  void add(std::string_view text, Style style, Spaces spaces = Spaces::Break);
  /// Adds text without wrapping it or holding it back.
  void add_verbatim(std::string_view text, Style style);
  /// Adds a line that is already styled, by styled() or another writer.
  void add_line(std::string_view styled_line);
  /// Ends the line if there is one.
  void end_line();
  /// Ends the line; an empty line gets its beginning first.
  void end_even_empty_line();
  void blank_line(const LineBegin& begin);
  /// Ends the line early because somebody else writes. An incomplete word continues in the next
  /// line.
  void interrupt();

  Colour colour() const { return colour_; }
  /// Returns the columns of the terminal.
  std::size_t width() const { return columns_; }
  bool at_line_start() const { return !line_is_open_; }
  /// Returns the columns for the text of a line, without its beginning.
  std::size_t room() const;
  /// Returns the bytes to print and clears them.
  std::string take();

 private:
  std::size_t limit() const;
  void add_cluster(std::string_view cluster, std::size_t columns, Style style);
  void may_break_before(std::string_view cluster);
  void append_styled(std::string_view text, Style style);
  void close_style();
  void complete_word();
  void write_word();
  void open_line();
  void break_line();
  void make_place(std::size_t columns);

  Colour colour_;
  std::size_t columns_;
  LongWord long_word_;
  LineBegin first_;
  LineBegin rest_;
  std::string out_;
  bool line_is_open_ = false;
  bool first_is_used_ = false;
  std::size_t column_ = 0;
  bool space_is_due_ = false;
  Style space_style_ = Style::None;

  std::string word_;
  std::size_t word_columns_ = 0;
  Style word_style_ = Style::None;  ///< at the end of `word_`
  char32_t last_point_ = 0;         ///< the last of the word; 0: none
  bool is_glued_ = false;           ///< the beginning of the word is already written
};

/// Returns the escape sequence that begins `style`; empty if there is none.
std::string begin_of(Style style, Colour colour);

/// Returns `text` with its long lines broken between words. The continuation lines are indented.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

/// Returns `text` in `style`.
std::string styled(std::string_view text, Style style, Colour colour);

}  // namespace agent_doc::cli
