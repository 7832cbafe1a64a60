#include "server/sync/echo_order.hpp"

#include "server/text/diff.hpp"

#include <numeric>
#include <string>

namespace agent_doc::sync {

namespace echo_order_internal {

std::size_t changed_bytes(const std::vector<text::Edit>& edits) {
  return std::accumulate(edits.begin(), edits.end(), std::size_t{0},
                         [](std::size_t sum, const text::Edit& edit) { return sum + (edit.end - edit.begin) + edit.replacement.size(); });
}

}  // namespace echo_order_internal

std::vector<text::Edit> changes_between(std::string_view before, std::string_view after) {
  const text::Edit whole = text::minimise({0, before.size(), std::string(after)}, before);
  if (whole.begin == whole.end || whole.replacement.empty()) return {whole};
  return text::sequential(text::diff(before, after));
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
