// Counts columns in lines. Counts inside a long line are kept, so that a conversion costs only what
// changed since the last one: a reply can be a single line of megabytes. TextBuffer supplies the
// text and finds the lines.
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
/// Number of long lines whose counts are kept; the least recently used one is dropped.
inline constexpr std::size_t kMaxCountedLines = 8;

class LineColumns {
 public:
  /// Returns the length of the bytes [begin, end) of `text` in units of `encoding`. A line begins
  /// at `begin`; `end` is on a UTF-8 boundary inside it.
  std::size_t units(std::string_view text, std::size_t begin, std::size_t end,
                    PositionEncoding encoding);
  /// Returns the byte offset of `column` in the line [begin, end) of `text`: never past the end of
  /// the line, never inside a sequence.
  std::size_t offset(std::string_view text, std::size_t begin, std::size_t end, std::size_t column,
                     PositionEncoding encoding);
  /// Drops the counts that `edit` invalidates. Must be called with every edit of the text.
  void edited(const Edit& edit);

  /// Returns how many bytes all calls together have counted; for tests.
  std::uint64_t counted() const { return counted_; }

 private:
  /// A place in the line: its distance from the beginning in bytes and in units.
  struct Count {
    std::uint32_t bytes = 0;
    std::uint32_t units = 0;
  };
  struct Line {
    std::size_t begin = 0;
    PositionEncoding encoding = PositionEncoding::Utf16;
    std::vector<Count> counts;  ///< ascending; the first is zero
  };

  Line& line_at(std::size_t begin, PositionEncoding encoding);
  std::size_t count(std::string_view bytes, PositionEncoding encoding);
  /// Appends the next count of `line` if it lies before `end`.
  bool extend(Line& line, std::string_view text, std::size_t end);
  std::size_t offset_in(std::string_view bytes, std::size_t column, PositionEncoding encoding);

  std::vector<Line> lines_;  ///< most recently used first
  std::uint64_t counted_ = 0;
};

}  // namespace agent_doc::text
