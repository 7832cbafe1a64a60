#include "server/sync/sync_engine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

namespace sync_engine_internal {

/// Returns what of a frame's tail is not blank.
std::string_view heading_of(std::string_view tail) {
  const std::size_t begin = std::min(tail.find_first_not_of("\r\n"), tail.size());
  return tail.substr(begin, tail.find_last_not_of("\r\n") + 1 - begin);
}

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace sync_engine_internal

SyncEngine::SyncEngine(text::PositionEncoding encoding) : encoding_(encoding) {}

std::size_t SyncEngine::index_of(RegionId region) const {
  const auto at = std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.id == region; });
  return static_cast<std::size_t>(at - regions_.begin());
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
    const bool is_insertion =
        flight_->kind == FlightKind::Frame || (flight_->kind == FlightKind::Write && flight_->edit.begin == flight_->edit.end);
    // However short its heading is, nobody types just a frame at just that place.
    if (is_insertion && (is_convincing(*flight_) || flight_->kind == FlightKind::Frame))
      given_up_.push_back({regions_[flight_->region].id, flight_->literal, flight_->edit.replacement});
    if (given_up_.size() > kMaxGivenUp) given_up_.pop_front();
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
    // In a text that had changed it may be an undo or a redo that put it there.
    const bool is_certain = is_convincing(*flight_) && !flight_->guessed && !flight_->at_literal;
    // Nor does silence make a landing of a guess: what was typed may be much like what was sent.
    const bool is_mere_guess = flight_->guessed && !flight_->is_proven && *flight_->answer == Answer::TimedOut;
    const bool waits = flight_->may_be_told && *flight_->answer == Answer::Applied;  // echo_is_overdue()
    if (flight_->echo && !waits && !is_mere_guess && (!denied || is_certain)) {
      land();
    } else if (denied) {
      blocked_ = version_ == flight_->base_version;
      if (blocked_) ++refusals_at_version_;
      drop_flight();
    } else if (flight_->seen && flight_->base_version != 0 && !waits) {
      if (*flight_->answer != Answer::Applied) drop_flight();  // else it may still come: echo_is_overdue()
    }
  }
  judge_regions();
}

bool SyncEngine::awaits_echo() const {
  return may_be_told_yet() && flight_->answer == Answer::Applied && flight_->seen && flight_->base_version != 0;
}

void SyncEngine::echo_is_overdue() {
  if (!awaits_echo()) return;
  if (flight_->echo) {
    land();  // it was told, together with other changes
  } else {
    drop_flight();
  }
  judge_regions();
}

void SyncEngine::drop_flight() {
  // What else was done meanwhile was undone again.
  if (flight_->answer == Answer::Applied && same_result(flight_->since_base, flight_->delta, shadow_.text())) {
    flight_->marks_if_echo = marks_after_landing(flight_->marks_at_base, flight_->edit);
    return land();
  }
  note_unproven_edit();
  flight_.reset();
  recent_.dropped();
  if (refusals_at_version_ == kMaxRefusalsAtOneVersion) notices_.push_back({NoticeKind::ClientKeepsRefusing, std::nullopt});
}

void SyncEngine::land() {
  Flight flight = std::move(*flight_);
  flight_.reset();
  given_up_.clear();  // a client makes edits in the order in which they were sent
  blocked_ = false;
  refusals_at_version_ = 0;
  if (flight.guessed && merges_if_ours_) merges_changes_ = true;
  if (!flight.misplaced) {
    suspicion_ = 0;
    unproven_growth_ = 0;
    unproven_edits_ = 0;
  }
  marks_ = std::move(flight.marks_if_echo);
  const bool is_of_region = flight.kind != FlightKind::Proposal;
  if (flight.at_literal && flight.misplaced && flight.base_version != 0 && !ignores_versions_ && is_convincing(flight)) {
    ignores_versions_ = true;
    notices_.push_back({NoticeKind::ClientIgnoresVersions, std::nullopt});
  }
  recent_.landed(is_of_region ? regions_[flight.region].id : RegionId{}, flight.misplaced ? 0 : flight.reply_valid);
  if (flight.misplaced) return;
  if (flight.kind == FlightKind::Proposal) {
    if (proposals_.front().end == ProposalEnd::Landed) proposals_.pop_front();
    return;
  }
  Region& region = regions_[flight.region];
  if (flight.kind == FlightKind::Frame) region.state = RegionState::Growing;
  if (flight.kind == FlightKind::Retract) region.state = RegionState::Settled;
  if (!has_stale(marks_[flight.region])) recent_.cleaned(region.id);
  if (flight.reply_valid == 0) return;
  const std::size_t end = flight.reply_begin + flight.reply_valid;  // it may begin with white space that had landed before
  const std::size_t more = end - std::min(end, region.landed);
  region.landed += more;
  region.pending.erase(0, more);
}

/// What the person's changes did to the regions. Only when no edit is undecided: between the pieces of an echo a text may look like anything.
void SyncEngine::judge_regions() {
  if (flight_) return;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region& region = regions_[i];
    RegionMarks& marks = marks_[i];
    const bool alive = region.state == RegionState::Growing || region.state == RegionState::Paused;
    const bool has_place = !marks.heading_deleted && !joins_heading(i);
    if (alive && !has_place) {
      region.state = RegionState::Detached;
      notices_.push_back({NoticeKind::RegionDetached, region.id});
    } else if (region.state == RegionState::Detached && marks.framed && has_place && !region.given_up) {
      region.state = marks.tail_deleted ? RegionState::Paused : RegionState::Growing;
      notices_.push_back({marks.tail_deleted ? NoticeKind::RegionPaused : NoticeKind::RegionResumed, region.id});
    } else if (region.state == RegionState::Growing && marks.tail_deleted) {
      region.state = RegionState::Paused;
      notices_.push_back({NoticeKind::RegionPaused, region.id});
    } else if (region.state == RegionState::Paused && marks.tail_restored) {
      region.state = RegionState::Growing;
      notices_.push_back({NoticeKind::RegionResumed, region.id});
    }
    marks.tail_restored = false;
    const bool is_whole = region.ending == Ending::Finish && region.pending.empty() && !has_stale(marks);
    if (region.state == RegionState::Growing && is_whole && !gap_below(i)) {
      region.state = RegionState::Settled;
    }
  }
}

/// Whether the reply would go on in the line of its heading, because what stood between them was deleted.
bool SyncEngine::joins_heading(std::size_t index) const {
  const RegionMarks& marks = marks_[index];
  const char last = regions_[index].frame.head.empty() ? ' ' : regions_[index].frame.head.back();
  if (!marks.framed || (last != '\n' && last != '\r') || gap_above(index)) return false;
  const std::string_view between = std::string_view(shadow_.text()).substr(marks.heading_end, marks.end - marks.heading_end);
  return between.find_first_of("\r\n") == std::string_view::npos;
}

/// Above a reply that has no text yet: blank lines were tidied, and it would begin in the line of its heading.
std::optional<SyncEngine::Gap> SyncEngine::gap_above(std::size_t index) const {
  const RegionMarks& marks = marks_[index];
  const std::string& head = regions_[index].frame.head;
  const std::size_t end = std::max(head.find_last_not_of("\r\n") + 1, std::size_t{0});
  const bool is_empty = marks.framed && marks.owned.empty() && marks.end == marks.heading_end;
  if (!is_empty || marks.heading_deleted || end == head.size() || regions_[index].landed > 0) return std::nullopt;
  return Gap{marks.end, head.substr(end)};
}

/// Below the reply: what follows it is a heading only when it begins a line. What a person typed right behind the reply stays there.
std::optional<SyncEngine::Gap> SyncEngine::gap_below(std::size_t index) const {
  const Region& region = regions_[index];
  const RegionMarks& marks = marks_[index];
  const std::string& tail = region.frame.tail;
  std::string line_ends = tail.substr(0, std::min(tail.find_first_not_of("\r\n"), tail.size()));
  if (!marks.framed || line_ends.empty() || region.line_ends_restored >= kMaxLineEndsRestored) return std::nullopt;
  const std::string_view text = shadow_.text();
  // Line ends that came back before the heading did, after both were deleted, are what `below` follows: the heading is above it.
  // Something may have been typed in front of it since.
  const std::string_view heading = sync_engine_internal::heading_of(tail);
  const std::string_view line = text.substr(marks.end, std::min(text.find_first_of("\r\n", marks.end), text.size()) - marks.end);
  const bool is_in_line = !heading.empty() && line.ends_with(heading) && (line == heading || marks.below > marks.end + line.size());
  const std::size_t place = is_in_line ? marks.end + line.size() - heading.size() : std::max(marks.below, marks.end);
  if (place >= text.size() || sync_engine_internal::is_line_end(text[place])) return std::nullopt;
  if (text.substr(marks.end, place - marks.end).find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  const bool is_below_line = region.pending.empty() && marks.end > 0 && sync_engine_internal::is_line_end(text[marks.end - 1]);
  if (is_below_line && (is_in_line || place == marks.end)) return std::nullopt;
  return Gap{place, std::move(line_ends)};
}

// --- from the turn ---

RegionId SyncEngine::open_region(std::size_t at, Frame frame, TypedAtPlace typed) {
  assert(at <= shadow_.size());
  Region region;
  region.frame = std::move(frame);
  RegionMarks marks;
  marks.place = at;
  marks.place_bias = typed == TypedAtPlace::GoesBelow ? text::Bias::Left : text::Bias::Right;
  return add_region(std::move(region), marks);
}

RegionId SyncEngine::adopt_region(const StandingReply& reply, Frame frame) {
  assert(!flight_ && reply.heading_end <= reply.begin && reply.begin <= reply.end && reply.end <= shadow_.size());
  Region region;
  region.frame = std::move(frame);
  region.state = RegionState::Growing;
  region.landed = reply.end - reply.begin;
  RegionMarks marks;
  marks.framed = true;
  marks.frame_begin = marks.place = marks.heading_begin = reply.heading_begin;
  marks.heading_end = reply.heading_end;
  marks.head_end = reply.begin;
  marks.end = marks.frame_end = reply.end;
  marks.below = std::min(shadow_.text().find_first_not_of("\r\n", reply.end), shadow_.size());
  add_owned(marks.owned, OwnedSpan{reply.begin, region.landed, 0, false});
  return add_region(std::move(region), std::move(marks));
}

/// Regions of earlier turns are done with.
void SyncEngine::forget_regions_that_ended() {
  for (std::size_t i = regions_.size(); i-- > 0;) {
    if (regions_[i].state != RegionState::Settled && regions_[i].state != RegionState::Detached) continue;
    regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(i));
    marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

RegionId SyncEngine::add_region(Region region, RegionMarks marks) {
  if (!flight_) forget_regions_that_ended();
  const RegionId id{next_region_++};
  region.id = id;
  regions_.push_back(std::move(region));
  marks_.push_back(marks);
  if (flight_) {
    if (flight_->echo) flight_->marks_if_echo.push_back(marks);
    marks.place = flight_->since_base.base_offset(marks.place);
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
  ++region.replacements;
  if (flight_) {
    if (flight_->kind != FlightKind::Proposal && flight_->region == index) {
      const std::size_t kept = offset > flight_->reply_begin ? offset - flight_->reply_begin : 0;
      flight_->reply_valid = std::min(flight_->reply_valid, kept);
      mark_stale_from(flight_->carried, offset, region.replacements);
    }
    mark_stale_from(flight_->marks_at_base[index], offset, region.replacements);
    if (flight_->echo) mark_stale_from(flight_->marks_if_echo[index], offset, region.replacements);
  }
  // Earlier texts may hold what is in the air, too: it was told, and not answered.
  recent_.replaced_from(id, offset, region.replacements);
  if (offset >= region.landed) {
    region.pending.resize(offset - region.landed);
  } else {
    mark_stale_from(marks_[index], offset, region.replacements);
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
  recent_.resumed(id);
  judge_regions();
}

void SyncEngine::give_up_region(RegionId id) {
  const std::size_t index = index_of(id);
  if (index == regions_.size() || regions_[index].state == RegionState::Settled) return;
  regions_[index].given_up = true;
  if (regions_[index].state == RegionState::Opening) regions_[index].ending = Ending::Retract;
  if (marks_[index].framed) regions_[index].state = RegionState::Detached;
}

bool SyncEngine::reopen_region(RegionId id, std::string_view reply) {
  const std::size_t index = index_of(id);
  if (flight_ || index == regions_.size() || regions_[index].state != RegionState::Settled) return false;
  RegionMarks& marks = marks_[index];
  if (!marks.framed || marks.heading_deleted || marks.end - marks.head_end != reply.size()) return false;
  if (shadow_.text().compare(marks.head_end, reply.size(), reply) != 0) return false;
  Region& region = regions_[index];
  region.state = RegionState::Growing;
  region.ending = Ending::None;
  region.landed = reply.size();
  region.pending.clear();
  marks.owned.clear();
  add_owned(marks.owned, OwnedSpan{marks.head_end, reply.size(), 0, false});
  marks.tail_deleted = false;
  marks.tail_restored = false;
  marks.undone.clear();
  return true;
}

void SyncEngine::propose(Proposal proposal, ProposalEnd end) {
  proposals_.push_back(OpenProposal{std::move(proposal), end});
}

AnchorId SyncEngine::add_anchor(std::size_t place) {
  assert(place <= shadow_.size());
  anchors_.push_back(place);
  if (anchors_.size() > kMaxAnchors) {
    anchors_.pop_front();
    ++first_anchor_;
  }
  return AnchorId{first_anchor_ + static_cast<std::uint32_t>(anchors_.size()) - 1};
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
    if (!region.pending.empty() || has_stale(marks_[i]) || region.ending != Ending::None) return true;
  }
  return false;
}

RegionState SyncEngine::region_state(RegionId id) const {
  const std::size_t index = index_of(id);
  return index == regions_.size() ? RegionState::Settled : regions_[index].state;
}

std::optional<std::size_t> SyncEngine::anchor(AnchorId id) const {
  const auto number = static_cast<std::uint32_t>(id);
  if (number < first_anchor_ || number - first_anchor_ >= anchors_.size()) return std::nullopt;
  return anchors_[number - first_anchor_];
}

std::optional<RegionExtent> SyncEngine::region_extent(RegionId id) const {
  const std::size_t index = index_of(id);
  if (index == regions_.size() || !marks_[index].framed || regions_[index].state == RegionState::Detached) return std::nullopt;
  return RegionExtent{marks_[index].head_end, marks_[index].end};
}

}  // namespace agent_doc::sync
