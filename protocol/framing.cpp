#include "protocol/framing.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace agent_doc::protocol {
namespace {

constexpr std::string_view kContentLength = "content-length";

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// RFC 9110: token.
constexpr bool is_header_name_byte(char c) {
  const char lower = to_lower(c);
  if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_header_name_byte);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

static_assert(kMaxHeaderLineBytes == 1024 && kMaxHeaderLines == 32 &&
                  kMaxBodyBytes == 128 * 1024 * 1024,
              "the sentences below name them");

std::string_view describe(FramingError error) {
  switch (error) {
    case FramingError::None:
      return "no error";
    case FramingError::HeaderTooLong:
      return "a header line is longer than 1024 bytes";
    case FramingError::TooManyHeaders:
      return "a message has more than 32 header lines";
    case FramingError::BadHeader:
      return "a line between two messages is not a header; every message starts with "
             "`Content-Length: BYTES` and an empty line";
    case FramingError::NoContentLength:
      return "a message has no Content-Length";
    case FramingError::BadContentLength:
      return "a Content-Length is not a number, or there are two that differ";
    case FramingError::BodyTooLong:
      return "a message is longer than 128 MiB";
  }
  return "unknown framing error";
}

void FrameReader::feed(std::string_view bytes) {
  if (error_ != FramingError::None) return;
  // Erasing only when at least half was consumed keeps the total cost linear, however small the
  // chunks are.
  if (position_ > buffer_.size() / 2) {
    buffer_.erase(0, position_);
    searched_ -= position_;
    position_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<std::string_view> FrameReader::next() {
  give_back_memory();
  if (!body_ && !read_header()) return std::nullopt;
  if (buffer_.size() - position_ < *body_) return std::nullopt;
  const std::string_view body = std::string_view(buffer_).substr(position_, *body_);
  position_ += body.size();
  searched_ = position_;
  body_.reset();
  return body;
}

bool FrameReader::mid_frame() const {
  return body_.has_value() || header_lines_ > 0 || position_ < buffer_.size();
}

/// Returns true once the empty line after the headers was read.
bool FrameReader::read_header() {
  while (const auto line = read_line()) {
    if (line->empty()) {
      if (!announced_) {
        fail(FramingError::NoContentLength);
        return false;
      }
      body_ = std::exchange(announced_, std::nullopt);
      header_lines_ = 0;
      return true;
    }
    if (const FramingError error = take_header(*line); error != FramingError::None) {
      fail(error);
      return false;
    }
  }
  return false;
}

/// Returns the next complete line without its line end.
std::optional<std::string_view> FrameReader::read_line() {
  const std::size_t end = buffer_.find('\n', searched_);
  searched_ = std::min(end, buffer_.size());
  std::string_view line = std::string_view(buffer_).substr(position_, searched_ - position_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kMaxHeaderLineBytes) {
    fail(FramingError::HeaderTooLong);
    return std::nullopt;
  }
  if (end == std::string::npos) return std::nullopt;
  position_ = searched_ = end + 1;
  return line;
}

FramingError FrameReader::take_header(std::string_view line) {
  if (++header_lines_ > kMaxHeaderLines) return FramingError::TooManyHeaders;
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_header_name(name)) return FramingError::BadHeader;
  if (!equals_ignoring_case(name, kContentLength)) return FramingError::None;
  return take_content_length(trimmed(line.substr(colon + 1)));
}

FramingError FrameReader::take_content_length(std::string_view value) {
  std::size_t length = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, length);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end)
    return FramingError::BadContentLength;
  if (parsed.ec == std::errc::result_out_of_range || length > kMaxBodyBytes)
    return FramingError::BodyTooLong;
  if (announced_ && *announced_ != length) return FramingError::BadContentLength;
  announced_ = length;
  return FramingError::None;
}

void FrameReader::fail(FramingError error) {
  error_ = error;
  position_ = searched_ = buffer_.size();
  header_lines_ = 0;
  give_back_memory();
}

void FrameReader::give_back_memory() {
  if (position_ < buffer_.size()) return;
  position_ = searched_ = 0;
  if (buffer_.capacity() > kMaxIdleBufferBytes)
    buffer_ = std::string();
  else
    buffer_.clear();
}

std::string frame(std::string_view body) {
  std::string framed = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  framed.append(body);
  return framed;
}

}  // namespace agent_doc::protocol
