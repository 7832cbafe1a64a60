#include "server/text/unified_diff.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::text {

namespace {

/// A text by its lines.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         end = text.find('\n', end + 1))
      ends_.push_back(end + 1);
  }
  std::size_t size() const { return ends_.size(); }
  /// Lines [begin, end), with their line ends.
  std::string_view operator()(std::size_t begin, std::size_t end) const {
    return text_.substr(start(begin), start(end) - start(begin));
  }

 private:
  std::size_t start(std::size_t line) const { return line == 0 ? 0 : ends_[line - 1]; }

  std::string_view text_;
  std::vector<std::size_t> ends_;
};

/// "12", "12,3"; an empty range is named by the line above it.
std::string range(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  const std::string first = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? first : first + "," + std::to_string(count);
}

class HunkWriter {
 public:
  HunkWriter(std::string_view before, std::string_view after) : before_(before), after_(after) {}

  /// The changes [first, last) share their context.
  void write(std::vector<ChangedLines>::const_iterator first,
             std::vector<ChangedLines>::const_iterator last) {
    const ChangedLines& end = *(last - 1);
    const std::size_t lead = std::min(kDiffContext, first->before_begin);
    const std::size_t trail = std::min(kDiffContext, before_.size() - end.before_end);
    std::size_t at = first->before_begin - lead;
    diff_.text += "@@ -" + range(at, end.before_end + trail) + " +" +
                  range(first->after_begin - lead, end.after_end + trail) + " @@\n";
    diff_.places.push_back(first->after_begin);
    for (auto change = first; change != last; ++change) {
      add(' ', before_, at, change->before_begin);
      add('-', before_, change->before_begin, change->before_end);
      add('+', after_, change->after_begin, change->after_end);
      at = change->before_end;
    }
    add(' ', before_, at, at + trail);
  }

  UnifiedDiff take() { return std::move(diff_); }

 private:
  void add(char sign, const Lines& lines, std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line)
      (diff_.text += sign) += lines(line, line + 1);
  }

  Lines before_;
  Lines after_;
  UnifiedDiff diff_;
};

/// Returns the end of the hunk that begins with `first`: its changes are so near to each other that
/// their context would overlap.
std::vector<ChangedLines>::const_iterator end_of_hunk(
    std::vector<ChangedLines>::const_iterator first,
    std::vector<ChangedLines>::const_iterator end) {
  auto last = first + 1;
  while (last != end && last->before_begin - (last - 1)->before_end <= 2 * kDiffContext) ++last;
  return last;
}

}  // namespace

std::vector<ChangedLines> changed_places(std::string_view before, std::string_view after) {
  const std::vector<ChangedLines> changes = changed_lines(before, after);
  std::vector<ChangedLines> places;
  for (auto first = changes.begin(); first != changes.end();) {
    const auto last = end_of_hunk(first, changes.end());
    places.push_back(
        {first->before_begin, (last - 1)->before_end, first->after_begin, (last - 1)->after_end});
    first = last;
  }
  return places;
}

UnifiedDiff unified_diff(std::string_view before, std::string_view after) {
  const std::vector<ChangedLines> changes = changed_lines(before, after);
  if (changes.empty()) return {};
  HunkWriter hunks(before, after);
  for (auto first = changes.begin(); first != changes.end();) {
    const auto last = end_of_hunk(first, changes.end());
    hunks.write(first, last);
    first = last;
  }
  return hunks.take();
}

}  // namespace agent_doc::text
