// The part of SyncEngine that looks for the edit in flight in changes that were told together with
// it, or that others made much like it.

#include "server/sync/sync_engine.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

/// So much of our text in one piece proves it where the client says that it made the edit.
constexpr std::size_t kClaimedBytes = 8;

/// `text` without the white space at its ends: a line end there may be told as one that was there
/// before, and white space may have been trimmed, or blank lines tidied, before anything was told.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kWhite), text.size()));
  return text.substr(0, text.find_last_not_of(kWhite) + 1);
}

/// Where `edit` of `text`, if it only inserts, may begin as well, as the same change.
std::size_t leftmost(const text::Edit& edit, std::string_view text) {
  std::size_t moved = 0;
  const std::string_view inserted = edit.replacement;
  if (edit.begin != edit.end) return edit.begin;
  while (moved < edit.begin && moved < inserted.size() &&
         text[edit.begin - moved - 1] == inserted[inserted.size() - moved - 1])
    ++moved;
  return edit.begin - moved;
}

/// So much further right `edit` may end as well: an insertion among equal bytes is the same change
/// at each of them.
std::size_t same_to_the_right(const text::Edit& edit, std::string_view text) {
  constexpr std::size_t kFarthest = 512;
  const std::string_view inserted = edit.replacement;
  const std::string_view behind = text.substr(edit.end, kFarthest);
  if (edit.begin != edit.end) return text::common_prefix(inserted, behind);
  std::size_t moved = 0;
  while (moved < behind.size() && !inserted.empty() &&
         behind[moved] == inserted[moved % inserted.size()])
    ++moved;
  return moved;
}

/// `edit` as a replacement of what lies between it and `other`, too, if that is no more than
/// `other` inserts: what was typed behind it may end as the text before it does, and then that is
/// told as if it had stayed.
text::Edit widened(const text::Edit& edit, const text::Edit& other, std::string_view text) {
  const std::size_t begin = std::min(edit.begin, other.begin);
  const std::size_t end = std::max(edit.end, other.end);
  const std::size_t size = other.replacement.size();
  if (edit.begin - begin > size || end - edit.end > size) return edit;
  text::Edit wider{begin, end, std::string(text.substr(begin, edit.begin - begin))};
  wider.replacement += edit.replacement;
  wider.replacement += text.substr(edit.end, end - edit.end);
  return wider;
}

/// Whether `words` stand in what `edit` makes of `text`, not all of them before it or behind it:
/// what was there may begin as they do, or end so, where what stood behind them is gone.
bool holds(const text::Edit& edit, std::string_view words, std::string_view text) {
  if (words.empty()) return true;
  const std::size_t left = std::min(edit.begin, words.size() - 1);
  std::string made(text.substr(edit.begin - left, left));
  made += edit.replacement;
  made += text.substr(edit.end, words.size() - 1);
  return made.find(words) != std::string::npos;
}

/// Whether `part` is `whole` without some of its bytes.
bool is_rest_of(std::string_view part, std::string_view whole) {
  for (const char byte : whole) {
    if (!part.empty() && part.front() == byte) part.remove_prefix(1);
  }
  return part.empty();
}

/// Whether `edits` of `text`, to be made one after the other, take out more than white space.
bool take_words(const std::vector<text::Edit>& edits, std::string text) {
  for (const text::Edit& edit : edits) {
    if (!trimmed(std::string_view(text).substr(edit.begin, edit.end - edit.begin)).empty())
      return true;
    text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
  return false;
}

/// So many bytes that are no white space `edits`, one after the other, take from `text`, which
/// stands at `begin`.
std::size_t words_taken(const std::vector<text::Edit>& edits, std::size_t begin,
                        std::string_view text) {
  std::size_t at = begin;
  std::size_t taken = 0;
  std::string left(text);
  for (const text::Edit& edit : edits) {
    const std::size_t first = std::clamp(edit.begin, at, at + left.size()) - at;
    const std::size_t last = std::clamp(edit.end, at, at + left.size()) - at;
    for (std::size_t i = first; i < last; ++i)
      taken += left[i] == ' ' || left[i] == '\t' || left[i] == '\r' || left[i] == '\n' ? 0 : 1;
    left.erase(first, last - first);
    at = text::map_offset(at, text::Bias::Right, edit);
  }
  return taken;
}

/// The length of the longest piece of the `length` bytes at `begin` that `edits`, one after the
/// other, leave in one piece.
std::size_t longest_piece_left(const std::vector<text::Edit>& edits, std::size_t begin,
                               std::size_t length) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces = {{begin, begin + length}};
  for (const text::Edit& edit : edits) {
    std::vector<std::pair<std::size_t, std::size_t>> left;
    const auto behind = [&](std::size_t place) {
      return place - edit.end + edit.begin + edit.replacement.size();
    };
    for (const auto& [first, last] : pieces) {
      if (edit.begin > first) left.emplace_back(first, std::min(last, edit.begin));
      if (edit.end < last) left.emplace_back(behind(std::max(first, edit.end)), behind(last));
    }
    pieces = std::move(left);
  }
  std::size_t longest = 0;
  for (const auto& [first, last] : pieces) longest = std::max(longest, last - first);
  return longest;
}

/// Whether what `edits`, one after the other, leave of `text`, which stands at `begin`, proves that
/// it is that text. That an edit was made and some of it deleted again before anything was told is
/// hardly ever so; nor does anybody type at many places of it. What somebody pastes may be a bit
/// like it.
bool leave_proof(const std::vector<text::Edit>& edits, std::size_t begin, std::string_view text) {
  const std::size_t taken = words_taken(edits, begin, text);
  const std::size_t left = text.size() - taken;
  std::size_t inserted = 0;
  for (const text::Edit& edit : edits) inserted += edit.replacement.size();
  if (taken + inserted == 0) return true;
  if (taken > 0 && (4 * taken > text.size() || left < std::max(kConvincingBytes, 2 * inserted)))
    return false;
  const std::size_t longest = longest_piece_left(edits, begin, text.size());
  const bool is_nearly_all = left >= kConvincingBytes && 4 * (taken + inserted) <= text.size();
  return text.empty() || longest >= kConvincingBytes || 2 * longest > text.size() || is_nearly_all;
}

}  // namespace

/// Whether `edit` may be ours together with other changes, told as one replacement of all between
/// them: Emacs, coc.nvim and others do so after a pause. Where a client tells several changes, a
/// part of ours does not hold it. A few bytes prove something only if the client says that it
/// applied them; where they are not convincing, all of them must be there, in one piece or torn in
/// two by what was typed inside.
bool SyncEngine::may_hold_more_than_ours(const text::Edit& edit, const text::Edit& ours,
                                         Part part) const {
  if (part == Part::BesideOurs || has_lost_place()) return false;
  const std::size_t size = ours.replacement.size();
  const std::string& text = shadow_.text();
  // It reaches from one change to the other, but for what is equal at their ends.
  const std::string_view around = text;
  const std::size_t right = same_to_the_right(ours, around);
  const std::size_t left = text::common_suffix(ours.replacement, around.substr(0, ours.begin));
  const text::Edit wider = widened(edit, ours, text);
  const std::string_view words = trimmed(ours.replacement);
  const bool is_claimed = flight_->answer == Answer::Applied;
  const std::size_t enough = is_claimed ? kClaimedBytes : kConvincingBytes;
  const bool holds_words = words.size() >= enough && holds(wider, words, text);
  const bool reaches = leftmost(edit, around) <= ours.begin + right && edit.end + left >= ours.end;
  if (!reaches && !holds_words) return false;
  if (same_change(edit, ours, text) || same_change(edit, literal_edit(), text)) return false;
  const std::vector<text::Edit> places = places_of_ours(edit);
  if (std::any_of(places.begin(), places.end(),
                  [&](const text::Edit& place) { return same_change(edit, place, text); }))
    return false;
  if (std::any_of(given_up_.begin(), given_up_.end(),
                  [&](const GivenUp& one) { return late_length(edit, one, shadow_).has_value(); }))
    return false;
  constexpr std::size_t kMoreThanChance = 4;
  if (size < kMoreThanChance && !is_claimed) return false;
  if (part == Part::OneOfSeveral)
    return size > 0 && edit.replacement.find(ours.replacement) != std::string::npos;
  if (size == 0) {
    const std::size_t begin = std::max(edit.begin, ours.begin);
    const std::size_t end = std::min(edit.end, ours.end);
    return end > begin && 2 * (end - begin) >= ours.end - ours.begin;
  }
  if (holds_words || (is_convincing(*flight_) && 2 * edit.replacement.size() >= size)) return true;
  const bool is_torn = wider.replacement.size() > size &&
                       text::common_prefix(wider.replacement, ours.replacement) +
                               text::common_suffix(wider.replacement, ours.replacement) >=
                           size;
  return is_torn ||
         wider.replacement.find(words.empty() ? ours.replacement : words) != std::string::npos;
}

/// Whether the heading of the flight, if it is a frame, is as it was sent in `after`, which stands
/// at `begin`: a frame is much like another. Where the client says that it made the edit, something
/// may have been typed into the heading since, or some of it taken out.
bool SyncEngine::keeps_heading(const std::vector<MarksThen>& marks, std::string_view after,
                               std::size_t begin) const {
  if (flight_->kind != FlightKind::Frame) return true;
  const std::string_view heading = trimmed(region_in_flight().frame.head);
  const auto is_of_flight = [this](const MarksThen& then) {
    return then.region->id == flight_->region;
  };
  const std::size_t place =
      std::find_if(marks.begin(), marks.end(), is_of_flight)->marks.heading_begin;
  if (place < begin || place - begin > after.size()) return false;
  const std::string_view there = after.substr(place - begin);
  if (there.substr(0, heading.size()) == heading) return true;
  const std::string_view line = there.substr(0, there.find_first_of("\r\n"));
  return claim() == Claim::Applied && (is_rest_of(line, heading) || is_rest_of(heading, line));
}

/// The same if the edit in flight explains it better than that somebody else did all of it; else
/// does nothing and returns false. `by_others`: the change, if others made it and the client told
/// just that.
bool SyncEngine::apply_as_ours_and_more(std::size_t begin, std::size_t end, std::string_view after,
                                        Told told, const std::optional<text::Edit>& by_others) {
  if (!may_hold_echo() || has_lost_place()) return false;
  const text::Edit ours = ours_now();
  if (ours.begin < begin || ours.end > end) return false;
  const std::string_view before = std::string_view(shadow_.text()).substr(begin, end - begin);
  Explanations explanations = explain(
      before, after, {ours.begin - begin, ours.end - begin, ours.replacement}, told, claim());
  if (!explanations.after_our_edit) return false;
  // Where just an insertion was told, of a few bytes nobody believes that they came, and that other
  // words went.
  const bool is_mere_insertion = by_others && by_others->begin == by_others->end;
  if (is_mere_insertion && !is_convincing(*flight_)) {
    std::string landed(before);
    landed.replace(ours.begin - begin, ours.end - ours.begin, ours.replacement);
    if (take_words(*explanations.after_our_edit, std::move(landed))) return false;
  }
  if (is_by_others_alone(explanations, ours, begin, told)) return false;
  const bool is_protected = flight_->base_version != 0;
  if (explanations.may_be_typed && !is_protected) return false;
  const bool is_sure = (told == Told::WholeText || merges_changes_) && !explanations.may_be_typed;
  if (!is_sure && !leave_proof(*explanations.after_our_edit, ours.begin - begin, ours.replacement))
    return false;
  merges_if_ours_ = !explanations.after_our_edit->empty();
  std::vector<MarksThen> marks = marks_after_echo_and(ours, *explanations.after_our_edit, begin);
  if (!keeps_heading(marks, after, begin)) return false;
  flight_->is_proven = is_convincing(*flight_) && leave_proof(*explanations.after_our_edit,
                                                              ours.begin - begin, ours.replacement);
  for (text::Edit& edit : explanations.by_others) {
    edit.begin += begin;
    edit.end += begin;
  }
  if (by_others) explanations.by_others = {*by_others};
  for (const text::Edit& edit : explanations.by_others) move_everything(edit);
  flight_->guessed = !flight_->echo;
  flight_->echo = true;
  // One that answers first, and was not seen to tell several changes as one, may have told a key of
  // its person only.
  const bool is_whole =
      flight_->is_proven &&
      words_taken(*explanations.after_our_edit, ours.begin - begin, ours.replacement) == 0;
  const bool may_be_a_key = claim() == Claim::Applied && is_protected && !is_whole;
  flight_->may_be_told = flight_->guessed && merges_if_ours_ &&
                         (explanations.may_be_typed || (!merges_changes_ && may_be_a_key));
  for (MarksThen& then : marks) then.region->marks_if_echo = std::move(then.marks);
  return true;
}

/// Whether a whole text is better explained by others alone: until a client was seen to tell
/// several changes as one, it tells one at a time. That it made `ours` meanwhile, too, must be
/// proven, not only said.
bool SyncEngine::is_by_others_alone(const Explanations& explanations, const text::Edit& ours,
                                    std::size_t offset, Told told) const {
  if (told != Told::WholeText || merges_changes_) return false;
  if (claim() != Claim::Applied) return false;
  const std::vector<text::Edit>& rest = *explanations.after_our_edit;
  const std::size_t begin = ours.begin - offset;
  const std::size_t size = ours.replacement.size();
  const bool is_torn = longest_piece_left(rest, begin, size) < size;
  return explanations.is_by_claim || !leave_proof(rest, begin, ours.replacement) ||
         (is_torn && !is_convincing(*flight_));
}

/// `edits` came after `ours`, which is the flight's; their offsets count from `offset`.
std::vector<SyncEngine::MarksThen> SyncEngine::marks_after_echo_and(
    const text::Edit& ours, const std::vector<text::Edit>& edits, std::size_t offset) {
  std::vector<MarksThen> result;
  result.reserve(regions_.size());
  for (GrowingRegion& region : regions_)
    result.push_back({&region, marks_after_landing(region, region.marks, ours)});
  std::string text = shadow_.text();
  const auto make = [](const text::Edit& edit, std::string& of) {
    of.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  };
  make(ours, text);
  for (text::Edit edit : edits) {
    edit.begin += offset;
    edit.end += offset;
    // What was given up may be told together with ours: then it stands there twice.
    std::optional<LateLanding> late;
    if (!given_up_.empty()) late = late_landing(edit, text::TextBuffer(text));
    if (late) {
      std::string after = text;
      make(edit, after);
      edit = {late->begin, late->begin, after.substr(late->begin, late->length)};
    }
    for (MarksThen& then : result) {
      map_foreign_change(then.marks, edit, text);
      if (late && late->region == then.region->id)
        add_owned(then.marks.owned, OwnedSpan{late->begin, late->length, 0, true});
    }
    make(edit, text);
  }
  return result;
}

Claim SyncEngine::claim() const {
  return flight_->answer == Answer::Applied ? Claim::Applied : Claim::Nothing;
}

}  // namespace agent_doc::sync
