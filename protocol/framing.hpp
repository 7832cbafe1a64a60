// What it is: Content-Length frames of the LSP base protocol <-> bytes, incrementally, with limits.
// What it is not: it does not look into the body (jsonrpc.hpp) and does no I/O.
// Thread rule: not thread-safe; one per direction of a connection.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::protocol {

inline constexpr std::size_t kMaxHeaderLineBytes = 1024;
inline constexpr std::size_t kMaxHeaderLines = 32;
inline constexpr std::size_t kMaxBodyBytes = 128 * 1024 * 1024;
/// A reader that holds no bytes gives back what its buffer grew beyond this.
inline constexpr std::size_t kMaxIdleBufferBytes = 256 * 1024;

enum class FramingError {
  None,
  HeaderTooLong,
  TooManyHeaders,
  BadHeader,  ///< a line that is no header: somebody speaks without frames
  NoContentLength,
  BadContentLength,  ///< not a number, or two that differ
  BodyTooLong,
};
/// For a log and a person.
std::string_view describe(FramingError error);

/// Any header case, unknown headers, "\n" instead of "\r\n" are accepted. After an error nothing
/// more is read: framing cannot be resynchronised. Memory grows with the bytes that came, never
/// with what a header announces.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  /// The next whole body, in order. Valid until the next call of feed() or next().
  std::optional<std::string_view> next();
  FramingError error() const { return error_; }
  /// True when the bytes so far end inside a frame.
  bool mid_frame() const;

 private:
  bool read_header();
  std::optional<std::string_view> read_line();
  FramingError take_header(std::string_view line);
  FramingError take_content_length(std::string_view value);
  void fail(FramingError error);
  void give_back_memory();

  std::string buffer_;
  std::size_t position_ = 0;  ///< first byte of buffer_ not yet consumed
  std::size_t searched_ = 0;  ///< no line end between position_ and here
  std::size_t header_lines_ = 0;
  std::optional<std::size_t> announced_;  ///< Content-Length seen in the header being read
  std::optional<std::size_t> body_;       ///< header complete: body length
  FramingError error_ = FramingError::None;
};

std::string frame(std::string_view body);

}  // namespace agent_doc::protocol
