#include "server/file/merge.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_doc::file {

namespace merge_internal {

using Edits = std::vector<text::Edit>;

/// With a line end for every space `diff` compares words instead of lines; offsets stay what they are.
std::string word_per_line(std::string_view text) {
  std::string words(text);
  std::replace(words.begin(), words.end(), ' ', '\n');
  return words;
}

std::size_t inserted(const Edits& edits) {
  std::size_t bytes = 0;
  for (const text::Edit& edit : edits) bytes += edit.replacement.size();
  return bytes;
}

std::size_t deleted(const Edits& edits) {
  std::size_t bytes = 0;
  for (const text::Edit& edit : edits) bytes += edit.end - edit.begin;
  return bytes;
}

std::size_t size_of(const Edits& edits) { return inserted(edits) + deleted(edits); }

bool deletes_around(const Edits& edits, std::size_t place) {
  return std::any_of(edits.begin(), edits.end(), [place](const text::Edit& edit) { return edit.begin < place && place < edit.end; });
}

}  // namespace merge_internal

std::vector<text::Edit> merge(std::string_view base, std::string_view theirs, std::string_view ours) {
  merge_internal::Edits moved = text::diff(base, theirs);
  if (base == ours) return moved;
  const merge_internal::Edits own = text::diff(base, ours);
  // From the last one on: so each of our edits still has the offsets of the base when it is its turn.
  for (auto edit = own.rbegin(); edit != own.rend(); ++edit) {
    merge_internal::Edits next;
    for (const text::Edit& theirs_edit : moved) {
      for (text::Edit& piece : text::rebase(theirs_edit, *edit)) next.push_back(std::move(piece));
    }
    moved = std::move(next);
  }
  return moved;
}

std::optional<std::size_t> stale_base(std::string_view theirs, std::string_view current, const std::vector<std::string_view>& earlier) {
  if (earlier.empty() || merge_internal::deleted(text::diff(current, theirs)) == 0) return std::nullopt;
  const std::string their_words = merge_internal::word_per_line(theirs);
  const std::string current_words = merge_internal::word_per_line(current);
  const std::size_t distance_from_current = merge_internal::size_of(text::diff(current_words, their_words));

  std::optional<std::size_t> best;
  std::size_t best_distance = distance_from_current;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const std::string words = merge_internal::word_per_line(earlier[i]);
    const merge_internal::Edits ours = text::diff(words, current_words);
    const merge_internal::Edits changes = text::diff(words, their_words);
    const std::size_t distance = merge_internal::size_of(changes);
    const bool all_missing = distance_from_current >= distance + merge_internal::inserted(ours);
    const bool left_alone = std::none_of(ours.begin(), ours.end(),
                                         [&changes](const text::Edit& edit) { return merge_internal::deletes_around(changes, edit.begin); });
    if (!all_missing || !left_alone || distance >= best_distance) continue;
    best = i;
    best_distance = distance;
  }
  return best;
}

}  // namespace agent_doc::file
