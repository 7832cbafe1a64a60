// A UTF-8 text with a line index: edits, and conversion between byte offsets and LSP positions. It
// has no version, no owner (server/sync) and no undo. Not thread-safe.
//
// A flat string and a flat index of line starts: 0.1 us per append and 12 us per random edit in 1
// MB, measured. A rope would not pay off below 10 MB.
#pragma once

#include "server/text/edit.hpp"
#include "server/text/line_columns.hpp"
#include "server/text/position.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::text {

class TextBuffer {
 public:
  TextBuffer();
  /// Precondition: `text` is well-formed UTF-8 of less than 4 GiB.
  explicit TextBuffer(std::string text);

  const std::string& text() const { return text_; }
  std::size_t size() const { return text_.size(); }

  /// Returns the number of lines: one more than there are line ends ("\n", "\r\n", "\r": LSP 3.17).
  std::size_t line_count() const { return line_starts_.size(); }
  /// Returns the line without its line end. Precondition: line < line_count().
  std::string_view line(std::size_t line) const;
  std::size_t line_start(std::size_t line) const { return line_starts_[line]; }
  std::size_t line_of(std::size_t offset) const;

  /// Applies `edit`. Costs the edit plus moving what follows it; the line index is updated around
  /// the edit. Precondition: begin <= end <= size(), both on UTF-8 boundaries.
  void apply(const Edit& edit);

  /// Conversions in a long line cost what was edited there since the last one, not the line
  /// (LineColumns).

  /// Returns the byte offset of `position` by the rules of LSP 3.17: a column past the end of its
  /// line means the end of the line (before its line end), a line past the last one the end of the
  /// text. A column inside a surrogate pair or a UTF-8 sequence is rounded down.
  std::size_t offset_of(Position position, PositionEncoding encoding) const;
  /// Returns the position of `offset`. Between "\r" and "\n" it is the position of the "\r".
  /// Precondition: offset <= size().
  Position position_of(std::size_t offset, PositionEncoding encoding) const;

  /// Returns true when `position` exists: its line does, and its column is not past the end of the
  /// line.
  bool contains(Position position, PositionEncoding encoding) const;

  /// Returns how many bytes all conversions together have counted; for tests.
  std::uint64_t counted_bytes() const { return columns_.counted(); }

 private:
  std::size_t line_content_end(std::size_t line) const;

  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  mutable LineColumns columns_;
};

}  // namespace agent_doc::text
