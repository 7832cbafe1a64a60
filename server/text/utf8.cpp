#include "server/text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace agent_doc::text {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

std::uint64_t load_word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, kWord);
  return word;
}

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}
bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

/// The bytes that may follow a lead byte (Unicode 15, table 3-7). Only the second byte has bounds
/// of its own.
struct Shape {
  std::size_t length;  ///< 0: no sequence starts with this byte
  unsigned char second_low;
  unsigned char second_high;
};

Shape shape_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

struct Sequence {
  std::size_t length;  ///< at least 1; for an ill-formed sequence, its maximal subpart
  bool well_formed;
};

Sequence sequence_at(std::string_view bytes, std::size_t at) {
  const Shape shape = shape_of(byte_at(bytes, at));
  if (shape.length == 0) return {1, false};
  for (std::size_t i = 1; i < shape.length; ++i) {
    if (at + i >= bytes.size()) return {i, false};
    const unsigned char low = i == 1 ? shape.second_low : 0x80;
    const unsigned char high = i == 1 ? shape.second_high : 0xBF;
    const unsigned char byte = byte_at(bytes, at + i);
    if (byte < low || byte > high) return {i, false};
  }
  return {shape.length, true};
}

/// Returns where the ASCII bytes from `at` on end, rounded down to whole words.
std::size_t skip_ascii_words(std::string_view bytes, std::size_t at) {
  while (bytes.size() - at >= kWord && (load_word(bytes.data() + at) & kHighBits) == 0) at += kWord;
  return at;
}

utf8proc_int32_t code_point_at(std::string_view bytes, std::size_t at) {
  constexpr utf8proc_int32_t kReplacementCharacter = 0xFFFD;
  if (!sequence_at(bytes, at).well_formed) return kReplacementCharacter;
  utf8proc_int32_t code_point = kReplacementCharacter;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + at,
                   static_cast<utf8proc_ssize_t>(bytes.size() - at), &code_point);
  return code_point;
}

/// Returns where the code point before `at` begins. Precondition: at > 0.
std::size_t previous_code_point(std::string_view bytes, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && is_continuation(byte_at(bytes, begin))) --begin;
  return begin + sequence_length(bytes, begin) == at ? begin : at - 1;
}

/// Returns true when a cluster ends between `left` and `right` regardless of the text before
/// `left`. For other classes the rules look further back: GB9c and GB11 (Extend, ZWJ), GB12 and
/// GB13 (Regional_Indicator).
bool always_breaks_between(utf8proc_int32_t left, utf8proc_int32_t right) {
  const auto left_class = static_cast<int>(utf8proc_get_property(left)->boundclass);
  const bool needs_context = left_class == UTF8PROC_BOUNDCLASS_EXTEND ||
                             left_class == UTF8PROC_BOUNDCLASS_ZWJ ||
                             left_class == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR;
  return !needs_context && utf8proc_grapheme_break(left, right);
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    at = skip_ascii_words(bytes, at);
    if (at == bytes.size()) break;
    const auto sequence = sequence_at(bytes, at);
    if (!sequence.well_formed) return at;
    at += sequence.length;
  }
  return bytes.size();
}

bool is_valid_utf8(std::string_view bytes) {
  return first_invalid_utf8(bytes) == bytes.size();
}

RepairedText repair_utf8(std::string_view bytes) {
  RepairedText repaired;
  repaired.text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t good = first_invalid_utf8(bytes);
    repaired.text.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    repaired.text.append("\xEF\xBF\xBD");
    ++repaired.replaced;
    bytes.remove_prefix(sequence_at(bytes, 0).length);
  }
  return repaired;
}

std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  const auto sequence = sequence_at(bytes, at);
  return sequence.well_formed ? sequence.length : 1;
}

std::size_t utf32_length(std::string_view bytes) {
  std::size_t continuations = 0;
  std::size_t at = 0;
  for (; bytes.size() - at >= kWord; at += kWord) {
    const std::uint64_t word = load_word(bytes.data() + at);
    if ((word & kHighBits) == 0) continue;
    continuations += static_cast<std::size_t>(std::popcount(word & ~(word << 1) & kHighBits));
  }
  for (; at < bytes.size(); ++at) continuations += is_continuation(byte_at(bytes, at)) ? 1 : 0;
  return bytes.size() - continuations;
}

std::size_t utf16_length(std::string_view bytes) {
  std::size_t pairs = 0;  // code points above U+FFFF; each has one lead byte of 0xF0 or more
  std::size_t at = 0;
  for (; bytes.size() - at >= kWord; at += kWord) {
    const std::uint64_t word = load_word(bytes.data() + at);
    if ((word & kHighBits) == 0) continue;  // ASCII; popcount is a function call on plain x86-64
    pairs += static_cast<std::size_t>(
        std::popcount(word & (word << 1) & (word << 2) & (word << 3) & kHighBits));
  }
  for (; at < bytes.size(); ++at) pairs += byte_at(bytes, at) >= 0xF0 ? 1 : 0;
  return utf32_length(bytes) + pairs;
}

std::size_t floor_boundary(std::string_view bytes, std::size_t at) {
  at = std::min(at, bytes.size());
  for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
    const unsigned char byte = byte_at(bytes, at - back);
    if (is_continuation(byte)) continue;
    return shape_of(byte).length > back ? at - back : at;
  }
  return at;
}

std::size_t ceil_boundary(std::string_view bytes, std::size_t at) {
  const std::size_t begin = floor_boundary(bytes, at);
  return begin == at || at >= bytes.size() ? at : begin + sequence_length(bytes, begin);
}

std::size_t last_grapheme(std::string_view bytes) {
  if (bytes.empty()) return 0;

  std::size_t start = previous_code_point(bytes, bytes.size());
  while (start > 0) {
    const std::size_t left = previous_code_point(bytes, start);
    if (always_breaks_between(code_point_at(bytes, left), code_point_at(bytes, start))) break;
    start = left;
  }

  utf8proc_int32_t state = 0;
  std::size_t cluster = start;
  utf8proc_int32_t left = code_point_at(bytes, start);
  for (std::size_t at = start + sequence_length(bytes, start); at < bytes.size();
       at += sequence_length(bytes, at)) {
    const utf8proc_int32_t right = code_point_at(bytes, at);
    if (utf8proc_grapheme_break_stateful(left, right, &state)) cluster = at;
    left = right;
  }
  return cluster;
}

}  // namespace agent_doc::text
