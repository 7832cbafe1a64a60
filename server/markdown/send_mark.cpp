#include "server/markdown/send_mark.hpp"

#include "server/markdown/scanner.hpp"
#include "server/markdown/turns.hpp"

#include <algorithm>
#include <vector>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kSendLine = "/send";
/// More spaces make the line code, or a part of the list item above.
constexpr std::size_t kMostIndent = 3;

std::string_view without_blanks_around(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

/// Returns true for `- [x] send`, with any marker of a list.
bool is_checked_box(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > kMostIndent) return false;
  const std::string_view text = without_blanks_around(line);
  if (text.empty() || std::string_view("-*+").find(text.front()) == std::string_view::npos)
    return false;
  const std::string_view rest = text.substr(1);
  return rest == " [x] send" || rest == " [X] send";
}

}  // namespace

std::optional<std::string> without_send_marks(std::string_view document,
                                              const FrontMatter& front_matter) {
  const InlineTurn turn = find_turns(document, front_matter.body_begin).turns.back();
  if (turn.speaker == Speaker::Assistant) return std::nullopt;
  const std::vector<Line> lines = scan_blocks(document, front_matter.body_begin).lines;
  std::string text(document);
  bool is_last = true;
  bool found = false;
  std::size_t next = document.size();
  // From the last line on, so that the places above stay.
  for (auto line = lines.rbegin(); line != lines.rend() && line->begin >= turn.body_begin;
       next = line->begin, ++line) {
    if (line->kind == LineKind::Blank) continue;
    const std::string_view words = document.substr(line->begin, line->end - line->begin);
    const bool sends =
        line->kind == LineKind::Text &&
        ((is_last && without_blanks_around(words) == kSendLine) || is_checked_box(words));
    is_last = false;
    if (!sends) continue;
    text.erase(line->begin, next - line->begin);
    found = true;
  }
  if (!found) return std::nullopt;
  return text;
}

}  // namespace agent_doc::markdown
