// The part of SyncEngine that takes in what the client tells: texts and changes, and among them the
// edit that is in flight.

#include "server/sync/sync_engine.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

bool has_any_line_end(std::string_view bytes) {
  return bytes.find_first_of("\r\n") != std::string_view::npos;
}

bool is_before(text::Position a, text::Position b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/// So far equal bytes are looked at.
constexpr std::size_t kFarthestEqual = 64;

/// Where `place` is behind `edit` of `text`, and behind what that inserts if it may have been typed
/// there: a text shows the last of equal bytes as new. Of equal bytes that went, those behind it.
std::size_t behind_typed(std::size_t place, text::Edit edit, std::string_view text) {
  const std::size_t size = edit.replacement.size();
  if (size == 0 && edit.begin < place) {
    const std::size_t farthest = std::min(place - edit.begin, kFarthestEqual);
    const std::size_t slid =
        text::common_prefix(text.substr(edit.begin, farthest), text.substr(edit.end));
    edit.begin += slid;
    edit.end += slid;
  }
  if (edit.begin != edit.end || edit.begin <= place)
    return text::map_offset(place, text::Bias::Right, edit);
  const std::size_t back = edit.begin - place;
  if (back > kFarthestEqual) return place;
  const std::string made = std::string(text.substr(place, back)) + edit.replacement;
  const bool may_be_there = std::string_view(made).substr(size) == text.substr(place, back);
  return may_be_there ? place + size : place;
}

/// `edit` as a replacement of whole lines, because a diff compares lines; of those that `other`
/// touches too, and of what stands `above` both.
text::Edit whole_lines(text::Edit edit, const text::Edit& other, const text::TextBuffer& text,
                       std::size_t above = 0) {
  const std::size_t behind = text.line_of(std::max(edit.end, other.end)) + 1;
  const std::size_t first = std::min(edit.begin, other.begin);
  const std::size_t begin = text.line_start(text.line_of(first - std::min(first, above)));
  const std::size_t end = behind == text.line_count() ? text.size() : text.line_start(behind);
  edit.replacement.insert(0, text.text(), begin, edit.begin - begin);
  edit.replacement.append(text.text(), edit.end, end - edit.end);
  return {begin, end, std::move(edit.replacement)};
}

}  // namespace

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
  apply_as_diff(0, shadow_.size(), text, Told::WholeText, Part::All);
  settle_literal_landing();
  const RegionsThen* then = recent_.find_saved(shadow_.text());
  if (then == nullptr) then = recent_.find(shadow_.text());
  if (then != nullptr && flight_ && flight_->guessed && !had_echo_) {  // that text was without it
    flight_->echo = flight_->guessed = false;
  }
  return_to(then);
  // A guess waits for its answer over the opening, and so do a few bytes that came when no version
  // protected them: the person may have typed them.
  const bool is_decided =
      flight_ && flight_->echo &&
      (flight_->answer ||
       (!flight_->guessed && (flight_->base_version != 0 || is_convincing(*flight_))));
  if (is_decided) {
    land();
  } else if (flight_ && flight_->answer) {
    drop_flight();
  } else if (flight_) {
    // It reaches the client after the opening. Versions count anew there, so that of the edit
    // protects nothing.
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
      apply_as_diff(0, shadow_.size(), all->text, Told::WholeText, Part::All);
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
  decide();
}

/// A client that tells our edit for itself did not tell it together with others.
SyncEngine::Part SyncEngine::part_of(const std::vector<ContentChange>& changes) const {
  if (changes.size() == 1) return Part::All;
  const auto is_ours = [this](const ContentChange& change) {
    const auto* ranged = std::get_if<ReplaceRange>(&change);
    return ranged != nullptr && may_hold_echo() && !ranged->text.empty() &&
           ranged->text == flight_->edit.replacement;
  };
  return std::any_of(changes.begin(), changes.end(), is_ours) ? Part::BesideOurs
                                                              : Part::OneOfSeveral;
}

std::optional<text::Edit> SyncEngine::to_edit(const ContentChange& change) const {
  if (const auto* bytes = std::get_if<text::Edit>(&change)) {
    if (bytes->begin > bytes->end || bytes->end > shadow_.size()) return std::nullopt;
    return *bytes;
  }
  const auto& ranged = std::get<ReplaceRange>(change);
  // The line behind the last one is how many clients name the end of the text.
  if (ranged.range.end.line > shadow_.line_count() ||
      is_before(ranged.range.end, ranged.range.start))
    return std::nullopt;
  return text::Edit{shadow_.offset_of(ranged.range.start, encoding_),
                    shadow_.offset_of(ranged.range.end, encoding_), ranged.text};
}

void SyncEngine::apply_ranged(text::Edit edit, Part part, Origin origin) {
  if (may_hold_echo()) {
    text::Edit ours = ours_now();
    // A diff may tell half a line end.
    const bool is_half = origin == Origin::FoundByDiff && minimised(edit).replacement == "\r";
    std::string_view line_end = is_half ? std::string_view() : other_line_ends(edit, ours, part);
    // A client that checks no versions may put it where it was sent.
    if (line_end.empty() && origin == Origin::Told)
      line_end = other_line_ends(edit, literal_edit(), part);
    if (!line_end.empty()) {
      adopt_line_ends(line_end);
      ours = ours_now();
    }
    if (may_hold_more_than_ours(edit, ours, part)) {
      const text::Edit lines = whole_lines(edit, ours, shadow_, ours.replacement.size());
      if (apply_as_ours_and_more(lines.begin, lines.end, lines.replacement, Told::Lines,
                                 one_sided(edit, origin))) {
        is_told_by_result_ = true;
        return;
      }
    }
  }
  const bool is_ours =
      part == Part::BesideOurs && may_hold_echo() && edit.replacement == flight_->edit.replacement;
  edit = minimised(std::move(edit));
  const std::string_view removed =
      std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  // A person who types over a selection hardly ever types as much of it again.
  constexpr std::size_t kTypedAgain = 4;
  const bool may_be_several =
      (has_any_line_end(removed) && has_any_line_end(edit.replacement)) ||
      share_bytes(removed, edit.replacement, merges_changes_ ? kTypedAgain : kConvincingBytes);
  if (!may_be_several && origin == Origin::FoundByDiff) {
    for (const text::Edit& part_of_it : around_common_text(edit, removed))
      apply_foreign(from_line_start(part_of_it, shadow_.text()));
    return;
  }
  if (!may_be_several) {
    // Our own edit is where it was told: among equal bytes it took out ours.
    const bool is_at_place = may_be_told_yet() && places_of_ours(edit).front() == edit;
    apply_foreign(is_at_place ? edit : from_line_start(edit, shadow_.text()));
    return;
  }
  is_told_by_result_ = true;
  const text::Edit lines = whole_lines(edit, edit, shadow_);
  apply_as_diff(lines.begin, lines.end, lines.replacement, Told::Lines, is_ours ? Part::All : part);
}

text::Edit SyncEngine::minimised(text::Edit edit) const {
  const std::string_view removed =
      std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  return text::minimise(std::move(edit), removed);
}

/// `edit` as it was told, if it only inserts or only deletes: then a diff, which knows no place
/// among equal bytes, has nothing to add.
std::optional<text::Edit> SyncEngine::one_sided(const text::Edit& edit, Origin origin) const {
  text::Edit told = minimised(edit);
  const bool inserts_or_deletes = told.replacement.empty() || told.begin == told.end;
  if (origin != Origin::Told || !inserts_or_deletes) return std::nullopt;
  return from_line_start(told, shadow_.text());
}

/// The bytes [begin, end) of the shadow are now `after`. What changed in them is found by a diff,
/// so that anchors survive a formatter or a reload.
void SyncEngine::apply_as_diff(std::size_t begin, std::size_t end, std::string_view after,
                               Told told, Part part) {
  if (may_hold_echo() && !has_lost_place()) {
    // Just ours, at a place where it may be by now, is nothing else.
    const text::Edit whole = minimised({begin, end, std::string(after)});
    for (const text::Edit& place : places_of_ours(whole)) {
      if (same_change(whole, place, shadow_.text())) return apply_foreign(place);
    }
  }
  if (part != Part::BesideOurs && apply_as_ours_and_more(begin, end, after, told)) return;
  for (text::Edit& edit :
       changes_between(std::string_view(shadow_.text()).substr(begin, end - begin), after)) {
    edit.begin += begin;
    edit.end += begin;
    apply_foreign(edit);
  }
}

/// One change that the client made, minimised.
void SyncEngine::apply_foreign(const text::Edit& edit) {
  if (edit.is_no_op()) return;
  const std::optional<LateLanding> late = take_late_landing(edit);
  const bool may_land = may_be_told_yet() && !flight_->literal_landing;
  std::optional<LiteralLanding> literal;
  if (may_land) literal = literal_landing(edit);
  move_everything(edit);
  if (literal) flight_->literal_landing = std::move(literal);
  if (late) own_as_stale(late->region, late->begin, late->length);
}

void SyncEngine::move_everything(const text::Edit& edit) {
  const std::string& text = shadow_.text();
  for (GrowingRegion& region : regions_) {
    map_foreign_change(region.marks, edit, text);
    if (flight_ && flight_->echo) map_foreign_change(region.marks_if_echo, edit, text);
    if (flight_ && flight_->literal_landing)
      map_foreign_change(region.marks_if_literal, edit, text);
  }
  standing_texts_.map(edit);
  for (std::size_t& place : anchors_) place = text::map_offset(place, text::Bias::Left, edit);
  if (flight_) {
    // Who tells changes, not texts, knows which of equal bytes came.
    flight_->begin_farthest =
        is_told_by_result_ ? behind_typed(flight_->begin_farthest, edit, text)
                           : text::map_offset(flight_->begin_farthest, text::Bias::Right, edit);
    flight_->begin_behind = text::map_offset(flight_->begin_behind, text::Bias::Right, edit);
    flight_->begin_now = text::map_offset(flight_->begin_now, text::Bias::Left, edit);
    flight_->end_now =
        std::max(flight_->begin_now, text::map_offset(flight_->end_now, text::Bias::Left, edit));
  }
  const std::string removed = text.substr(edit.begin, edit.end - edit.begin);
  recent_.changed(edit, removed);
  shadow_.apply(edit);
  if (flight_) look_for_place();
  if (flight_ && !flight_->echo) look_for_echo(edit, removed);
}

RegionsThen SyncEngine::regions_now() const {
  RegionsThen now;
  now.reserve(regions_.size());
  for (const GrowingRegion& region : regions_) {
    now.push_back({region.id, region.marks, std::nullopt, region.landed});
    if (flight_ && flight_->echo) now.back().marks_if_echo = region.marks_if_echo;
  }
  return now;
}

/// Before a notification changes it. A reply that lost its place, or is complete, may come back
/// instead of a later one.
void SyncEngine::remember_text() {
  is_told_by_result_ = false;
  had_echo_ = flight_ && flight_->echo;
  if (!regions_.empty()) recent_.remember(regions_now(), shadow_.size());
}

void SyncEngine::did_save() {
  if (state_ == State::Open && !regions_.empty()) recent_.saved(shadow_.text(), regions_now());
}

/// The text is exactly what it was once: then everything stands where it stood. Not when our edit
/// made it so.
void SyncEngine::return_to(const RegionsThen* then) {
  const bool is_ours = flight_ && flight_->echo && !flight_->guessed && !had_echo_;
  if (then == nullptr || is_ours) return;
  for (GrowingRegion& region : regions_) {
    if (region.state == RegionState::Settled || region.given_up) continue;
    const auto known = std::find_if(then->begin(), then->end(),
                                    [&](const RegionThen& r) { return r.id == region.id; });
    const RegionThen* known_then = known == then->end() ? nullptr : &*known;
    // A component was in the text before a region was opened in it.
    if (known_then == nullptr && region.kind == RegionKind::ComponentBody) continue;
    region.marks = as_then(known_then, region.marks, region.landed);
    if (!flight_ || !flight_->echo) continue;
    const std::size_t carried = is_in_flight(region) ? flight_->reply_valid : 0;
    std::optional<RegionThen> with_echo;
    if (known_then != nullptr && known_then->marks_if_echo)
      with_echo = RegionThen{region.id, *known_then->marks_if_echo, std::nullopt,
                             known_then->landed + carried};
    region.marks_if_echo = as_then(with_echo ? &*with_echo : known_then, region.marks_if_echo,
                                   region.landed + carried);
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
