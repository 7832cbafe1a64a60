#include "server/sync/echo_order.hpp"

#include "server/sync/delta.hpp"
#include "server/text/diff.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace agent_doc::sync {

namespace {

std::size_t changed_bytes(const std::vector<text::Edit>& edits) {
  return std::accumulate(edits.begin(), edits.end(), std::size_t{0},
                         [](std::size_t sum, const text::Edit& edit) {
                           return sum + (edit.end - edit.begin) + edit.replacement.size();
                         });
}

/// The length of the first line of `text`, with its line end; of the last one.
std::size_t first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::size_t last_line(std::string_view text) {
  const std::size_t begin =
      text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  return begin == std::string_view::npos ? text.size() : text.size() - begin - 1;
}

/// So many equal letters are no reason to believe that a line is the same.
constexpr std::size_t kChance = 4;

/// Whether one line looks like an earlier state of the other: more than half is the same, or all of
/// the shorter one.
bool are_alike(std::string_view a, std::string_view b) {
  const std::size_t head = text::common_prefix(a, b);
  const std::size_t same = head + text::common_suffix(a.substr(head), b.substr(head));
  return 2 * same > std::max(a.size(), b.size()) ||
         (same == std::min(a.size(), b.size()) && same > kChance);
}

/// Bytes that stand in both texts.
struct CommonBlock {
  std::size_t in_old = 0;
  std::size_t in_now = 0;
  std::size_t size = 0;
};

/// Whether a text must not be cut here: inside a character, or between "\r" and "\n".
bool is_inside(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return false;
  return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U ||
         (text[at - 1] == '\r' && text[at] == '\n');
}

/// Cut back to where both texts may be cut.
CommonBlock at_boundaries(CommonBlock block, std::string_view old, std::string_view now) {
  while (block.size > 0 && (is_inside(old, block.in_old) || is_inside(now, block.in_now))) {
    ++block.in_old;
    ++block.in_now;
    --block.size;
  }
  while (block.size > 0 &&
         (is_inside(old, block.in_old + block.size) || is_inside(now, block.in_now + block.size)))
    --block.size;
  return block;
}

/// The longest one, the first of equal ones. Texts that are too large to be compared have none but
/// all of one of them.
CommonBlock longest_common_block(std::string_view old, std::string_view now) {
  constexpr std::size_t kMaxComparisons = 1'000'000;
  CommonBlock longest;
  if (now.empty() || old.size() > kMaxComparisons / now.size()) {
    const std::size_t in_old = old.find(now);
    const std::size_t in_now = now.find(old);
    if (in_old != std::string_view::npos) return {in_old, 0, now.size()};
    return in_now != std::string_view::npos ? CommonBlock{0, in_now, old.size()} : longest;
  }
  std::vector<std::size_t> ending(
      now.size() + 1);  // sizes of the blocks that end at this byte of `old` and at each of `now`
  for (std::size_t i = 0; i < old.size(); ++i) {
    for (std::size_t j = now.size(); j > 0; --j) {
      ending[j] = old[i] == now[j - 1] ? ending[j - 1] + 1 : 0;
      if (ending[j] > longest.size) longest = {i + 1 - ending[j], j - ending[j], ending[j]};
    }
  }
  return longest;
}

/// The replacement of `removed`, which stands at `begin`. What is in both stays where it is:
/// something came or went around it.
void add(std::vector<text::Edit>& edits, std::size_t begin, std::string_view removed,
         std::string_view inserted) {
  const text::Edit edit =
      text::minimise({begin, begin + removed.size(), std::string(inserted)}, removed);
  if (edit.is_no_op()) return;
  const std::string_view old = removed.substr(edit.begin - begin, edit.end - edit.begin);
  const std::string_view now = edit.replacement;
  const CommonBlock block = at_boundaries(longest_common_block(old, now), old, now);
  if (block.size <= kChance) {
    edits.push_back(edit);
    return;
  }
  add(edits, edit.begin, old.substr(0, block.in_old), now.substr(0, block.in_now));
  add(edits, edit.begin + block.in_old + block.size, old.substr(block.in_old + block.size),
      now.substr(block.in_now + block.size));
}

/// Splits the replacement of `removed`, whole lines that stand at `begin`, by `inserted` where
/// their first or last lines are alike: what stood in such a line stays where it was.
void add_by_lines(std::vector<text::Edit>& edits, std::size_t begin, std::string_view removed,
                  std::string_view inserted) {
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
    std::vector<text::Edit> line;
    add(line, begin + removed.size() - a, removed.substr(removed.size() - a),
        inserted.substr(inserted.size() - b));
    behind.insert(behind.begin(), line.begin(), line.end());
    removed.remove_suffix(a);
    inserted.remove_suffix(b);
  }
  add(edits, begin, removed, inserted);
  edits.insert(edits.end(), behind.begin(), behind.end());
}

bool has_line_end(std::string_view text) {
  return text.find('\n') != std::string_view::npos;
}

/// `edit` of `before` line by line; it may grow within [low, high). Where it ends then.
std::size_t add_refined(std::vector<text::Edit>& edits, const text::Edit& edit,
                        std::string_view before, std::size_t low, std::size_t high) {
  const std::string_view removed = before.substr(edit.begin, edit.end - edit.begin);
  const std::size_t begin = edit.begin == 0 ? 0 : before.rfind('\n', edit.begin - 1) + 1;
  std::size_t end = edit.end;
  const bool ends_lines = !removed.empty() && removed.back() == '\n' && !edit.replacement.empty() &&
                          edit.replacement.back() == '\n';
  if (!ends_lines) end = std::min(before.find('\n', end), before.size() - 1) + 1;
  const bool is_of_lines = !removed.empty() && !edit.replacement.empty() &&
                           (has_line_end(removed) || has_line_end(edit.replacement));
  if (!is_of_lines || begin < low || end > high) {
    add(edits, edit.begin, removed, edit.replacement);
    return edit.end;
  }
  std::string inserted(before.substr(begin, edit.begin - begin));
  inserted += edit.replacement;
  inserted += before.substr(edit.end, end - edit.end);
  add_by_lines(edits, begin, before.substr(begin, end - begin), inserted);
  return end;
}

/// Nobody happens to write so much of just our text, which was nowhere before.
constexpr std::size_t kSurelyOurs = 16;
/// Occurrences that are tried; of a text of a few letters there may be many.
constexpr int kMaxOccurrences = 8;

/// What is left of the change from `before` to `after` when `ours` was made first and stands in
/// `after` in one piece: what was changed in front of it, and behind it. Edits of `before` with
/// `ours`, ascending. Nothing when it is not there.
std::optional<std::vector<text::Edit>> around_ours(std::string_view before, std::string_view after,
                                                   const text::Edit& ours) {
  const std::string_view text = ours.replacement;
  if (text.empty()) return std::nullopt;
  const text::Edit whole = text::minimise({0, before.size(), std::string(after)}, before);
  // What stands beside the change may be as ours begins, or ends: then that is told as if it had
  // stayed.
  const std::size_t begin = std::min(whole.begin - std::min(whole.begin, text.size()), ours.begin);
  const std::size_t end = std::max(std::min(whole.end + text.size(), before.size()), ours.end);
  const std::string_view now = after.substr(begin, after.size() - (before.size() - end) - begin);
  const std::size_t shift = text.size() - (ours.end - ours.begin);
  std::optional<std::vector<text::Edit>> best;
  std::size_t at = now.find(text);
  for (int tried = 0; at != std::string_view::npos && tried < kMaxOccurrences;
       at = now.find(text, at + 1), ++tried) {
    std::vector<text::Edit> edits;
    add(edits, begin, before.substr(begin, ours.begin - begin), now.substr(0, at));
    const std::size_t behind = edits.size();
    add(edits, ours.end, before.substr(ours.end, end - ours.end), now.substr(at + text.size()));
    for (std::size_t i = behind; i < edits.size(); ++i) {
      edits[i].begin += shift;
      edits[i].end += shift;
    }
    if (!best || changed_bytes(edits) < changed_bytes(*best)) best = std::move(edits);
  }
  return best;
}

/// Whether `edits`, to be made one after the other, leave all of the `length` bytes at `begin`,
/// which are some.
bool leave(const std::vector<text::Edit>& edits, std::size_t begin, std::size_t length) {
  for (const text::Edit& edit : edits) {
    if (edit.begin < begin + length && edit.end > begin) return false;
    if (edit.begin == edit.end && edit.begin > begin && edit.begin < begin + length) return false;
    if (edit.end <= begin) begin = begin - (edit.end - edit.begin) + edit.replacement.size();
  }
  return length > 0;
}

/// `edits` of `text`, to be made one after the other. Of equal bytes nobody knows which went: a
/// deletion that takes some of the `length` bytes at `begin`, and others beside them, is moved off
/// them where it is the same change there.
std::vector<text::Edit> moved_off(std::vector<text::Edit> edits, std::size_t begin,
                                  std::size_t length, std::string text) {
  for (text::Edit& edit : edits) {
    const std::size_t end = begin + length;
    const bool deletes = edit.replacement.empty();
    if (deletes && edit.begin < begin && edit.end > begin && edit.end <= end) {
      text::Edit left{edit.begin - std::min(edit.begin, edit.end - begin), begin, {}};
      if (left.end - left.begin == edit.end - edit.begin && same_change(edit, left, text))
        edit = left;
    } else if (deletes && edit.begin >= begin && edit.begin < end && edit.end > end) {
      const text::Edit right{end, end + (edit.end - edit.begin), {}};
      if (right.end <= text.size() && same_change(edit, right, text)) edit = right;
    }
    text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    if (edit.end <= begin) begin = begin - (edit.end - edit.begin) + edit.replacement.size();
  }
  return edits;
}

/// Whether `edit` leaves nothing of the lines that it touches but the last line end.
bool replaces_lines(const text::Edit& edit, std::string_view before) {
  const bool begins_line = edit.begin == 0 || before[edit.begin - 1] == '\n';
  const bool ends_line =
      edit.end == before.size() || before[edit.end] == '\n' || before[edit.end] == '\r';
  return begins_line && ends_line && edit.begin < edit.end && !edit.replacement.empty();
}

/// A diff takes as many lines as before for the same lines, changed. Where nothing is left of one,
/// it is joined with the next: a line may have come above while another one went below.
std::vector<text::Edit> joined_where_unlike(std::vector<text::Edit> edits,
                                            std::string_view before) {
  std::vector<text::Edit> joined;
  for (text::Edit& edit : edits) {
    const bool is_next_line =
        !joined.empty() &&
        before.substr(joined.back().end, edit.begin - joined.back().end).find('\n') ==
            before.substr(joined.back().end, edit.begin - joined.back().end).rfind('\n');
    if (!is_next_line || !(replaces_lines(joined.back(), before) || replaces_lines(edit, before))) {
      joined.push_back(std::move(edit));
      continue;
    }
    text::Edit& last = joined.back();
    last.replacement.append(before, last.end, edit.begin - last.end).append(edit.replacement);
    last.end = edit.end;
  }
  return joined;
}

}  // namespace

bool deletes(const std::vector<text::Edit>& edits) {
  return std::any_of(edits.begin(), edits.end(),
                     [](const text::Edit& edit) { return edit.begin < edit.end; });
}

text::Edit from_line_start(const text::Edit& edit, std::string_view before) {
  const std::string_view removed = before.substr(edit.begin, edit.end - edit.begin);
  const bool one_sided = removed.empty() != edit.replacement.empty();
  if (!one_sided || !(has_line_end(removed) || has_line_end(edit.replacement))) return edit;
  text::Edit moved = edit;
  while (moved.begin > 0 && before[moved.begin - 1] != '\n') {
    const char last = moved.replacement.empty() ? before[moved.end - 1] : moved.replacement.back();
    if (before[moved.begin - 1] != last) return edit;
    if (!moved.replacement.empty())
      std::rotate(moved.replacement.begin(), moved.replacement.end() - 1, moved.replacement.end());
    --moved.begin;
    --moved.end;
  }
  return edit.begin - moved.begin < kChance ? edit : moved;
}

std::vector<text::Edit> around_common_text(const text::Edit& edit, std::string_view removed) {
  std::vector<text::Edit> edits;
  add(edits, edit.begin, removed, edit.replacement);
  return text::sequential(std::move(edits));
}

std::vector<text::Edit> changes_between(std::string_view before, std::string_view after) {
  const text::Edit whole = text::minimise({0, before.size(), std::string(after)}, before);
  if (whole.begin == whole.end || whole.replacement.empty())
    return {from_line_start(whole, before)};
  std::vector<text::Edit> edits;
  const std::vector<text::Edit> found = joined_where_unlike(text::diff(before, after), before);
  std::size_t low = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t high = i + 1 == found.size() ? before.size() : found[i + 1].begin;
    low = add_refined(edits, found[i], before, low, high);
  }
  // A line may end as another one that somebody pasted into it: where lines have much more to
  // explain than bytes, they were put together wrongly.
  constexpr std::size_t kMuchMore = 2;
  std::vector<text::Edit> by_bytes;
  add(by_bytes, whole.begin, before.substr(whole.begin, whole.end - whole.begin),
      whole.replacement);
  if (kMuchMore * changed_bytes(by_bytes) < changed_bytes(edits)) edits = std::move(by_bytes);
  const std::size_t in_one_piece = (whole.end - whole.begin) + whole.replacement.size();
  if (changed_bytes(edits) >= in_one_piece) return {whole};
  return text::sequential(std::move(edits));
}

bool share_bytes(std::string_view removed, std::string_view inserted, std::size_t size) {
  if (removed.size() < size || inserted.size() < size) return false;
  return longest_common_block(removed, inserted).size >= size;
}

Explanations explain(std::string_view before, std::string_view after, const text::Edit& ours,
                     Told told, Claim claim) {
  Explanations explanations;
  explanations.by_others = changes_between(before, after);
  std::string landed(before);
  landed.replace(ours.begin, ours.end - ours.begin, ours.replacement);
  std::vector<text::Edit> rest =
      moved_off(changes_between(landed, after), ours.begin, ours.replacement.size(), landed);
  if (auto around = around_ours(before, after, ours)) {
    *around = text::sequential(std::move(*around));
    if (changed_bytes(*around) <= changed_bytes(rest)) rest = std::move(*around);
  }
  const bool is_claimed = claim == Claim::Applied;
  const std::size_t gone = is_claimed && told == Told::WholeText ? ours.replacement.size() / 2 : 0;
  const bool is_new = ours.replacement.size() >= kSurelyOurs &&
                      before.find(ours.replacement) == std::string_view::npos;
  // Where nothing need have gone, a few bytes that were typed may have made just our text of what
  // stood around them.
  const bool takes_more = deletes(rest) && !deletes(explanations.by_others);
  const bool is_there = is_claimed && (told == Told::WholeText || is_new) &&
                        leave(rest, ours.begin, ours.replacement.size());
  const std::size_t weight = told == Told::Lines && !is_claimed ? 2 : 1;
  const std::size_t others = changed_bytes(explanations.by_others);
  const bool is_better = weight * changed_bytes(rest) < others + gone;
  explanations.is_by_claim = changed_bytes(rest) >= others && !(is_there && is_new);
  explanations.may_be_typed = !is_better && told == Told::Lines && takes_more;
  if (is_better || is_there) explanations.after_our_edit = std::move(rest);
  return explanations;
}

}  // namespace agent_doc::sync
