#include "server/sync/sync_engine.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

namespace sync_engine_internal {

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

}  // namespace sync_engine_internal

SyncEngine::SyncEngine(text::PositionEncoding encoding) : encoding_(encoding) {}

std::size_t SyncEngine::index_of(RegionId region) const {
  const auto at = std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.id == region; });
  return static_cast<std::size_t>(at - regions_.begin());
}

// --- what comes in ---

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

void SyncEngine::did_change(Version version, std::vector<ContentChange> changes) {
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
  if (ranged.range.end.line > shadow_.line_count() || sync_engine_internal::is_before(ranged.range.end, ranged.range.start))
    return std::nullopt;
  return text::Edit{shadow_.offset_of(ranged.range.start, encoding_), shadow_.offset_of(ranged.range.end, encoding_), ranged.text};
}

void SyncEngine::apply_ranged(text::Edit edit) {
  const std::string_view before = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  edit = text::minimise(std::move(edit), before);
  const std::string_view removed = std::string_view(shadow_.text()).substr(edit.begin, edit.end - edit.begin);
  const bool may_be_several = sync_engine_internal::has_line_end(removed) && sync_engine_internal::has_line_end(edit.replacement);
  if (!may_be_several) {
    apply_foreign(from_line_start(edit, shadow_.text()));
    return;
  }
  const text::Edit ours = may_hold_echo() ? flight_->edit : edit;
  const text::Edit lines = sync_engine_internal::whole_lines(std::move(edit), ours, shadow_);
  apply_as_diff(std::string_view(shadow_.text()).substr(lines.begin, lines.end - lines.begin), lines.begin, lines.replacement, Told::Lines);
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

// --- what is decided ---

void SyncEngine::answered(Answer answer) {
  if (!flight_) return;
  if (answer == Answer::TimedOut && flight_->answer) {
    wait_longer();
    return;
  }
  flight_->answer = answer;
  decide();
}

/// The time for a proof is over once more. What may still land is never sent again: a client that waits for its person (a prompt, a dialog) does
/// nothing for long and then applies it. Only an edit that no version protects is given up, when newer text came without it.
void SyncEngine::wait_longer() {
  ++refusals_at_version_;
  if (flight_->seen) {
    blocked_ = true;
    drop_flight();
    judge_regions();
  } else if (refusals_at_version_ == kMaxRefusalsAtOneVersion) {
    notices_.push_back({NoticeKind::ClientKeepsRefusing, std::nullopt});
  }
}

void SyncEngine::decide() {
  if (flight_ && flight_->answer) {
    const bool denied = *flight_->answer == Answer::Refused || *flight_->answer == Answer::Failed;
    // The text is the proof, not the answer; but a few bytes that were refused may as well have been typed by the person.
    if (flight_->echo && (!denied || (is_convincing(*flight_) && !flight_->guessed))) {
      land();
    } else if (denied) {
      blocked_ = version_ == flight_->base_version;
      if (blocked_) ++refusals_at_version_;
      drop_flight();
    } else if (flight_->seen && flight_->base_version != 0) {
      drop_flight();
    }
  }
  judge_regions();
}

void SyncEngine::drop_flight() {
  flight_.reset();
  if (refusals_at_version_ == kMaxRefusalsAtOneVersion) notices_.push_back({NoticeKind::ClientKeepsRefusing, std::nullopt});
}

void SyncEngine::land() {
  Flight flight = std::move(*flight_);
  flight_.reset();
  blocked_ = false;
  refusals_at_version_ = 0;
  marks_ = std::move(flight.marks_if_echo);
  if (flight.misplaced || flight.kind == FlightKind::Proposal) return;
  Region& region = regions_[flight.region];
  if (flight.kind == FlightKind::Frame) region.state = RegionState::Growing;
  if (flight.kind == FlightKind::Retract) region.state = RegionState::Settled;
  region.landed += flight.reply_valid;
  region.pending.erase(0, flight.reply_valid);
}

std::vector<RegionMarks> SyncEngine::marks_after_landing(const std::vector<RegionMarks>& before, const text::Edit& landed) const {
  const Flight& flight = *flight_;
  std::vector<RegionMarks> result = before;
  for (RegionMarks& marks : result) map_own_edit(marks, landed);
  if (flight.kind == FlightKind::Proposal || flight.kind == FlightKind::Clean) return result;
  RegionMarks& marks = result[flight.region];
  if (flight.kind == FlightKind::Retract) {
    marks = RegionMarks{};
    marks.place = landed.begin;
    return result;
  }
  std::size_t written_at = landed.begin - (flight.edit.begin - flight.written_at);
  if (flight.kind == FlightKind::Frame) {
    const Frame& frame = regions_[flight.region].frame;
    const std::string_view head = frame.head;
    const std::size_t heading_begin = std::min(head.find_first_not_of("\r\n"), head.size());
    const std::size_t heading_end = std::max(heading_begin, head.find_last_not_of("\r\n") + 1);
    marks.framed = true;
    marks.frame_begin = written_at;
    marks.heading_begin = written_at + heading_begin;
    marks.heading_end = written_at + heading_end;
    marks.head_end = written_at + head.size();
    written_at = marks.head_end;
    marks.frame_end = written_at + flight.reply_length + frame.tail.size();
  }
  marks.end = written_at + flight.reply_length;
  // Of a stale span that was replaced only what differed was sent; what stayed is the reply's again.
  std::erase_if(marks.owned, [&](const OwnedSpan& span) { return span.begin >= written_at && span.end() <= marks.end; });
  add_owned(marks.owned, OwnedSpan{written_at, flight.reply_valid, flight.reply_begin, false});
  add_owned(marks.owned, OwnedSpan{written_at + flight.reply_valid, flight.reply_length - flight.reply_valid,
                                   flight.reply_begin + flight.reply_valid, true});
  return result;
}

/// What the person's changes did to the regions. Only when no edit is undecided: between the pieces of an echo a text may look like anything.
void SyncEngine::judge_regions() {
  if (flight_) return;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region& region = regions_[i];
    RegionMarks& marks = marks_[i];
    const bool alive = region.state == RegionState::Growing || region.state == RegionState::Paused;
    if (alive && (marks.heading_deleted || joins_heading(i))) {
      region.state = RegionState::Detached;
      notices_.push_back({NoticeKind::RegionDetached, region.id});
    } else if (region.state == RegionState::Growing && marks.tail_deleted) {
      region.state = RegionState::Paused;
      notices_.push_back({NoticeKind::RegionPaused, region.id});
    } else if (region.state == RegionState::Paused && marks.tail_restored) {
      region.state = RegionState::Growing;
      notices_.push_back({NoticeKind::RegionResumed, region.id});
    }
    marks.tail_restored = false;
    const bool any_stale = std::any_of(marks.owned.begin(), marks.owned.end(), [](const OwnedSpan& span) { return span.stale; });
    if (region.state == RegionState::Growing && region.ending == Ending::Finish && region.pending.empty() && !any_stale) {
      region.state = RegionState::Settled;
    }
  }
}

/// Whether the reply would go on in the line of its heading, because what stood between them was deleted.
bool SyncEngine::joins_heading(std::size_t index) const {
  const RegionMarks& marks = marks_[index];
  const char last = regions_[index].frame.head.empty() ? ' ' : regions_[index].frame.head.back();
  if (!marks.framed || (last != '\n' && last != '\r')) return false;
  const std::string_view between = std::string_view(shadow_.text()).substr(marks.heading_end, marks.end - marks.heading_end);
  return !sync_engine_internal::has_line_end(between);
}

// --- from the turn ---

RegionId SyncEngine::open_region(std::size_t at, Frame frame) {
  assert(at <= shadow_.size());
  if (!flight_) {  // regions of earlier turns are done with
    for (std::size_t i = regions_.size(); i-- > 0;) {
      if (regions_[i].state != RegionState::Settled && regions_[i].state != RegionState::Detached) continue;
      regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(i));
      marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const RegionId id{next_region_++};
  Region region;
  region.id = id;
  region.frame = std::move(frame);
  regions_.push_back(std::move(region));
  RegionMarks marks;
  marks.place = at;
  marks_.push_back(marks);
  if (flight_) {
    if (flight_->echo) flight_->marks_if_echo.push_back(marks);
    marks.place = flight_->since_base.base_offset(at);
    flight_->marks_at_base.push_back(marks);
  }
  return id;
}

void SyncEngine::append(RegionId id, std::string_view bytes) {
  const std::size_t index = index_of(id);
  if (index < regions_.size()) regions_[index].pending += bytes;
}

void SyncEngine::replace_from(RegionId id, std::size_t offset, std::string_view bytes) {
  const std::size_t index = index_of(id);
  if (index == regions_.size()) return;
  Region& region = regions_[index];
  if (flight_) {
    if (flight_->kind != FlightKind::Proposal && flight_->region == index) {
      const std::size_t kept = offset > flight_->reply_begin ? offset - flight_->reply_begin : 0;
      flight_->reply_valid = std::min(flight_->reply_valid, kept);
    }
    mark_stale_from(flight_->marks_at_base[index], offset);
    if (flight_->echo) mark_stale_from(flight_->marks_if_echo[index], offset);
  }
  if (offset >= region.landed) {
    region.pending.resize(offset - region.landed);
  } else {
    mark_stale_from(marks_[index], offset);
    region.landed = offset;
    region.pending.clear();
  }
  region.pending += bytes;
}

void SyncEngine::finish_region(RegionId id) {
  const std::size_t index = index_of(id);
  if (index == regions_.size()) return;
  regions_[index].ending = Ending::Finish;
  judge_regions();
}

void SyncEngine::retract_region(RegionId id) {
  const std::size_t index = index_of(id);
  if (index == regions_.size()) return;
  regions_[index].ending = Ending::Retract;
  const bool in_the_air = flight_ && flight_->kind != FlightKind::Proposal && flight_->region == index;
  if (regions_[index].state == RegionState::Opening && !in_the_air && marks_[index].owned.empty())
    regions_[index].state = RegionState::Settled;
}

void SyncEngine::resume_region(RegionId id) {
  const std::size_t index = index_of(id);
  if (index == regions_.size() || regions_[index].state != RegionState::Paused) return;
  regions_[index].state = RegionState::Growing;
  const auto forget_undo = [index](std::vector<RegionMarks>& set) {
    set[index].tail_deleted = false;
    set[index].undone.clear();
  };
  forget_undo(marks_);
  if (flight_) forget_undo(flight_->marks_at_base);
  if (flight_ && flight_->echo) forget_undo(flight_->marks_if_echo);
  judge_regions();
}

void SyncEngine::propose(Proposal proposal) {
  proposals_.push_back(OpenProposal{std::move(proposal)});
}

// --- to look at ---

void SyncEngine::allow_retry() {
  if (refusals_at_version_ < kMaxRefusalsAtOneVersion) blocked_ = false;
}

std::vector<Notice> SyncEngine::take_notices() {
  return std::exchange(notices_, {});
}

bool SyncEngine::wants_to_write() const {
  if (!proposals_.empty()) return true;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (region.state == RegionState::Opening) return true;
    if (region.state != RegionState::Growing) continue;
    const bool any_stale = std::any_of(marks_[i].owned.begin(), marks_[i].owned.end(), [](const OwnedSpan& span) { return span.stale; });
    if (!region.pending.empty() || any_stale || region.ending != Ending::None) return true;
  }
  return false;
}

RegionState SyncEngine::region_state(RegionId id) const {
  const std::size_t index = index_of(id);
  return index == regions_.size() ? RegionState::Settled : regions_[index].state;
}

std::optional<RegionExtent> SyncEngine::region_extent(RegionId id) const {
  const std::size_t index = index_of(id);
  if (index == regions_.size() || !marks_[index].framed || regions_[index].state == RegionState::Detached) return std::nullopt;
  return RegionExtent{marks_[index].head_end, marks_[index].end};
}

}  // namespace agent_doc::sync
