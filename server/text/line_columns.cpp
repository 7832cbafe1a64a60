#include "server/text/line_columns.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>

namespace agent_doc::text {

std::size_t LineColumns::count(std::string_view bytes, PositionEncoding encoding) {
  counted_ += bytes.size();
  return encoding == PositionEncoding::Utf16 ? utf16_length(bytes) : utf32_length(bytes);
}

LineColumns::Line& LineColumns::line_at(std::size_t begin, PositionEncoding encoding) {
  auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& known) {
    return known.begin == begin && known.encoding == encoding;
  });
  if (line == lines_.end()) {
    if (lines_.size() == kMaxCountedLines) lines_.pop_back();
    line = lines_.insert(lines_.end(), Line{begin, encoding, {Count{}}});
  }
  std::rotate(lines_.begin(), line, line + 1);
  return lines_.front();
}

bool LineColumns::extend(Line& line, std::string_view text, std::size_t end) {
  const Count& last = line.counts.back();
  const std::size_t from = line.begin + last.bytes;
  const std::size_t to = floor_boundary(text, from + kShortLine);
  if (to > end) return false;
  const std::size_t units = last.units + count(text.substr(from, to - from), line.encoding);
  line.counts.push_back(
      {static_cast<std::uint32_t>(to - line.begin), static_cast<std::uint32_t>(units)});
  return true;
}

std::size_t LineColumns::units(std::string_view text, std::size_t begin, std::size_t end,
                               PositionEncoding encoding) {
  if (encoding == PositionEncoding::Utf8) return end - begin;
  if (end - begin <= kShortLine) return count(text.substr(begin, end - begin), encoding);
  Line& line = line_at(begin, encoding);
  // A text that ends inside a step gets no count, because its end would cut the step short.
  while (line.counts.back().bytes + kShortLine <= end - begin && extend(line, text, end)) {
  }
  const auto next = std::upper_bound(line.counts.begin(), line.counts.end(), end - begin,
                                     [](std::size_t at, const Count& c) { return at < c.bytes; });
  const Count& before = *(next - 1);
  const std::size_t from = begin + before.bytes;
  return before.units + count(text.substr(from, end - from), encoding);
}

std::size_t LineColumns::offset(std::string_view text, std::size_t begin, std::size_t end,
                                std::size_t column, PositionEncoding encoding) {
  const std::string_view whole = text.substr(begin, end - begin);
  if (encoding == PositionEncoding::Utf8) return begin + floor_boundary(whole, column);
  if (whole.size() <= kShortLine) return begin + offset_in(whole, column, encoding);
  Line& line = line_at(begin, encoding);
  while (line.counts.back().units <= column &&
         line.counts.back().bytes + kShortLine <= whole.size() && extend(line, text, end)) {
  }
  // Some counts may lie past the end of the line, which may have become shorter.
  const auto last =
      std::find_if(std::make_reverse_iterator(std::upper_bound(
                       line.counts.begin(), line.counts.end(), column,
                       [](std::size_t units, const Count& c) { return units < c.units; })),
                   line.counts.rend(), [&](const Count& c) { return c.bytes <= whole.size(); });
  const std::string_view rest = whole.substr(last->bytes);
  return begin + last->bytes + offset_in(rest, column - last->units, encoding);
}

/// Returns the byte offset of `column` in `bytes`. Takes whole steps first, whose units are counted
/// eight bytes at a time.
std::size_t LineColumns::offset_in(std::string_view bytes, std::size_t column,
                                   PositionEncoding encoding) {
  constexpr std::size_t kStep = 64;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = floor_boundary(bytes, at + kStep);
    if (end >= bytes.size()) break;
    const std::size_t units = count(bytes.substr(at, end - at), encoding);
    if (units > column) break;
    column -= units;
    at = end;
  }
  while (at < bytes.size()) {
    const std::size_t length = sequence_length(bytes, at);
    const std::size_t units = encoding == PositionEncoding::Utf16 && length == 4 ? 2 : 1;
    if (units > column) break;
    column -= units;
    at += length;
  }
  return at;
}

void LineColumns::edited(const Edit& edit) {
  const std::size_t shift = edit.replacement.size() - (edit.end - edit.begin);  // may wrap
  std::erase_if(
      lines_, [&](const Line& line) { return edit.begin < line.begin && line.begin <= edit.end; });
  for (Line& line : lines_) {
    if (edit.end < line.begin) {
      line.begin += shift;
      continue;
    }
    while (line.begin + line.counts.back().bytes > edit.begin && line.counts.size() > 1) {
      line.counts.pop_back();
    }
  }
}

}  // namespace agent_doc::text
