#include "server/sync/growing_region.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

/// Returns what of a frame's tail is not blank.
std::string_view heading_of(std::string_view tail) {
  const std::size_t begin = std::min(tail.find_first_not_of("\r\n"), tail.size());
  return tail.substr(begin, tail.find_last_not_of("\r\n") + 1 - begin);
}

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

bool find_closing_marker(GrowingRegion& region, std::string_view text) {
  RegionMarks& marks = region.marks;
  const std::string_view marker = heading_of(region.frame.tail);
  if (marks.closing >= marks.end && text.substr(marks.closing, marker.size()) == marker)
    return true;
  // Brought back where it was, it stands before the place that follows it.
  const std::size_t behind =
      std::min(std::max(marks.closing, marks.end) + marker.size(), text.size());
  const std::size_t found = text.substr(0, behind).find(marker, marks.end);
  if (found == std::string_view::npos) return false;
  marks.closing = found;
  return true;
}

bool joins_heading(const GrowingRegion& region, std::string_view text) {
  const RegionMarks& marks = region.marks;
  const std::string& head = region.frame.head;
  if (!marks.framed || head.empty() || !is_line_end(head.back()) || gap_above(region)) return false;
  return text.substr(marks.heading_end, marks.end - marks.heading_end).find_first_of("\r\n") ==
         std::string_view::npos;
}

std::optional<Gap> gap_above(const GrowingRegion& region) {
  const RegionMarks& marks = region.marks;
  const std::string& head = region.frame.head;
  const std::size_t end = std::max(head.find_last_not_of("\r\n") + 1, std::size_t{0});
  const bool is_empty = marks.framed && marks.owned.empty() && marks.end == marks.heading_end;
  if (!is_empty || marks.heading_deleted || end == head.size() || region.landed > 0)
    return std::nullopt;
  return Gap{marks.end, head.substr(end)};
}

std::optional<Gap> gap_below(const GrowingRegion& region, std::string_view text) {
  const RegionMarks& marks = region.marks;
  const std::string& tail = region.frame.tail;
  std::string line_ends = tail.substr(0, std::min(tail.find_first_not_of("\r\n"), tail.size()));
  if (!marks.framed || line_ends.empty() || region.line_ends_restored >= kMaxLineEndsRestored)
    return std::nullopt;
  // Line ends that came back before the heading did, after both were deleted, are what `below`
  // follows: the heading is above it. Something may have been typed in front of it since.
  const std::string_view heading = heading_of(tail);
  const std::string_view line = text.substr(
      marks.end, std::min(text.find_first_of("\r\n", marks.end), text.size()) - marks.end);
  const bool is_in_line = !heading.empty() && line.ends_with(heading) &&
                          (line == heading || marks.below > marks.end + line.size());
  const std::size_t place =
      is_in_line ? marks.end + line.size() - heading.size() : std::max(marks.below, marks.end);
  if (place >= text.size() || is_line_end(text[place])) return std::nullopt;
  if (text.substr(marks.end, place - marks.end).find_first_of("\r\n") != std::string_view::npos)
    return std::nullopt;
  const bool is_below_line =
      region.pending.empty() && marks.end > 0 && is_line_end(text[marks.end - 1]);
  if (is_below_line && (is_in_line || place == marks.end)) return std::nullopt;
  return Gap{place, std::move(line_ends)};
}

}  // namespace agent_doc::sync
