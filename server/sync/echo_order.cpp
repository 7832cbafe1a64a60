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

std::vector<text::Edit> echo_first(std::string_view before, std::string_view after, const text::Edit& ours, Claim claim) {
  std::vector<text::Edit> without = text::sequential(text::diff(before, after));
  if (ours.end > before.size()) return without;
  std::string landed(before);
  landed.replace(ours.begin, ours.end - ours.begin, ours.replacement);
  std::vector<text::Edit> with = text::sequential(text::diff(landed, after));
  const std::size_t gone = claim == Claim::Applied ? ours.replacement.size() / 2 : 0;
  if (echo_order_internal::changed_bytes(with) >= echo_order_internal::changed_bytes(without) + gone) return without;
  with.insert(with.begin(), ours);
  return with;
}

}  // namespace agent_doc::sync
