#include "server/process/line_reader.hpp"

#include "server/text/utf8.hpp"

#include <cassert>
#include <cstring>

namespace agent_doc::process {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// A larger buffer is freed after its line instead of being kept for the next one.
constexpr std::size_t kKeptCapacity = 1024 * 1024;

void clear(std::string& buffer) {
  if (buffer.capacity() > kKeptCapacity) std::string().swap(buffer);
  buffer.clear();
}

}  // namespace

void LineReader::feed(std::string_view piece) {
  assert(unread_.empty() && !finished_);
  unread_ = piece;
}

void LineReader::finish() {
  assert(unread_.empty());
  finished_ = true;
}

std::optional<Line> LineReader::next() {
  clear(assembled_);
  clear(repaired_);
  if (!unread_.empty()) {
    const void* newline = std::memchr(unread_.data(), '\n', unread_.size());
    if (newline != nullptr) {
      const std::size_t length =
          static_cast<std::size_t>(static_cast<const char*>(newline) - unread_.data());
      const std::string_view last_part = unread_.substr(0, length);
      unread_.remove_prefix(length + 1);
      return complete(last_part);
    }
    keep_partial(unread_);
    unread_ = {};
  }
  if (finished_ && (!partial_.empty() || skipped_ > 0)) return complete({});
  return std::nullopt;
}

void LineReader::keep_partial(std::string_view part) {
  if (skipped_ == 0 && partial_.size() + part.size() <= max_line_bytes_) {
    partial_.append(part);
    return;
  }
  skipped_ += partial_.size() + part.size();
  clear(partial_);
}

Line LineReader::complete(std::string_view last_part) {
  const std::size_t total = skipped_ + partial_.size() + last_part.size();
  if (total > max_line_bytes_) {
    clear(partial_);
    skipped_ = 0;
    at_stream_start_ = false;
    return LineTooLong{total};
  }
  if (partial_.empty()) return clean(last_part);
  partial_.append(last_part);
  assembled_.swap(partial_);
  return clean(assembled_);
}

std::string_view LineReader::clean(std::string_view line) {
  if (at_stream_start_ && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  at_stream_start_ = false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (text::is_valid_utf8(line)) return line;
  repaired_ = text::repair_utf8(line).text;
  return repaired_;
}

}  // namespace agent_doc::process
