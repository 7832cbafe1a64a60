// What it is: bytes in, lines out: splits an agent's standard output at newlines, with a limit,
// whatever the pieces in which it comes.
// What it is not: it reads no descriptor and knows no JSON.
// Thread rule: not thread-safe; no I/O.
#pragma once

#include "server/process/child.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::process {

/// A line over the limit was skipped; `bytes` is its length without the newline.
struct LineTooLong {
  std::size_t bytes = 0;
};

/// Without its line end (`\n` or `\r\n`), without a byte order mark at the start of the stream,
/// well-formed UTF-8.
using Line = std::variant<std::string_view, LineTooLong>;

/// Use: feed() a piece, take next() until it is empty, feed() the next piece; at the end of the
/// stream finish(), and next() until it is empty.
class LineReader {
 public:
  explicit LineReader(std::size_t max_line_bytes = kMaxLineBytes)
      : max_line_bytes_(max_line_bytes) {}

  /// `piece` must stay valid until next() has returned nothing. A line that lies whole in it is
  /// handed out without a copy.
  void feed(std::string_view piece);
  /// No more bytes will come: what is left is a line, too.
  void finish();
  /// Valid until the next call of any function of this object.
  std::optional<Line> next();

 private:
  void keep_partial(std::string_view part);
  Line complete(std::string_view last_part);
  std::string_view clean(std::string_view line);

  const std::size_t max_line_bytes_;
  std::string_view unread_;  ///< of the piece
  std::string partial_;      ///< the line that is not complete yet
  std::size_t skipped_ = 0;  ///< bytes of the line that is too long, while it is skipped
  std::string assembled_;    ///< the line handed out last, when it came in several pieces
  std::string repaired_;     ///< the same when it was not well-formed
  bool at_stream_start_ = true;
  bool finished_ = false;
};

}  // namespace agent_doc::process
