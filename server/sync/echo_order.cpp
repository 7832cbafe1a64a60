#include "server/sync/echo_order.hpp"

#include "server/sync/delta.hpp"
#include "server/text/diff.hpp"

#include <algorithm>

namespace agent_doc::sync {

namespace echo_order_internal {

/// `edit` moved left as far as it stays the same change: only for insertions.
text::Edit leftmost(text::Edit edit, std::string_view before, std::size_t stop) {
  if (edit.begin != edit.end) return edit;
  while (edit.begin > stop && !edit.replacement.empty() && before[edit.begin - 1] == edit.replacement.back()) {
    std::rotate(edit.replacement.begin(), edit.replacement.end() - 1, edit.replacement.end());
    --edit.begin;
    --edit.end;
  }
  return edit;
}

/// Splits `edit` into `ours` and what is left of it, in the order of application; empty when `ours` is not in it.
std::vector<text::Edit> split(const text::Edit& edit, const text::Edit& ours) {
  if (edit.begin > ours.begin || edit.end < ours.end || ours.replacement.empty()) return {};
  const std::size_t found = edit.replacement.find(ours.replacement);
  if (found == std::string::npos) return {};
  std::vector<text::Edit> parts{ours};
  const std::size_t behind = ours.begin + ours.replacement.size();
  text::Edit right{behind, behind + (edit.end - ours.end), edit.replacement.substr(found + ours.replacement.size())};
  text::Edit left{edit.begin, ours.begin, edit.replacement.substr(0, found)};
  if (!right.is_no_op()) parts.push_back(std::move(right));
  if (!left.is_no_op()) parts.push_back(std::move(left));
  return parts;
}

}  // namespace echo_order_internal

std::vector<text::Edit> echo_first(std::vector<text::Edit> edits, const text::Edit& ours, std::string_view before) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const std::size_t stop = i == 0 ? 0 : edits[i - 1].end;
    std::vector<text::Edit> parts = echo_order_internal::split(edits[i], ours);
    if (parts.empty() && same_change(edits[i], ours, before)) parts = {ours};
    if (parts.empty()) parts = echo_order_internal::split(echo_order_internal::leftmost(edits[i], before, stop), ours);
    if (parts.empty()) continue;
    // Ours first; then everything else, from the last to the first, so that no offset needs to be moved but those behind ours.
    const std::size_t grown = ours.replacement.size();
    const std::size_t shrunk = ours.end - ours.begin;
    std::vector<text::Edit> ordered{parts.front()};
    for (std::size_t j = edits.size(); j-- > i + 1;) {
      text::Edit later = std::move(edits[j]);
      later.begin = later.begin + grown - shrunk;
      later.end = later.end + grown - shrunk;
      ordered.push_back(std::move(later));
    }
    ordered.insert(ordered.end(), std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
    for (std::size_t j = i; j-- > 0;) ordered.push_back(std::move(edits[j]));
    return ordered;
  }
  return text::sequential(std::move(edits));
}

}  // namespace agent_doc::sync
