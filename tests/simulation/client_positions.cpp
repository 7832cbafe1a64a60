#include "tests/simulation/client_positions.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>

namespace agent_doc::simulation {

namespace client_positions_internal {

std::size_t behind_line_end(std::string_view text, std::size_t at) {
  return at + (text.substr(at, 2) == "\r\n" ? 2 : 1);
}

std::size_t units(std::string_view text, text::PositionEncoding encoding) {
  if (encoding == text::PositionEncoding::Utf8) return text.size();
  return encoding == text::PositionEncoding::Utf16 ? text::utf16_length(text)
                                                   : text::utf32_length(text);
}

}  // namespace client_positions_internal

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

std::size_t line_begin(std::string_view text, std::size_t offset) {
  while (offset > 0 && !is_line_end(text[offset - 1])) --offset;
  return offset;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  return std::min(text.find_first_of("\r\n", offset), text.size());
}

text::Position position_in(std::string_view text, std::size_t offset,
                           text::PositionEncoding encoding) {
  using namespace client_positions_internal;
  text::Position position;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line_end(text, begin);
    if (end == text.size() || offset <= end) break;
    const std::size_t next = behind_line_end(text, end);
    if (offset < next) break;
    ++position.line;
    begin = next;
  }
  const std::size_t in_line = std::min(offset, line_end(text, begin)) - begin;
  position.column = static_cast<std::uint32_t>(units(text.substr(begin, in_line), encoding));
  return position;
}

std::size_t offset_in(std::string_view text, text::Position position,
                      text::PositionEncoding encoding) {
  using namespace client_positions_internal;
  std::size_t begin = 0;
  for (std::uint32_t line = 0; line < position.line; ++line) {
    const std::size_t end = line_end(text, begin);
    if (end == text.size()) return end;
    begin = behind_line_end(text, end);
  }
  const std::size_t end = line_end(text, begin);
  std::size_t at = begin;
  std::size_t column = 0;
  while (at < end && column < position.column) {
    const std::size_t next = at + text::sequence_length(text, at);
    column += units(text.substr(at, next - at), encoding);
    if (column > position.column) break;
    at = next;
  }
  return at;
}

}  // namespace agent_doc::simulation
