// Splits an agent's standard output into lines, with a limit, however it arrives in pieces. Does no
// I/O.
#pragma once

#include "server/process/child.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::process {

/// A line over the limit that was skipped; `bytes` is its length without the newline.
struct LineTooLong {
  std::size_t bytes = 0;
};

/// A line without its line end (`\n` or `\r\n`), and without a byte order mark at the start of the
/// stream. Well-formed UTF-8.
using Line = std::variant<std::string_view, LineTooLong>;

/// Usage: feed() a piece, call next() until it returns nullopt, feed() the next piece. At the end
/// of the stream call finish(), and next() until it returns nullopt.
class LineReader {
 public:
  explicit LineReader(std::size_t max_line_bytes = kMaxLineBytes)
      : max_line_bytes_(max_line_bytes) {}

  /// Adds bytes. `piece` must stay valid until next() has returned nullopt. A line that lies within
  /// it is returned without a copy.
  void feed(std::string_view piece);
  /// Ends the stream: the remaining bytes are a line, too.
  void finish();
  /// Returns the next line. It is valid until the next call of any function of this object.
  std::optional<Line> next();

 private:
  void keep_partial(std::string_view part);
  Line complete(std::string_view last_part);
  std::string_view clean(std::string_view line);

  const std::size_t max_line_bytes_;
  std::string_view unread_;  ///< rest of the piece
  std::string partial_;      ///< the incomplete line
  std::size_t skipped_ = 0;  ///< length so far of a line that is being skipped
  std::string assembled_;    ///< the last line returned, when it came in several pieces
  std::string repaired_;     ///< the last line returned, when it had to be repaired
  bool at_stream_start_ = true;
  bool finished_ = false;
};

}  // namespace agent_doc::process
