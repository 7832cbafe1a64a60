#include "server/text/line_ends.hpp"

#include "server/text/lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace agent_doc::text {

namespace {

constexpr std::array<std::string_view, 3> kKinds = {"\n", "\r\n", "\r"};

/// Returns the index in kKinds of the line end of `line`, or kKinds.size() when it has none.
std::size_t kind_of(const LineSpan& line, std::string_view text) {
  const auto kind =
      std::find(kKinds.begin(), kKinds.end(), text.substr(line.end, line.next - line.end));
  return static_cast<std::size_t>(kind - kKinds.begin());
}

}  // namespace

std::string with_line_ends(std::string_view text, std::string_view line_end) {
  std::string result;
  result.reserve(text.size());
  LineWalker lines(text);
  while (const std::optional<LineSpan> line = lines.next()) {
    result += text.substr(line->begin, line->end - line->begin);
    if (line->next > line->end) result += line_end;
  }
  return result;
}

std::string_view only_line_end(std::string_view text) {
  std::size_t only = kKinds.size();
  LineWalker lines(text);
  while (const std::optional<LineSpan> line = lines.next()) {
    const std::size_t kind = kind_of(*line, text);
    if (kind == kKinds.size()) continue;
    if (only != kKinds.size() && only != kind) return {};
    only = kind;
  }
  return only == kKinds.size() ? std::string_view() : kKinds[only];
}

std::string_view most_frequent_line_end(std::string_view text) {
  std::array<std::size_t, kKinds.size() + 1> count{};
  std::size_t first = kKinds.size();
  LineWalker lines(text);
  while (const std::optional<LineSpan> line = lines.next()) {
    const std::size_t kind = kind_of(*line, text);
    ++count[kind];
    if (first == kKinds.size()) first = kind;
  }
  if (first == kKinds.size()) return "\n";
  std::size_t most = first;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    if (count[kind] > count[most]) most = kind;
  }
  return kKinds[most];
}

std::size_t after_line_end(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("\r\n")) return at + 2;
  return at < text.size() && (text[at] == '\n' || text[at] == '\r') ? at + 1 : at;
}

bool is_whole_lines(std::string_view text) {
  return text.empty() || text.back() == '\n' || text.back() == '\r';
}

}  // namespace agent_doc::text
