#include "protocol/json_repair.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace agent_doc::protocol {
namespace {

constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

/// Returns the code unit of the escape `\uXXXX` that starts at `at`, or nullopt.
std::optional<std::uint16_t> escaped_unit(std::string_view json, std::size_t at) {
  if (at + kEscapeBytes > json.size() || json[at] != '\\' || json[at + 1] != 'u')
    return std::nullopt;
  const char* begin = json.data() + at + 2;
  const char* end = json.data() + at + kEscapeBytes;
  std::uint16_t unit = 0;
  const auto parsed = std::from_chars(begin, end, unit, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return unit;
}

constexpr bool is_high_surrogate(std::uint16_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool is_low_surrogate(std::uint16_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

}  // namespace

std::string repair_lone_surrogates(std::string_view json) {
  std::string repaired(json);
  std::size_t at = json.find('\\');
  while (at != std::string_view::npos) {
    std::size_t next = at + 2;  // skips any other escape, such as an escaped backslash
    if (const auto unit = escaped_unit(json, at)) {
      next = at + kEscapeBytes;
      const auto second = is_high_surrogate(*unit) ? escaped_unit(json, next) : std::nullopt;
      if (second && is_low_surrogate(*second)) {
        next += kEscapeBytes;
      } else if (is_high_surrogate(*unit) || is_low_surrogate(*unit)) {
        repaired.replace(at, kEscapeBytes, "\\ufffd");
      }
    }
    at = json.find('\\', next);
  }
  return repaired;
}

}  // namespace agent_doc::protocol
