// What it is: counts columns in lines. What was counted in a long line is kept, so that a
// conversion costs what changed since the last one and not the line: a reply may be one line of
// megabytes.
// What it is not: it holds no text and finds no lines; TextBuffer gives it both.
// Thread rule: not thread-safe; one per text.
#pragma once

#include "server/text/edit.hpp"
#include "server/text/position.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_doc::text {

/// Lines up to this length, in bytes, are counted each time.
inline constexpr std::size_t kShortLine = 1024;
/// Of how many long lines counts are kept; the one that was used longest ago goes first.
inline constexpr std::size_t kMaxCountedLines = 8;

class LineColumns {
 public:
  /// Returns how many units of `encoding` the bytes [begin, end) of `text` are. A line begins at
  /// `begin`; `end` is on a UTF-8 boundary in it.
  std::size_t units(std::string_view text, std::size_t begin, std::size_t end,
                    PositionEncoding encoding);
  /// Returns the byte of `text` at which `column` is, in the line [begin, end): never past its
  /// end, never inside a sequence.
  std::size_t offset(std::string_view text, std::size_t begin, std::size_t end, std::size_t column,
                     PositionEncoding encoding);
  /// Forgets the counts that `edit` made wrong. Called with every edit of the text.
  void edited(const Edit& edit);

  /// Returns how many bytes have been counted: what all calls have cost, for tests.
  std::uint64_t counted() const { return counted_; }

 private:
  /// The bytes from the line's begin to a place in it, and their units.
  struct Count {
    std::uint32_t bytes = 0;
    std::uint32_t units = 0;
  };
  struct Line {
    std::size_t begin = 0;
    PositionEncoding encoding = PositionEncoding::Utf16;
    std::vector<Count> counts;  ///< ascending; the first one is of no bytes
  };

  Line& line_at(std::size_t begin, PositionEncoding encoding);
  std::size_t count(std::string_view bytes, PositionEncoding encoding);
  /// Appends the next count of `line`, if it lies before `end`.
  bool extend(Line& line, std::string_view text, std::size_t end);
  std::size_t offset_in(std::string_view bytes, std::size_t column, PositionEncoding encoding);

  std::vector<Line> lines_;  ///< the one that was used last comes first
  std::uint64_t counted_ = 0;
};

}  // namespace agent_doc::text
