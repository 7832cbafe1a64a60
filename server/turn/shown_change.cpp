#include "server/turn/shown_change.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <vector>

namespace agent_doc::turn {
namespace {

/// Whole lines [begin, end) of the text before, and what stands in their place.
struct Hunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

/// `edits` as changes of whole lines: of the bytes that differ a person makes nothing.
std::vector<Hunk> hunks_of(std::string_view before, const std::vector<text::Edit>& edits) {
  std::vector<Hunk> hunks;
  std::size_t copied = 0;  ///< of `before`, into the last hunk
  for (const text::Edit& edit : edits) {
    const std::size_t begin = line_begin(before, edit.begin);
    if (hunks.empty() || begin >= hunks.back().end) {
      if (!hunks.empty())
        hunks.back().text.append(before.substr(copied, hunks.back().end - copied));
      hunks.push_back({begin, begin, {}});
      copied = begin;
    }
    Hunk& hunk = hunks.back();
    hunk.text.append(before.substr(copied, edit.begin - copied)).append(edit.replacement);
    copied = edit.end;
    const bool ends_lines =
        (edit.end == begin || before[edit.end - 1] == '\n') &&
        (edit.replacement.empty() ? edit.begin == begin : edit.replacement.back() == '\n');
    hunk.end = std::max(hunk.end, ends_lines ? edit.end : line_end(before, edit.end));
  }
  if (!hunks.empty()) hunks.back().text.append(before.substr(copied, hunks.back().end - copied));
  return hunks;
}

void add_lines(std::string_view text, std::string_view mark, std::string& shown) {
  while (!text.empty()) {
    const std::size_t end = line_end(text, 0);
    shown.append(mark).append(text.substr(0, end));
    if (shown.back() != '\n') shown += "\n\\ no line end\n";
    text.remove_prefix(end);
  }
}

std::size_t lines_in(std::string_view text) {
  const auto newlines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

enum class Around { First = 1, Between = 2, Last = 3 };

/// What stays, between two changes.
void add_unchanged(std::string_view text, Around where, std::string& shown) {
  std::size_t head = 0;
  std::size_t tail = text.size();
  for (std::size_t line = 0; line < kLinesAroundChange; ++line) {
    if (where != Around::First) head = line_end(text, head);
    if (where != Around::Last) tail = tail == 0 ? 0 : line_begin(text, tail - 1);
  }
  if (where == Around::Last) tail = text.size();
  const std::size_t left_out =
      head < tail ? lines_in(text.substr(
                        head, where == Around::Last ? std::string_view::npos : tail - head))
                  : 0;
  if (left_out == 0) return add_lines(text, "  ", shown);
  add_lines(text.substr(0, head), "  ", shown);
  shown += "@ " + std::to_string(left_out) + (left_out == 1 ? " line stays\n" : " lines stay\n");
  if (where != Around::Last) add_lines(text.substr(tail), "  ", shown);
}

}  // namespace

std::string shown_change(std::string_view before, std::string_view after) {
  std::string shown;
  std::size_t at = 0;
  for (const Hunk& hunk : hunks_of(before, text::diff(before, after))) {
    add_unchanged(before.substr(at, hunk.begin - at), at == 0 ? Around::First : Around::Between,
                  shown);
    add_lines(before.substr(hunk.begin, hunk.end - hunk.begin), "- ", shown);
    add_lines(hunk.text, "+ ", shown);
    at = hunk.end;
  }
  if (shown.empty()) return "nothing changes";
  add_unchanged(before.substr(at), Around::Last, shown);
  if (shown.ends_with('\n')) shown.pop_back();
  return shown;
}

}  // namespace agent_doc::turn
