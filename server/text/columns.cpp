#include "server/text/columns.hpp"

#include "server/text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace agent_doc::text {

namespace {

constexpr char32_t kReplacement = 0xFFFD;
/// Turns the character before it into an emoji, which is wide.
constexpr char32_t kPictureSelector = 0xFE0F;
constexpr std::size_t kPictureColumns = 2;

struct Range {
  char32_t first;
  char32_t last;
};

constexpr auto kIdeographic = std::to_array<Range>({{0x2E80, 0x9FFF},
                                                    {0xA000, 0xA4CF},
                                                    {0xAC00, 0xD7A3},
                                                    {0xF900, 0xFAFF},
                                                    {0xFE30, 0xFE4F},
                                                    {0xFF00, 0xFF60},
                                                    {0x20000, 0x3FFFF}});

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

std::size_t point_width(char32_t point) {
  return static_cast<std::size_t>(
      std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(point))));
}

}  // namespace

char32_t point_at(std::string_view bytes, std::size_t at) {
  utf8proc_int32_t point = -1;
  const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data() + at);
  utf8proc_iterate(begin, static_cast<utf8proc_ssize_t>(bytes.size() - at), &point);
  return point < 0 ? kReplacement : static_cast<char32_t>(point);
}

Cluster cluster_at(std::string_view bytes, std::size_t at) {
  const bool plain = is_ascii(bytes[at]) && (at + 1 == bytes.size() || is_ascii(bytes[at + 1]));
  if (plain) return {1, bytes[at] >= ' ' && bytes[at] != '\x7f' ? std::size_t{1} : std::size_t{0}};
  char32_t left = point_at(bytes, at);
  Cluster cluster{sequence_length(bytes, at), point_width(left)};
  utf8proc_int32_t state = 0;
  while (at + cluster.length < bytes.size()) {
    const std::size_t next = at + cluster.length;
    const char32_t right = point_at(bytes, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(left),
                                         static_cast<utf8proc_int32_t>(right), &state))
      break;
    const std::size_t length = sequence_length(bytes, next);
    if (cluster.length + length > kMaxClusterBytes) break;
    cluster.length += length;
    cluster.columns += point_width(right);
    if (right == kPictureSelector) cluster.columns = std::max(cluster.columns, kPictureColumns);
    left = right;
  }
  return cluster;
}

std::size_t width_of(std::string_view bytes) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const Cluster cluster = cluster_at(bytes, at);
    columns += cluster.columns;
    at += cluster.length;
  }
  return columns;
}

bool is_ideographic(char32_t point) {
  return std::any_of(kIdeographic.begin(), kIdeographic.end(), [point](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

}  // namespace agent_doc::text
