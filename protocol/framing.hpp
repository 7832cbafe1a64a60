// Content-Length frames of the LSP base protocol: an incremental reader with limits, and the
// writer. Bodies are not looked into.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::protocol {

inline constexpr std::size_t kMaxHeaderLineBytes = 1024;
inline constexpr std::size_t kMaxHeaderLines = 32;
inline constexpr std::size_t kMaxBodyBytes = 128 * 1024 * 1024;
/// An empty reader frees a buffer that has grown beyond this.
inline constexpr std::size_t kMaxIdleBufferBytes = 256 * 1024;

enum class FramingError {
  None,
  HeaderTooLong,
  TooManyHeaders,
  BadHeader,  ///< a line that is no header: the other side writes without frames
  NoContentLength,
  BadContentLength,  ///< not a number, or two different ones
  BodyTooLong,
};
/// Returns a sentence for the log and for the user.
std::string_view describe(FramingError error);

/// Cuts a byte stream into bodies. Accepts header names in any case, unknown headers, and "\n" in
/// place of "\r\n". Stops at the first error, because framing cannot be resynchronised. Memory use
/// depends on the bytes received, never on the length that a header announces.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  /// Returns the next complete body, or nullopt until more bytes are fed. The view is valid until
  /// the next call of feed() or next().
  std::optional<std::string_view> next();
  FramingError error() const { return error_; }
  /// Returns true when the bytes fed so far end inside a frame.
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
  std::optional<std::size_t> announced_;  ///< Content-Length, while the header is read
  std::optional<std::size_t> body_;       ///< length of the body, once the header is complete
  FramingError error_ = FramingError::None;
};

std::string frame(std::string_view body);

}  // namespace agent_doc::protocol
