// What it is: positions in lines and columns as LSP 3.17 counts them, in each of its three
// encodings.
// What it is not: it holds no text; TextBuffer converts between positions and byte offsets.
// Thread rule: plain values.
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

/// The wire name: "utf-8", "utf-16", "utf-32".
std::string_view name_of(PositionEncoding encoding);

}  // namespace agent_doc::text
