// The part of SyncEngine that takes in what the client tells: texts and changes, and among them the edit that is in flight.

#include "server/sync/sync_engine.hpp"

#include "server/text/diff.hpp"

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
  apply_as_diff(shadow_.text(), 0, text, Told::WholeText);
  settle_literal_landing();
  if (flight_ && flight_->echo) {
    land();
  } else if (flight_ && flight_->answer) {
    drop_flight();
  } else if (flight_) {
    // It reaches the client after the opening. Versions count anew there, so that of the edit protects nothing.
    flight_->base_version = 0;
    flight_->seen = true;
  }
  judge_regions();
}

void SyncEngine::did_change(Version version, const std::vector<ContentChange>& changes) {
  if (state_ != State::Open) return;
  if (version < version_) {
    lose_shadow();
    return;
  }
  for (const ContentChange& change : changes) {
    if (const auto* all = std::get_if<ReplaceAll>(&change)) {
      apply_as_diff(shadow_.text(), 0, all->text, Told::WholeText);
      continue;
    }
    std::optional<text::Edit> edit = to_edit(change);
    if (!edit) {
      lose_shadow();
      return;
    }
    apply_ranged(std::move(*edit));
  }
  settle_literal_landing();
  version_ = version;
  blocked_ = false;
  refusals_at_version_ = 0;
  if (flight_ && version > flight_->base_version) flight_->seen = true;
  decide();
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

void SyncEngine::apply_ranged(text::Edit edit) {
  const std::string_view before = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  const bool is_block = !before.empty() && holds_ours(edit);
  edit = text::minimise(edit, before);
  const std::string_view removed = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  const bool holds_more_than_ours = is_block && !same_change(edit, flight_->edit, shadow_.text());
  const bool may_be_several =
      holds_more_than_ours || (sync_incoming_internal::has_line_end(removed) && sync_incoming_internal::has_line_end(edit.replacement));
  if (!may_be_several) {
    apply_foreign(from_line_start(edit, shadow_.text()));
    return;
  }
  const text::Edit ours = may_hold_echo() ? flight_->edit : edit;
  const text::Edit lines = sync_incoming_internal::whole_lines(std::move(edit), ours, shadow_);
  apply_as_diff(std::string_view(shadow_.text()).substr(lines.begin, lines.end - lines.begin), lines.begin, lines.replacement, Told::Lines);
}

/// Whether `edit` replaces what stands around the place of the flight by something with all of its text in it. Emacs tells a key and an edit of ours
/// like that, as one replacement of all from the one to the other; minimised, it may be an insertion. A few bytes prove it only where the client says so.
bool SyncEngine::holds_ours(const text::Edit& edit) const {
  if (!may_hold_echo() || edit.begin > flight_->edit.begin || flight_->edit.end > edit.end) return false;
  const bool is_believed = is_convincing(*flight_) || flight_->answer == Answer::Applied;
  return is_believed && !flight_->edit.replacement.empty() && edit.replacement.find(flight_->edit.replacement) != std::string::npos;
}

/// `before` stands at `offset` of the shadow and is now `after`. What changed in it is found by a diff, so that anchors survive a formatter or a reload.
void SyncEngine::apply_as_diff(std::string_view before, std::size_t offset, std::string_view after, Told told) {
  std::vector<text::Edit> edits;
  std::optional<std::vector<RegionMarks>> marks_if_ours;
  if (may_hold_echo() && flight_->edit.begin >= offset && flight_->edit.end <= offset + before.size()) {
    const text::Edit& ours = flight_->edit;
    Explanations explanations = explain(before, after, {ours.begin - offset, ours.end - offset, ours.replacement}, told, claim(told));
    edits = std::move(explanations.by_others);
    if (explanations.after_our_edit) marks_if_ours = marks_after_echo_and(*explanations.after_our_edit, offset);
  } else {
    edits = changes_between(before, after);
  }
  for (text::Edit& edit : edits) {
    edit.begin += offset;
    edit.end += offset;
    if (marks_if_ours) {
      move_everything(edit);
    } else {
      apply_foreign(edit);
    }
  }
  if (!marks_if_ours) return;
  flight_->echo = true;
  flight_->guessed = true;
  flight_->marks_if_echo = std::move(*marks_if_ours);
}

/// `edits` came after that of the flight; their offsets count from `offset`.
std::vector<RegionMarks> SyncEngine::marks_after_echo_and(const std::vector<text::Edit>& edits, std::size_t offset) const {
  std::vector<RegionMarks> result = marks_after_landing(flight_->marks_at_base, flight_->edit);
  std::string text = shadow_.text();
  const auto make = [&text](const text::Edit& edit) { text.replace(edit.begin, edit.end - edit.begin, edit.replacement); };
  make(flight_->edit);
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
  const bool may_land = flight_ && !flight_->echo && !flight_->literal_landing;
  const Landing landing = may_land ? landing_at_literal(edit) : Landing::None;
  std::optional<LiteralLanding> literal;
  if (landing != Landing::None) literal = LiteralLanding{landing == Landing::Misplaced, marks_after_literal_landing(landing)};
  move_everything(edit);
  if (literal) flight_->literal_landing = std::move(literal);
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
  if (flight_->base_version != 0 && !ignores_versions_ && is_convincing(*flight_)) {
    ignores_versions_ = true;
    notices_.push_back({NoticeKind::ClientIgnoresVersions, std::nullopt});
  }
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
  const std::string removed = text.substr(edit.begin, edit.end - edit.begin);
  shadow_.apply(edit);
  if (flight_ && !flight_->echo) look_for_echo(edit, removed);
}

Claim SyncEngine::claim(Told told) const {
  return told == Told::WholeText && flight_->answer == Answer::Applied ? Claim::Applied : Claim::Nothing;
}

/// Whether the next change may be, among others, that of the flight: then the text is still its base.
bool SyncEngine::may_hold_echo() const {
  return flight_ && !flight_->echo && !flight_->seen && flight_->since_base.pieces().empty();
}

/// Whether the text has just become what the flight makes of its base. Only in the first notification after the base can it: a client that checks
/// versions applies an edit to exactly its base version or not at all.
void SyncEngine::look_for_echo(const text::Edit& edit, std::string_view removed) {
  if (flight_->seen) return;
  flight_->since_base.compose(edit, removed);
  flight_->echo = same_result(flight_->since_base, flight_->delta, shadow_.text());
#ifndef NDEBUG
  assert(flight_->echo == (shadow_.text() == flight_->expected));
#endif
  if (flight_->echo) flight_->marks_if_echo = marks_after_landing(flight_->marks_at_base, flight_->edit);
}

/// Whether `edit` puts the flight's text at the very position that was sent, whatever the text has become: a client that does not check versions
/// does that. At another place than meant, in a client that should have checked, the amount must prove that it is not the person's typing.
SyncEngine::Landing SyncEngine::landing_at_literal(const text::Edit& edit) const {
  const Flight& flight = *flight_;
  if (flight.kind == FlightKind::Clean || flight.kind == FlightKind::Retract) return Landing::None;
  const text::Edit literal = literal_edit();
  if (!same_change(edit, literal, shadow_.text())) return Landing::None;
  if (flight.kind == FlightKind::Proposal) return Landing::AsMeant;
  const RegionMarks& marks = marks_[flight.region];
  std::size_t begin = marks.place;
  std::size_t end = marks.place;
  if (flight.kind == FlightKind::Write) {
    const std::size_t base_end = flight.marks_at_base[flight.region].end;
    begin = marks.end - std::min(marks.end, base_end - flight.edit.begin);
    end = marks.end - std::min(marks.end, base_end - flight.edit.end);
  }
  if (literal.begin == begin && literal.end == end) return Landing::AsMeant;
  const bool is_expected = flight.base_version == 0 || ignores_versions_;
  return is_expected || is_convincing(flight) ? Landing::Misplaced : Landing::None;
}

text::Edit SyncEngine::literal_edit() const {
  return {shadow_.offset_of(flight_->literal.start, encoding_), shadow_.offset_of(flight_->literal.end, encoding_),
          flight_->edit.replacement};
}

std::vector<RegionMarks> SyncEngine::marks_after_literal_landing(Landing landing) const {
  const text::Edit literal = literal_edit();
  if (landing == Landing::AsMeant) return marks_after_landing(marks_, literal);
  std::vector<RegionMarks> result = marks_;
  for (RegionMarks& marks : result) map_own_edit(marks, literal);
  add_owned(result[flight_->region].owned, OwnedSpan{literal.begin, literal.replacement.size(), 0, true});
  return result;
}

bool SyncEngine::is_convincing(const Flight& flight) {
  return flight.edit.replacement.size() >= kConvincingBytes;
}

void SyncEngine::did_close() {
  if (state_ == State::Open || state_ == State::Lost) state_ = State::Closed;
}

void SyncEngine::lose_shadow() {
  state_ = State::Lost;
  notices_.push_back({NoticeKind::ShadowLost, std::nullopt});
}

}  // namespace agent_doc::sync
