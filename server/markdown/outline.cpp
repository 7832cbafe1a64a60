#include "server/markdown/outline.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kWhitespace = " \t\r\n";
constexpr std::string_view kEllipsis = "…";

std::size_t line_end(std::string_view document, std::size_t at) {
  return std::min(document.find_first_of("\r\n", at), document.size());
}

std::string title_of(std::string_view line) {
  const std::size_t last = line.find_last_not_of(kWhitespace);
  line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (line.size() <= kMaxTitleBytes) return std::string(line);
  const std::size_t kept = text::floor_boundary(line, kMaxTitleBytes - kEllipsis.size());
  return std::string(line.substr(0, kept)).append(kEllipsis);
}

}  // namespace

std::vector<OutlineEntry> outline(std::string_view document, const FrontMatter& front_matter) {
  std::vector<OutlineEntry> entries;
  for (const InlineTurn& turn : find_turns(document, front_matter.body_begin).turns) {
    OutlineEntry entry;
    entry.speaker = turn.speaker;
    entry.body_begin = turn.body_begin;
    entry.end = turn.body_end;
    const std::size_t text =
        std::min(document.find_first_not_of(kWhitespace, turn.body_begin), turn.body_end);
    // A turn without a heading begins with its text.
    entry.heading_begin = turn.heading_begin < turn.body_begin ? turn.heading_begin : text;
    entry.heading_end = line_end(document, entry.heading_begin);
    entry.text_end = entry.heading_end;
    if (text < turn.body_end) {
      entry.title = title_of(document.substr(text, line_end(document, text) - text));
      entry.text_end = document.find_last_not_of(kWhitespace, turn.body_end - 1) + 1;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace agent_doc::markdown
