#include "server/text/edit.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace agent_doc::text {

namespace {

// Whole blocks are compared with memcmp first, so that a formatter's replacement of a large
// document is compared at memory speed.
constexpr std::size_t kBlock = 4096;

bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Returns true when cutting `text` before `at` would separate the bytes of one character or of one
/// line end.
bool cuts(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return false;
  return is_utf8_continuation(text[at]) || (text[at] == '\n' && text[at - 1] == '\r');
}

/// Returns the same for two texts that share only the bytes before the cut: a "\r" may be followed
/// by "\n" in one of them.
bool cuts_either(std::string_view a, std::size_t at_a, std::string_view b, std::size_t at_b) {
  return cuts(a, at_a) || cuts(b, at_b);
}

}  // namespace

std::size_t map_offset(std::size_t offset, Bias bias, const Edit& edit) {
  if (offset < edit.begin) return offset;
  if (offset > edit.end) return offset - (edit.end - edit.begin) + edit.replacement.size();

  const std::size_t before = edit.begin;
  const std::size_t after = edit.begin + edit.replacement.size();
  const bool pure_insertion = edit.begin == edit.end;
  if (!pure_insertion && offset == edit.begin) return before;
  if (!pure_insertion && offset == edit.end) return after;
  return bias == Bias::Left ? before : after;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size());
  std::size_t count = 0;
  while (limit - count >= kBlock && std::memcmp(a.data() + count, b.data() + count, kBlock) == 0) {
    count += kBlock;
  }
  while (count < limit && a[count] == b[count]) ++count;
  return count;
}

std::size_t common_suffix(std::string_view a, std::string_view b) {
  const std::size_t limit = std::min(a.size(), b.size());
  const char* end_a = a.data() + a.size();
  const char* end_b = b.data() + b.size();
  std::size_t count = 0;
  while (limit - count >= kBlock &&
         std::memcmp(end_a - count - kBlock, end_b - count - kBlock, kBlock) == 0) {
    count += kBlock;
  }
  while (count < limit && a[a.size() - count - 1] == b[b.size() - count - 1]) ++count;
  return count;
}

Edit minimise(const Edit& edit, std::string_view replaced) {
  const std::string_view inserted = edit.replacement;
  std::size_t head = common_prefix(replaced, inserted);
  while (head > 0 && cuts_either(replaced, head, inserted, head)) --head;

  std::size_t tail = common_suffix(replaced.substr(head), inserted.substr(head));
  while (tail > 0 &&
         cuts_either(replaced, replaced.size() - tail, inserted, inserted.size() - tail))
    --tail;

  const std::size_t kept = inserted.size() - head - tail;
  return {edit.begin + head, edit.end - tail, edit.replacement.substr(head, kept)};
}

}  // namespace agent_doc::text
