// The part of SyncEngine that takes in what the client tells: texts and changes, and among them the edit that is in flight.

#include "server/sync/sync_engine.hpp"

#include "server/text/diff.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

namespace sync_incoming_internal {

bool has_line_end(std::string_view bytes) {
  return bytes.find_first_of("\r\n") != std::string_view::npos;
}

bool is_before(text::Position a, text::Position b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/// `edit` as a replacement of whole lines, because a diff compares lines; of those that `other` touches too.
text::Edit whole_lines(text::Edit edit, const text::Edit& other, const text::TextBuffer& text) {
  const std::size_t behind = text.line_of(std::max(edit.end, other.end)) + 1;
  const std::size_t begin = text.line_start(text.line_of(std::min(edit.begin, other.begin)));
  const std::size_t end = behind == text.line_count() ? text.size() : text.line_start(behind);
  edit.replacement.insert(0, text.text(), begin, edit.begin - begin);
  edit.replacement.append(text.text(), edit.end, end - edit.end);
  return {begin, end, std::move(edit.replacement)};
}

/// Where `edit` of `text`, if it only inserts, may begin as well, as the same change.
std::size_t leftmost(const text::Edit& edit, std::string_view text) {
  std::size_t moved = 0;
  const std::string_view inserted = edit.replacement;
  if (edit.begin != edit.end) return edit.begin;
  while (moved < edit.begin && moved < inserted.size() && text[edit.begin - moved - 1] == inserted[inserted.size() - moved - 1]) ++moved;
  return edit.begin - moved;
}

/// `edit` as a replacement of what lies between it and `other`, too, if that is no more than `other` inserts: what was typed behind it may end as the text
/// before it does, and then that is told as if it had stayed.
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

/// So many bytes that are no white space `edits`, one after the other, take from `text`, which stands at `begin`.
std::size_t words_taken(const std::vector<text::Edit>& edits, std::size_t begin, std::string_view text) {
  std::size_t at = begin;
  std::size_t taken = 0;
  std::string left(text);
  for (const text::Edit& edit : edits) {
    const std::size_t first = std::clamp(edit.begin, at, at + left.size()) - at;
    const std::size_t last = std::clamp(edit.end, at, at + left.size()) - at;
    for (std::size_t i = first; i < last; ++i) taken += left[i] == ' ' || left[i] == '\t' || left[i] == '\r' || left[i] == '\n' ? 0 : 1;
    left.erase(first, last - first);
    at = text::map_offset(at, text::Bias::Left, edit);
  }
  return taken;
}

/// The length of the longest piece of the `length` bytes at `begin` that `edits`, one after the other, leave in one piece.
std::size_t longest_piece_left(const std::vector<text::Edit>& edits, std::size_t begin, std::size_t length) {
  std::vector<std::pair<std::size_t, std::size_t>> pieces = {{begin, begin + length}};
  for (const text::Edit& edit : edits) {
    std::vector<std::pair<std::size_t, std::size_t>> left;
    const auto behind = [&](std::size_t place) { return place - edit.end + edit.begin + edit.replacement.size(); };
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

/// Whether what `edits`, one after the other, leave of `text`, which stands at `begin`, proves that it is that text. That an edit was made and some
/// of it deleted again before anything was told is hardly ever so; nor does anybody type at many places of it. What somebody pastes may be a bit like it.
bool leave_proof(const std::vector<text::Edit>& edits, std::size_t begin, std::string_view text) {
  const std::size_t taken = words_taken(edits, begin, text);
  const std::size_t left = text.size() - taken;
  std::size_t inserted = 0;
  for (const text::Edit& edit : edits) inserted += edit.replacement.size();
  if (taken + inserted == 0) return true;
  if (taken > 0 && (4 * taken > text.size() || left < std::max(kConvincingBytes, 2 * inserted))) return false;
  const std::size_t longest = longest_piece_left(edits, begin, text.size());
  return text.empty() || longest >= kConvincingBytes || 2 * longest > text.size();
}

}  // namespace sync_incoming_internal

void SyncEngine::did_open(Version version, std::string text) {
  const bool again = state_ != State::NeverOpened;
  state_ = State::Open;
  version_ = version;
  blocked_ = false;
  refusals_at_version_ = 0;
  if (!again) {
    shadow_ = text::TextBuffer(std::move(text));
    return;
  }
  // Whether the edit in flight reached the client is shown by the text that it brings now.
  remember_text();
  apply_as_diff(0, shadow_.size(), text, Told::WholeText);
  settle_literal_landing();
  const RegionsThen* then = recent_.find_saved(shadow_.text());
  if (then == nullptr) then = recent_.find(shadow_.text());
  if (then != nullptr && flight_ && flight_->guessed && !had_echo_) {  // that text was without it
    flight_->echo = flight_->guessed = false;
    flight_->marks_if_echo.clear();
  }
  return_to(then);
  // A guess waits for its answer over the opening.
  const bool is_decided = flight_ && flight_->echo && (!flight_->guessed || flight_->answer);
  if (is_decided) {
    land();
  } else if (flight_ && flight_->answer) {
    drop_flight();
  } else if (flight_) {
    // It reaches the client after the opening. Versions count anew there, so that of the edit protects nothing.
    flight_->base_version = 0;
    flight_->seen = true;
  }
  judge_regions();
  did_save();  // what is opened is what the file holds
}

void SyncEngine::did_change(Version version, const std::vector<ContentChange>& changes) {
  if (state_ != State::Open) return;
  if (version < version_) {
    lose_shadow();
    return;
  }
  remember_text();
  for (const ContentChange& change : changes) {
    is_told_by_result_ = is_told_by_result_ || !std::holds_alternative<ReplaceRange>(change);
    if (const auto* all = std::get_if<ReplaceAll>(&change)) {
      apply_as_diff(0, shadow_.size(), all->text, Told::WholeText);
      continue;
    }
    std::optional<text::Edit> edit = to_edit(change);
    if (!edit) {
      lose_shadow();
      return;
    }
    const bool is_found = std::holds_alternative<text::Edit>(change);
    apply_ranged(std::move(*edit), part_of(changes), is_found ? Origin::FoundByDiff : Origin::Told);
  }
  settle_literal_landing();
  if (is_told_by_result_ || changes.size() > 1) return_to(recent_.find(shadow_.text()));
  version_ = version;
  blocked_ = false;
  refusals_at_version_ = 0;
  if (flight_ && version > flight_->base_version) flight_->seen = true;
  if (flight_ && flight_->answer == Answer::Applied) ++flight_->changes_since_applied;
  decide();
}

/// A client that tells our edit for itself did not tell it together with others.
SyncEngine::Part SyncEngine::part_of(const std::vector<ContentChange>& changes) const {
  if (changes.size() == 1) return Part::All;
  const auto is_ours = [this](const ContentChange& change) {
    const auto* ranged = std::get_if<ReplaceRange>(&change);
    return ranged != nullptr && may_hold_echo() && !ranged->text.empty() && ranged->text == flight_->edit.replacement;
  };
  return std::any_of(changes.begin(), changes.end(), is_ours) ? Part::BesideOurs : Part::OneOfSeveral;
}

std::optional<text::Edit> SyncEngine::to_edit(const ContentChange& change) const {
  if (const auto* bytes = std::get_if<text::Edit>(&change)) {
    if (bytes->begin > bytes->end || bytes->end > shadow_.size()) return std::nullopt;
    return *bytes;
  }
  const auto& ranged = std::get<ReplaceRange>(change);
  // The line behind the last one is how many clients name the end of the text.
  if (ranged.range.end.line > shadow_.line_count() || sync_incoming_internal::is_before(ranged.range.end, ranged.range.start))
    return std::nullopt;
  return text::Edit{shadow_.offset_of(ranged.range.start, encoding_), shadow_.offset_of(ranged.range.end, encoding_), ranged.text};
}

void SyncEngine::apply_ranged(text::Edit edit, Part part, Origin origin) {
  if (may_hold_echo()) {
    text::Edit ours = ours_now();
    std::string_view line_end = other_line_ends(edit, ours, part);
    // A client that checks no versions may put it where it was sent. A diff may tell half a line end there.
    if (line_end.empty() && origin == Origin::Told) line_end = other_line_ends(edit, literal_edit(), part);
    if (!line_end.empty()) {
      adopt_line_ends(line_end);
      ours = ours_now();
    }
    if (may_hold_more_than_ours(edit, ours, part)) {
      const text::Edit lines = sync_incoming_internal::whole_lines(edit, ours, shadow_);
      is_told_by_result_ = true;
      if (apply_as_ours_and_more(lines.begin, lines.end, lines.replacement, Told::Lines, one_sided(edit, origin))) return;
    }
  }
  edit = minimised(std::move(edit));
  const std::string_view removed = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  // A person who types over a selection hardly ever types as much of it again.
  constexpr std::size_t kTypedAgain = 4;
  const bool may_be_several = (sync_incoming_internal::has_line_end(removed) && sync_incoming_internal::has_line_end(edit.replacement)) ||
                              share_bytes(removed, edit.replacement, merges_changes_ ? kTypedAgain : kConvincingBytes);
  if (!may_be_several && origin == Origin::FoundByDiff) {
    for (const text::Edit& part_of_it : around_common_text(edit, removed)) apply_foreign(from_line_start(part_of_it, shadow_.text()));
    return;
  }
  if (!may_be_several) {
    apply_foreign(from_line_start(edit, shadow_.text()));
    return;
  }
  is_told_by_result_ = true;
  const text::Edit lines = sync_incoming_internal::whole_lines(edit, edit, shadow_);
  apply_as_diff(lines.begin, lines.end, lines.replacement, Told::Lines);
}

text::Edit SyncEngine::minimised(text::Edit edit) const {
  const std::string_view removed = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  return text::minimise(std::move(edit), removed);
}

/// `edit` as it was told, if it only inserts or only deletes: then a diff, which knows no place among equal bytes, has nothing to add.
std::optional<text::Edit> SyncEngine::one_sided(const text::Edit& edit, Origin origin) const {
  text::Edit told = minimised(edit);
  const bool inserts_or_deletes = told.replacement.empty() || told.begin == told.end;
  if (origin != Origin::Told || !inserts_or_deletes) return std::nullopt;
  return from_line_start(told, shadow_.text());
}

/// Whether `edit` may be ours together with other changes, told as one replacement of all between them: Emacs, coc.nvim and others do so after a
/// pause. Where a client tells several changes, a part of ours does not hold it. A few bytes prove something only if the client says that it applied
/// them; where they are not convincing, all of them must be there, in one piece or torn in two by what was typed inside.
bool SyncEngine::may_hold_more_than_ours(const text::Edit& edit, const text::Edit& ours, Part part) const {
  if (part == Part::BesideOurs) return false;
  const std::size_t size = ours.replacement.size();
  const std::string& text = shadow_.text();
  // It reaches from one change to the other, but for what is equal at their ends.
  const std::string_view around = text;
  const std::size_t right = text::common_prefix(ours.replacement, around.substr(ours.end));
  const std::size_t left = text::common_suffix(ours.replacement, around.substr(0, ours.begin));
  const text::Edit wider = sync_incoming_internal::widened(edit, ours, text);
  const bool holds_all = is_convincing(*flight_) && wider.replacement.find(ours.replacement) != std::string::npos;
  const bool reaches = sync_incoming_internal::leftmost(edit, around) <= ours.begin + right && edit.end + left >= ours.end;
  if (!reaches && !holds_all) return false;
  if (same_change(edit, ours, text) || same_change(edit, literal_edit(), text)) return false;
  if (std::any_of(given_up_.begin(), given_up_.end(), [&](const GivenUp& one) { return late_length(edit, one).has_value(); })) return false;
  constexpr std::size_t kMoreThanChance = 4;
  if (size < kMoreThanChance && flight_->answer != Answer::Applied) return false;
  if (part == Part::OneOfSeveral) return size > 0 && edit.replacement.find(ours.replacement) != std::string::npos;
  if (size == 0) {
    const std::size_t begin = std::max(edit.begin, ours.begin);
    const std::size_t end = std::min(edit.end, ours.end);
    return end > begin && 2 * (end - begin) >= ours.end - ours.begin;
  }
  if (holds_all || (is_convincing(*flight_) && 2 * edit.replacement.size() >= size)) return true;
  const bool is_torn =
      edit.replacement.size() > size &&
      text::common_prefix(edit.replacement, ours.replacement) + text::common_suffix(edit.replacement, ours.replacement) >= size;
  // A line end at an end of it may be told as one that was there before.
  std::string_view core = ours.replacement;
  core.remove_prefix(std::min(core.find_first_not_of("\r\n"), core.size()));
  core = core.substr(0, core.find_last_not_of("\r\n") + 1);
  return is_torn || edit.replacement.find(core.empty() ? ours.replacement : core) != std::string::npos;
}

/// The bytes [begin, end) of the shadow are now `after`. What changed in them is found by a diff, so that anchors survive a formatter or a reload.
void SyncEngine::apply_as_diff(std::size_t begin, std::size_t end, std::string_view after, Told told) {
  if (apply_as_ours_and_more(begin, end, after, told)) return;
  for (text::Edit& edit : changes_between(std::string_view(shadow_.text()).substr(begin, end - begin), after)) {
    edit.begin += begin;
    edit.end += begin;
    apply_foreign(edit);
  }
}

/// The same if the edit in flight explains it better than that somebody else did all of it; else does nothing and returns false.
/// `by_others`: the change, if others made it and the client told just that.
bool SyncEngine::apply_as_ours_and_more(std::size_t begin, std::size_t end, std::string_view after, Told told,
                                        const std::optional<text::Edit>& by_others) {
  if (!may_hold_echo()) return false;
  const text::Edit ours = ours_now();
  if (ours.begin < begin || ours.end > end) return false;
  const std::string_view before = std::string_view(shadow_.text()).substr(begin, end - begin);
  Explanations explanations = explain(before, after, {ours.begin - begin, ours.end - begin, ours.replacement}, told, claim());
  if (!explanations.after_our_edit) return false;
  const bool is_sure = told == Told::WholeText || merges_changes_;
  if (!is_sure && !sync_incoming_internal::leave_proof(*explanations.after_our_edit, ours.begin - begin, ours.replacement)) return false;
  merges_if_ours_ = told == Told::Lines && !explanations.after_our_edit->empty();
  std::vector<RegionMarks> marks = marks_after_echo_and(ours, *explanations.after_our_edit, begin);
  flight_->is_proven = is_convincing(*flight_) &&
                       sync_incoming_internal::leave_proof(*explanations.after_our_edit, ours.begin - begin, ours.replacement);
  for (text::Edit& edit : explanations.by_others) {
    edit.begin += begin;
    edit.end += begin;
  }
  if (by_others) explanations.by_others = {*by_others};
  for (const text::Edit& edit : explanations.by_others) move_everything(edit);
  flight_->guessed = !flight_->echo;
  flight_->echo = true;
  flight_->marks_if_echo = std::move(marks);
  return true;
}

/// `edits` came after `ours`, which is the flight's; their offsets count from `offset`.
std::vector<RegionMarks> SyncEngine::marks_after_echo_and(const text::Edit& ours, const std::vector<text::Edit>& edits,
                                                          std::size_t offset) const {
  std::vector<RegionMarks> result = marks_after_landing(marks_, ours);
  std::string text = shadow_.text();
  const auto make = [&text](const text::Edit& edit) { text.replace(edit.begin, edit.end - edit.begin, edit.replacement); };
  make(ours);
  for (text::Edit edit : edits) {
    edit.begin += offset;
    edit.end += offset;
    for (RegionMarks& marks : result) map_foreign_change(marks, edit, text);
    make(edit);
  }
  return result;
}

/// One change that the client made, minimised.
void SyncEngine::apply_foreign(const text::Edit& edit) {
  if (edit.is_no_op()) return;
  const std::optional<LateLanding> late = take_late_landing(edit);
  const bool may_land = flight_ && !flight_->echo && !flight_->literal_landing;
  std::optional<LiteralLanding> literal;
  if (may_land) literal = literal_landing(edit);
  move_everything(edit);
  if (literal) flight_->literal_landing = std::move(literal);
  if (late) own_as_stale(late->region, late->begin, late->length);
}

/// An edit that was given up and that `edit` makes after all, where it was sent to: by now the same is written a second time. It may be the second one itself.
std::optional<LateLanding> SyncEngine::take_late_landing(const text::Edit& edit) {
  if (flight_ && !flight_->echo && same_change(edit, literal_edit(), shadow_.text())) return std::nullopt;
  for (auto given_up = given_up_.begin(); given_up != given_up_.end(); ++given_up) {
    const std::optional<std::size_t> length = late_length(edit, *given_up);
    if (!length) continue;
    const LateLanding late{given_up->region, shadow_.offset_of(given_up->literal.start, encoding_), *length};
    given_up_.erase(given_up);
    return late;
  }
  return std::nullopt;
}

/// How much `edit` inserts if it is what was given up, perhaps with other line ends; else nothing.
std::optional<std::size_t> SyncEngine::late_length(const text::Edit& edit, const GivenUp& given_up) const {
  const std::size_t at = shadow_.offset_of(given_up.literal.start, encoding_);
  if (same_change(edit, {at, at, given_up.text}, shadow_.text())) return given_up.text.size();
  const std::string_view line_end = text::only_line_end(edit.replacement);
  if (line_end.empty() || line_end == text::only_line_end(given_up.text)) return std::nullopt;
  const text::Edit converted{at, at, text::with_line_ends(given_up.text, line_end)};
  if (!same_change(edit, converted, shadow_.text())) return std::nullopt;
  return converted.replacement.size();
}

void SyncEngine::own_as_stale(RegionId region, std::size_t begin, std::size_t length) {
  const std::size_t index = index_of(region);
  if (index == regions_.size()) return;
  const OwnedSpan span{begin, length, 0, true};
  add_owned(marks_[index].owned, span);
  if (flight_ && flight_->echo) add_owned(flight_->marks_if_echo[index].owned, span);
  if (flight_ && flight_->literal_landing) add_owned(flight_->literal_landing->marks[index].owned, span);
}

/// The changes of one notification are over.
void SyncEngine::settle_literal_landing() {
  if (!flight_ || !flight_->literal_landing) return;
  LiteralLanding literal = std::move(*flight_->literal_landing);
  flight_->literal_landing.reset();
  if (flight_->echo) return;
  flight_->echo = true;
  flight_->misplaced = literal.misplaced;
  flight_->marks_if_echo = std::move(literal.marks);
  flight_->at_literal = true;
}

void SyncEngine::move_everything(const text::Edit& edit) {
  const std::string& text = shadow_.text();
  for (RegionMarks& marks : marks_) map_foreign_change(marks, edit, text);
  if (flight_ && flight_->echo) {
    for (RegionMarks& marks : flight_->marks_if_echo) map_foreign_change(marks, edit, text);
  }
  if (flight_ && flight_->literal_landing) {
    for (RegionMarks& marks : flight_->literal_landing->marks) map_foreign_change(marks, edit, text);
  }
  for (std::size_t& place : anchors_) place = text::map_offset(place, text::Bias::Left, edit);
  if (flight_) {
    flight_->begin_behind = text::map_offset(flight_->begin_behind, text::Bias::Right, edit);
    flight_->begin_now = text::map_offset(flight_->begin_now, text::Bias::Left, edit);
    flight_->end_now = std::max(flight_->begin_now, text::map_offset(flight_->end_now, text::Bias::Left, edit));
  }
  const std::string removed = text.substr(edit.begin, edit.end - edit.begin);
  recent_.changed(edit, removed);
  shadow_.apply(edit);
  if (flight_) look_for_place();
  if (flight_ && !flight_->echo) look_for_echo(edit, removed);
}

/// Whether the block that the flight belongs to went as a whole, to come back maybe: what is inserted where it was is not in it.
bool SyncEngine::has_lost_place() const {
  if (!flight_ || flight_->kind == FlightKind::Proposal || flight_->kind == FlightKind::Frame) return false;
  const RegionMarks& marks = marks_[flight_->region];
  return marks.heading_deleted && marks.lost && marks.lost->is_whole;
}

/// When the block is there again, the edit's place is where it was in it.
void SyncEngine::look_for_place() {
  const bool was_lost = std::exchange(flight_->place_lost, has_lost_place());
  if (!was_lost || flight_->place_lost) return;
  const std::size_t heading = marks_[flight_->region].heading_begin;
  const std::size_t heading_then = flight_->marks_at_base[flight_->region].heading_begin;
  if (flight_->edit.begin < heading_then) return;
  flight_->begin_now = flight_->begin_behind = std::min(heading + (flight_->edit.begin - heading_then), shadow_.size());
  flight_->end_now = flight_->begin_now + (flight_->edit.end - flight_->edit.begin);
}

Claim SyncEngine::claim() const {
  return flight_->answer == Answer::Applied ? Claim::Applied : Claim::Nothing;
}

/// Whether the text has just become what the flight makes of its base. Only in the first notification after the base can it: a client that checks
/// versions applies an edit to exactly its base version or not at all.
void SyncEngine::look_for_echo(const text::Edit& edit, std::string_view removed) {
  flight_->since_base.compose(edit, removed);
  if (flight_->seen) return;
  flight_->echo = same_result(flight_->since_base, flight_->delta, shadow_.text());
#ifndef NDEBUG
  assert(flight_->echo == (shadow_.text() == flight_->expected));
#endif
  if (flight_->echo) flight_->marks_if_echo = marks_after_landing(flight_->marks_at_base, flight_->edit);
}

/// Returns what `edit` makes of the marks if it puts the flight's text where it belongs now (for a reply also behind what was typed exactly there), or at the very
/// position that was sent, whatever the text has become: a client that does not check versions does that. At another place than meant, in a client
/// that should have checked, the amount must prove that it is not the person's typing.
std::optional<LiteralLanding> SyncEngine::literal_landing(const text::Edit& edit) const {
  const Flight& flight = *flight_;
  if (flight.kind == FlightKind::Clean || flight.kind == FlightKind::Retract) return std::nullopt;
  std::vector<text::Edit> places = {ours_now()};
  if (flight.kind != FlightKind::Frame && flight.edit.begin == flight.edit.end) {
    places.push_back({flight.begin_behind, flight.begin_behind, flight.edit.replacement});
  }
  const text::Edit literal = literal_edit();
  if (flight.kind == FlightKind::Proposal || flight.kind == FlightKind::LineEnds) places.push_back(literal);
  for (const text::Edit& place : places) {
    if (has_lost_place()) break;
    if (same_change(edit, place, shadow_.text())) return LiteralLanding{false, marks_after_landing(marks_, place)};
  }
  const bool is_expected = flight.base_version == 0 || ignores_versions_;
  if (!same_change(edit, literal, shadow_.text()) || (!is_expected && !is_convincing(flight))) return std::nullopt;
  std::vector<RegionMarks> marks = marks_;
  for (RegionMarks& of_region : marks) map_own_edit(of_region, literal);
  add_owned(marks[flight.region].owned, OwnedSpan{literal.begin, literal.replacement.size(), 0, true});
  return LiteralLanding{true, std::move(marks)};
}

text::Edit SyncEngine::literal_edit() const {
  return {shadow_.offset_of(flight_->literal.start, encoding_), shadow_.offset_of(flight_->literal.end, encoding_),
          flight_->edit.replacement};
}

bool SyncEngine::is_convincing(const Flight& flight) {
  return flight.edit.replacement.size() >= kConvincingBytes;
}

RegionsThen SyncEngine::regions_now() const {
  RegionsThen now;
  now.reserve(regions_.size());
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    now.push_back({regions_[i].id, marks_[i], std::nullopt, regions_[i].landed});
    if (flight_ && flight_->echo) now.back().marks_if_echo = flight_->marks_if_echo[i];
  }
  return now;
}

/// Before a notification changes it. A reply that lost its place, or is complete, may come back instead of a later one.
void SyncEngine::remember_text() {
  is_told_by_result_ = false;
  had_echo_ = flight_ && flight_->echo;
  if (!regions_.empty()) recent_.remember(regions_now(), shadow_.size());
}

void SyncEngine::did_save() {
  if (state_ == State::Open && !regions_.empty()) recent_.saved(shadow_.text(), regions_now());
}

/// The text is exactly what it was once: then everything stands where it stood. Not when our edit made it so.
void SyncEngine::return_to(const RegionsThen* then) {
  const bool is_ours = flight_ && flight_->echo && !flight_->guessed && !had_echo_;
  if (then == nullptr || is_ours) return;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (region.state == RegionState::Settled || region.given_up) continue;
    const auto known = std::find_if(then->begin(), then->end(), [&](const RegionThen& r) { return r.id == region.id; });
    const RegionThen* known_then = known == then->end() ? nullptr : &*known;
    marks_[i] = as_then(known_then, marks_[i], region.landed);
    if (!flight_ || !flight_->echo) continue;
    const bool is_of_flight = flight_->kind != FlightKind::Proposal && flight_->region == i;
    const std::size_t carried = is_of_flight ? flight_->reply_valid : 0;
    std::optional<RegionThen> with_echo;
    if (known_then != nullptr && known_then->marks_if_echo)
      with_echo = RegionThen{region.id, *known_then->marks_if_echo, std::nullopt, known_then->landed + carried};
    flight_->marks_if_echo[i] = as_then(with_echo ? &*with_echo : known_then, flight_->marks_if_echo[i], region.landed + carried);
  }
  if (flight_) look_for_place();
}

void SyncEngine::did_close() {
  echo_is_overdue();  // all that was to be told has been told
  if (state_ == State::Open || state_ == State::Lost) state_ = State::Closed;
}

void SyncEngine::lose_shadow() {
  state_ = State::Lost;
  notices_.push_back({NoticeKind::ShadowLost, std::nullopt});
}

}  // namespace agent_doc::sync
