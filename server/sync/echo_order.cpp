#include "server/sync/echo_order.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace agent_doc::sync {

namespace echo_order_internal {

std::size_t changed_bytes(const std::vector<text::Edit>& edits) {
  return std::accumulate(edits.begin(), edits.end(), std::size_t{0},
                         [](std::size_t sum, const text::Edit& edit) { return sum + (edit.end - edit.begin) + edit.replacement.size(); });
}

/// The length of the first line of `text`, with its line end; of the last one.
std::size_t first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::size_t last_line(std::string_view text) {
  const std::size_t begin = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  return begin == std::string_view::npos ? text.size() : text.size() - begin - 1;
}

/// Whether one line looks like an earlier state of the other: more than half is the same.
bool are_alike(std::string_view a, std::string_view b) {
  const std::size_t head = text::common_prefix(a, b);
  const std::size_t tail = text::common_suffix(a.substr(head), b.substr(head));
  return 2 * (head + tail) > std::max(a.size(), b.size());
}

void add(std::vector<text::Edit>& edits, std::size_t begin, std::string_view removed, std::string_view inserted) {
  text::Edit edit = text::minimise({begin, begin + removed.size(), std::string(inserted)}, removed);
  if (!edit.is_no_op()) edits.push_back(std::move(edit));
}

/// Splits `edit`, which replaces `removed`, where its first or last lines are alike: what stood in such a line stays where it was.
void add_by_lines(std::vector<text::Edit>& edits, const text::Edit& edit, std::string_view removed) {
  std::string_view inserted = edit.replacement;
  std::size_t begin = edit.begin;
  while (!removed.empty() && !inserted.empty()) {
    const std::size_t a = first_line(removed);
    const std::size_t b = first_line(inserted);
    if (!are_alike(removed.substr(0, a), inserted.substr(0, b))) break;
    add(edits, begin, removed.substr(0, a), inserted.substr(0, b));
    removed.remove_prefix(a);
    inserted.remove_prefix(b);
    begin += a;
  }
  std::vector<text::Edit> behind;
  while (!removed.empty() && !inserted.empty()) {
    const std::size_t a = last_line(removed);
    const std::size_t b = last_line(inserted);
    if (!are_alike(removed.substr(removed.size() - a), inserted.substr(inserted.size() - b))) break;
    add(behind, begin + removed.size() - a, removed.substr(removed.size() - a), inserted.substr(inserted.size() - b));
    removed.remove_suffix(a);
    inserted.remove_suffix(b);
  }
  add(edits, begin, removed, inserted);
  edits.insert(edits.end(), behind.rbegin(), behind.rend());
}

}  // namespace echo_order_internal

std::vector<text::Edit> changes_between(std::string_view before, std::string_view after) {
  const text::Edit whole = text::minimise({0, before.size(), std::string(after)}, before);
  if (whole.begin == whole.end || whole.replacement.empty()) return {whole};
  std::vector<text::Edit> edits;
  for (const text::Edit& edit : text::diff(before, after)) {
    echo_order_internal::add_by_lines(edits, edit, before.substr(edit.begin, edit.end - edit.begin));
  }
  return text::sequential(std::move(edits));
}

Explanations explain(std::string_view before, std::string_view after, const text::Edit& ours, Claim claim) {
  Explanations explanations;
  explanations.by_others = changes_between(before, after);
  std::string landed(before);
  landed.replace(ours.begin, ours.end - ours.begin, ours.replacement);
  std::vector<text::Edit> rest = changes_between(landed, after);
  const std::size_t gone = claim == Claim::Applied ? ours.replacement.size() / 2 : 0;
  const bool is_better = echo_order_internal::changed_bytes(rest) < echo_order_internal::changed_bytes(explanations.by_others) + gone;
  if (is_better) explanations.after_our_edit = std::move(rest);
  return explanations;
}

}  // namespace agent_doc::sync
