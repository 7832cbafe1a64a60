// What it is: a table of the pipe kind on a terminal: columns as wide as the text in them, narrower
// where the terminal is, and then with words wrapped inside of their cells.
// What it is not: it does not decide which lines are a table (markdown_view.hpp).
// Thread rule: not thread-safe; a value.
#pragma once

#include "editors/cli/line_writer.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// When as much of a table has come, it is laid out by what is there, and further rows keep to
/// these columns.
inline constexpr std::size_t kMaxHeldRows = 40;
inline constexpr std::size_t kMaxHeldTableBytes = 8192;
/// A table with more is printed as it is.
inline constexpr std::size_t kMaxTableColumns = 40;
/// Narrower columns are not readable: then the table is printed as it is.
inline constexpr std::size_t kFewestCellColumns = 4;

/// Returns the cells of a row `| a | b |`, trimmed; `\|` is a sign of the text.
std::vector<std::string> cells_of(std::string_view row);

/// Returns true for the line below a table's head, `|---|:-:|`, of as many columns.
bool is_delimiter_row(std::string_view line, std::size_t columns);

class MarkdownTable {
 public:
  /// `delimiters`: a delimiter row for the columns of `head`.
  MarkdownTable(std::string_view head, std::string_view delimiters, Colour colour);

  /// Writes nothing while the table is held.
  void add_row(std::string_view row, LineWriter& writer);
  /// Writes what is held.
  void end(LineWriter& writer);

 private:
  enum class Align { Left, Centre, Right };
  using Cells = std::vector<std::string>;

  void lay_out(std::size_t room);
  void write_held(LineWriter& writer);
  void write_row(const Cells& cells, Style style, LineWriter& writer) const;
  void write_source(std::string_view row, LineWriter& writer) const;
  std::string rule() const;
  std::string aligned(const std::string& line, std::size_t column, bool is_last) const;

  Colour colour_;
  std::vector<Align> aligns_;
  std::vector<std::string> held_;  ///< rows as they came; the head, and the delimiters, first
  std::size_t held_bytes_ = 0;
  bool is_laid_out_ = false;
  std::vector<std::size_t> widths_;  ///< empty: there is no room for columns
};

}  // namespace agent_doc::cli
