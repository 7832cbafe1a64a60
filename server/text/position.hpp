// Positions as lines and columns, in the three encodings of LSP 3.17. TextBuffer converts them to
// byte offsets and back.
#pragma once

#include <cstdint>
#include <string_view>

namespace agent_doc::text {

/// `PositionEncodingKind` of LSP 3.17: the unit of Position::column.
enum class PositionEncoding { Utf8, Utf16, Utf32 };

/// Zero-based line and zero-based column in units of the negotiated encoding (LSP 3.17, Position).
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

/// Half-open (LSP 3.17, Range).
struct Range {
  Position start;
  Position end;

  friend bool operator==(const Range&, const Range&) = default;
};

/// Returns the name on the wire: "utf-8", "utf-16", "utf-32".
std::string_view name_of(PositionEncoding encoding);

}  // namespace agent_doc::text
