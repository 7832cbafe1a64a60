#include "editors/cli/markdown_table.hpp"

#include "editors/cli/inline_text.hpp"
#include "server/text/columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace agent_doc::cli {

namespace {

constexpr std::string_view kBar = " │ ";
constexpr std::size_t kBarColumns = 3;
/// A width at which nothing is wrapped.
constexpr std::size_t kUnwrapped = 1'000'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed_cell(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes the escape sequences of styles.
std::size_t shown_width(std::string_view line) {
  std::size_t width = 0;
  while (!line.empty()) {
    if (line.front() == '\x1b') {
      line.remove_prefix(line.find('m') + 1);
      continue;
    }
    const std::size_t end = std::min(line.find('\x1b'), line.size());
    width += text::width_of(line.substr(0, end));
    line.remove_prefix(end);
  }
  return width;
}

/// Returns the lines of a cell that is `columns` wide.
std::vector<std::string> lines_of(std::string_view cell, std::size_t columns, Style style,
                                  Colour colour) {
  LineWriter writer(colour, columns + 1, LongWord::Cut);
  write_inline(writer, cell, Before::Space, style);
  writer.end_line();
  const std::string all = writer.take();
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    lines.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

}  // namespace

std::vector<std::string> cells_of(std::string_view row) {
  row = trimmed_cell(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::vector<std::string> cells(1);
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '\\' && at + 1 < row.size() && row[at + 1] == '|') {
      cells.back() += row[++at];
    } else if (row[at] == '\\' && at + 1 < row.size()) {
      cells.back().append(row.substr(at++, 2));
    } else if (row[at] != '|') {
      cells.back() += row[at];
    } else if (at + 1 < row.size()) {
      cells.emplace_back();
    }
  }
  for (std::string& cell : cells) cell = trimmed_cell(cell);
  return cells;
}

bool is_delimiter_row(std::string_view line, std::size_t columns) {
  const std::vector<std::string> cells = cells_of(line);
  return cells.size() == columns &&
         std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
           if (cell.starts_with(':')) cell.remove_prefix(1);
           if (cell.ends_with(':')) cell.remove_suffix(1);
           return !cell.empty() && cell.find_first_not_of('-') == std::string_view::npos;
         });
}

MarkdownTable::MarkdownTable(std::string_view head, std::string_view delimiters, Colour colour)
    : colour_(colour),
      held_{std::string(head), std::string(delimiters)},
      held_bytes_(head.size() + delimiters.size()) {
  for (const std::string& cell : cells_of(delimiters)) {
    const bool right = cell.ends_with(':');
    aligns_.push_back(!right ? Align::Left : cell.starts_with(':') ? Align::Centre : Align::Right);
  }
}

void MarkdownTable::add_row(std::string_view row, LineWriter& writer) {
  if (is_laid_out_)
    return widths_.empty() ? write_source(row, writer)
                           : write_row(cells_of(row), Style::None, writer);
  held_.emplace_back(row);
  held_bytes_ += row.size();
  if (held_.size() >= kMaxHeldRows || held_bytes_ >= kMaxHeldTableBytes) write_held(writer);
}

void MarkdownTable::end(LineWriter& writer) {
  if (!is_laid_out_) write_held(writer);
}

/// Shrinks the wide columns; narrow ones keep their width.
void MarkdownTable::lay_out(std::size_t room) {
  const std::size_t columns = aligns_.size();
  const std::size_t bars = (columns - 1) * kBarColumns;
  if (columns > kMaxTableColumns || room < bars + columns * kFewestCellColumns) return;
  widths_.assign(columns, 1);
  for (std::size_t row = 0; row < held_.size(); ++row) {
    if (row == 1) continue;
    const Cells cells = cells_of(held_[row]);
    for (std::size_t i = 0; i < std::min(columns, cells.size()); ++i)
      for (const std::string& line : lines_of(cells[i], kUnwrapped, Style::None, colour_))
        widths_[i] = std::max(widths_[i], shown_width(line));
  }
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return widths_[a] < widths_[b]; });
  std::size_t left = room - bars;
  for (std::size_t i = 0; i < columns; ++i) {
    std::size_t& width = widths_[order[i]];
    width = std::min(width, left / (columns - i));
    left -= width;
  }
}

void MarkdownTable::write_held(LineWriter& writer) {
  lay_out(writer.room());
  is_laid_out_ = true;
  const std::vector<std::string> rows = std::exchange(held_, {});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (widths_.empty()) {
      write_source(rows[row], writer);
    } else if (row == 1) {
      writer.add_verbatim(rule(), Style::Dim);
      writer.end_line();
    } else {
      write_row(cells_of(rows[row]), row == 0 ? Style::Bold : Style::None, writer);
    }
  }
}

void MarkdownTable::write_source(std::string_view row, LineWriter& writer) const {
  writer.add(row, Style::None);
  writer.end_line();
}

std::string MarkdownTable::rule() const {
  std::string rule;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    if (i > 0) rule += "─┼─";
    for (std::size_t column = 0; column < widths_[i]; ++column) rule += "─";
  }
  return rule;
}

/// Missing cells are empty. Surplus cells are not lost: they follow in their own line.
void MarkdownTable::write_row(const Cells& cells, Style style, LineWriter& writer) const {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 1;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    columns.push_back(lines_of(i < cells.size() ? cells[i] : "", widths_[i], style, colour_));
    height = std::max(height, columns.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string bytes;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) bytes += styled(kBar, Style::Dim, colour_);
      bytes +=
          aligned(line < columns[i].size() ? columns[i][line] : "", i, i + 1 == columns.size());
    }
    writer.add_line(bytes);
  }
  for (std::size_t i = widths_.size(); i < cells.size(); ++i) {
    write_inline(writer, cells[i], Before::Space, style);
    writer.end_line();
  }
}

std::string MarkdownTable::aligned(const std::string& line, std::size_t column,
                                   bool is_last) const {
  const std::size_t width = shown_width(line);
  const std::size_t blanks = widths_[column] - std::min(widths_[column], width);
  const std::size_t before = aligns_[column] == Align::Left    ? 0
                             : aligns_[column] == Align::Right ? blanks
                                                               : blanks / 2;
  const std::size_t behind = is_last ? 0 : blanks - before;
  return std::string(before, ' ') + line + std::string(behind, ' ');
}

}  // namespace agent_doc::cli
