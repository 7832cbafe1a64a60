#include "server/process/text_reader.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::process {

namespace {

constexpr std::string_view kUtf8ByteOrderMark = "\xEF\xBB\xBF";

/// Returns the number of bytes at the end of `bytes` that may begin a character.
std::size_t cut_character(std::string_view bytes) {
  const std::size_t longest = std::min<std::size_t>(bytes.size(), 3);
  for (std::size_t count = 1; count <= longest; ++count) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - count]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return byte <= 0xF4 && length > count ? count : 0;
  }
  return 0;
}

}  // namespace

std::string_view TextReader::take(std::string_view piece) {
  if (!waiting_.empty()) {
    joined_ = std::exchange(waiting_, {}).append(piece);
    piece = joined_;
  }
  const std::size_t cut = cut_character(piece);
  waiting_ = piece.substr(piece.size() - cut);
  piece.remove_suffix(cut);
  return repaired(piece);
}

std::string_view TextReader::finish() {
  joined_ = std::exchange(waiting_, {});
  return repaired(joined_);
}

std::string_view TextReader::repaired(std::string_view bytes) {
  if (bytes.empty()) return bytes;
  if (std::exchange(at_stream_start_, false) && bytes.starts_with(kUtf8ByteOrderMark)) {
    bytes.remove_prefix(kUtf8ByteOrderMark.size());
  }
  if (text::is_valid_utf8(bytes)) return bytes;
  repaired_ = text::repair_utf8(bytes).text;
  return repaired_;
}

}  // namespace agent_doc::process
