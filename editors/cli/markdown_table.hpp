// Renders a pipe table on a terminal. Columns are as wide as their text. If the terminal is
// narrower, words are wrapped inside their cells. markdown_view.hpp decides which lines are a
// table. Not thread-safe.
#pragma once

#include "editors/cli/line_writer.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

/// After so many rows, the columns are fixed by the rows so far; later rows use the same columns.
inline constexpr std::size_t kMaxHeldRows = 40;
inline constexpr std::size_t kMaxHeldTableBytes = 8192;
/// A table with more columns is printed as source text.
inline constexpr std::size_t kMaxTableColumns = 40;
/// Narrower columns are unreadable: the table is then printed as source text.
inline constexpr std::size_t kFewestCellColumns = 4;

/// Returns the cells of a row `| a | b |`, trimmed; `\|` is a literal bar.
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
  std::vector<std::string> held_;  ///< source rows; the head and the delimiters come first
  std::size_t held_bytes_ = 0;
  bool is_laid_out_ = false;
  std::vector<std::size_t> widths_;  ///< empty if there is no room for columns
};

}  // namespace agent_doc::cli
