#include "server/text/text_buffer.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace agent_doc::text {

namespace {

std::size_t find_byte(std::string_view text, std::size_t from, char byte) {
  if (from >= text.size()) return text.size();
  const void* hit = std::memchr(text.data() + from, byte, text.size() - from);
  return hit == nullptr ? text.size()
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

/// Appends every line start in [first, last], that is each place after a line end, to `starts`.
/// Precondition: first > 0.
void collect_line_starts(std::string_view text, std::size_t first, std::size_t last,
                         std::vector<std::uint32_t>& starts) {
  const std::string_view searched = text.substr(0, last);
  std::size_t next_lf = find_byte(searched, first - 1, '\n');
  std::size_t next_cr = find_byte(searched, first - 1, '\r');
  while (next_lf < last || next_cr < last) {
    if (next_lf < next_cr) {
      starts.push_back(static_cast<std::uint32_t>(next_lf + 1));
      next_lf = find_byte(searched, next_lf + 1, '\n');
      continue;
    }
    const std::size_t next = next_cr + 1;
    if (next == text.size() || text[next] != '\n')
      starts.push_back(static_cast<std::uint32_t>(next));
    next_cr = find_byte(searched, next, '\r');
  }
}

}  // namespace

TextBuffer::TextBuffer() : line_starts_{0} {}

TextBuffer::TextBuffer(std::string text) : text_(std::move(text)), line_starts_{0} {
  assert(text_.size() < std::numeric_limits<std::uint32_t>::max());
  if (!text_.empty()) collect_line_starts(text_, 1, text_.size(), line_starts_);
}

std::size_t TextBuffer::line_content_end(std::size_t line) const {
  if (line + 1 == line_starts_.size()) return text_.size();
  std::size_t end = line_starts_[line + 1] - 1;
  if (text_[end] == '\n' && end > line_starts_[line] && text_[end - 1] == '\r') --end;
  return end;
}

std::string_view TextBuffer::line(std::size_t line) const {
  assert(line < line_count());
  const std::size_t begin = line_starts_[line];
  return std::string_view(text_).substr(begin, line_content_end(line) - begin);
}

std::size_t TextBuffer::line_of(std::size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(next - line_starts_.begin()) - 1;
}

void TextBuffer::apply(const Edit& edit) {
  assert(edit.begin <= edit.end && edit.end <= text_.size());
  assert(text_.size() - (edit.end - edit.begin) + edit.replacement.size() <
         std::numeric_limits<std::uint32_t>::max());

  // A line start depends on the byte before it and, after "\r", on the byte after it: only those in
  // [begin, end] can change.
  const std::size_t first = std::max<std::size_t>(edit.begin, 1);
  const auto old_begin = std::lower_bound(line_starts_.begin(), line_starts_.end(), first);
  const auto old_end = std::upper_bound(old_begin, line_starts_.end(), edit.end);

  text_.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  columns_.edited(edit);
  std::vector<std::uint32_t> fresh;
  const std::size_t last = edit.begin + edit.replacement.size();
  if (first <= last) collect_line_starts(text_, first, last, fresh);

  // Unsigned arithmetic wraps, so one addition shifts in either direction.
  const auto shift = static_cast<std::uint32_t>(edit.replacement.size() - (edit.end - edit.begin));
  if (shift != 0)
    std::for_each(old_end, line_starts_.end(), [shift](std::uint32_t& start) { start += shift; });

  const auto replaced = static_cast<std::size_t>(old_end - old_begin);
  const std::size_t copied = std::min(replaced, fresh.size());
  const auto mid = std::copy_n(fresh.begin(), copied, old_begin);
  if (copied < replaced) {
    line_starts_.erase(mid, old_end);
  } else {
    line_starts_.insert(mid, fresh.begin() + static_cast<std::ptrdiff_t>(copied), fresh.end());
  }
}

std::size_t TextBuffer::offset_of(Position position, PositionEncoding encoding) const {
  if (position.line >= line_count()) return text_.size();
  return columns_.offset(text_, line_starts_[position.line], line_content_end(position.line),
                         position.column, encoding);
}

Position TextBuffer::position_of(std::size_t offset, PositionEncoding encoding) const {
  assert(offset <= text_.size());
  const std::size_t line = line_of(offset);
  const std::size_t begin = line_starts_[line];
  const std::size_t end = std::min(line_content_end(line), floor_boundary(text_, offset));
  return {static_cast<std::uint32_t>(line),
          static_cast<std::uint32_t>(columns_.units(text_, begin, end, encoding))};
}

bool TextBuffer::contains(Position position, PositionEncoding encoding) const {
  if (position.line >= line_count()) return false;
  return position.column <= columns_.units(text_, line_starts_[position.line],
                                           line_content_end(position.line), encoding);
}

}  // namespace agent_doc::text
