#include "server/sync/sync_engine.hpp"

#include "server/text/line_ends.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

SyncEngine::SyncEngine(text::PositionEncoding encoding) : encoding_(encoding) {}

GrowingRegion* SyncEngine::find_region(RegionId region) {
  const auto at = std::ranges::find(regions_, region, &GrowingRegion::id);
  return at == regions_.end() ? nullptr : &*at;
}

const GrowingRegion* SyncEngine::find_region(RegionId region) const {
  const auto at = std::ranges::find(regions_, region, &GrowingRegion::id);
  return at == regions_.end() ? nullptr : &*at;
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

/// The time for a proof is over once more. What may still land is never sent again: a client that
/// waits for its person (a prompt, a dialog) does nothing for long and then applies it. Only an
/// edit that no version protects is given up, when newer text came without it.
void SyncEngine::wait_longer() {
  ++refusals_at_version_;
  if (flight_->seen) {
    const bool is_insertion =
        flight_->kind == FlightKind::Frame ||
        (flight_->kind == FlightKind::Write && flight_->edit.begin == flight_->edit.end);
    // However short its heading is, nobody types just a frame at just that place.
    const bool is_known = is_convincing(*flight_) || flight_->kind == FlightKind::Frame;
    if (is_insertion)
      given_up_.push_back({flight_->region, flight_->literal, flight_->edit.replacement, is_known});
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
    // The text is the proof, not the answer; but a few bytes that were refused may as well have
    // been typed by the person, unless the same was on its way already. In a text that had changed
    // it may be an undo or a redo that put it there.
    const bool is_known = is_convincing(*flight_) || was_sent_before(*flight_);
    const bool is_certain = is_known && !flight_->guessed && !flight_->at_literal;
    // Nor does silence make a landing of a guess: what was typed may be much like what was sent.
    const bool is_mere_guess =
        flight_->guessed && !flight_->is_proven && *flight_->answer == Answer::TimedOut;
    const bool waits =
        flight_->may_be_told && *flight_->answer == Answer::Applied;  // echo_is_overdue()
    if (flight_->echo && !waits && !is_mere_guess && (!denied || is_certain)) {
      land();
    } else if (denied) {
      blocked_ = version_ == flight_->base_version;
      if (blocked_) ++refusals_at_version_;
      drop_flight();
    } else if (flight_->seen && flight_->base_version != 0 && !waits) {
      if (*flight_->answer != Answer::Applied)
        drop_flight();  // else it may still come: echo_is_overdue()
    }
  }
  judge_regions();
}

bool SyncEngine::awaits_echo() const {
  return may_be_told_yet() && flight_->answer == Answer::Applied && flight_->seen &&
         flight_->base_version != 0;
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
  if (flight_->answer == Answer::Applied &&
      same_result(flight_->since_base, flight_->delta, shadow_.text())) {
    set_marks_if_echo();
    return land();
  }
  note_unproven_edit();
  flight_.reset();
  recent_.dropped();
  if (refusals_at_version_ == kMaxRefusalsAtOneVersion)
    notices_.push_back({NoticeKind::ClientKeepsRefusing, std::nullopt});
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
  for (GrowingRegion& region : regions_) region.marks = std::move(region.marks_if_echo);
  if (flight.at_literal && flight.misplaced && flight.base_version != 0 && !ignores_versions_ &&
      is_convincing(flight)) {
    ignores_versions_ = true;
    notices_.push_back({NoticeKind::ClientIgnoresVersions, std::nullopt});
  }
  recent_.landed(flight.region, flight.misplaced ? 0 : flight.reply_valid);
  if (flight.misplaced) return;
  if (flight.kind == FlightKind::Proposal) {
    if (proposals_.front().end == ProposalEnd::Landed) proposals_.pop_front();
    return;
  }
  GrowingRegion& region = *find_region(flight.region);
  if (flight.kind == FlightKind::Frame) region.state = RegionState::Growing;
  if (flight.kind == FlightKind::Retract) region.state = RegionState::Settled;
  if (!has_stale(region.marks)) recent_.cleaned(region.id);
  if (flight.reply_valid == 0) return;
  const std::size_t end =
      flight.reply_begin +
      flight.reply_valid;  // it may begin with white space that had landed before
  const std::size_t more = end - std::min(end, region.landed);
  region.landed += more;
  region.pending.erase(0, more);
}

/// What the person's changes did to the regions. Only when no edit is undecided: between the pieces
/// of an echo a text may look like anything.
void SyncEngine::judge_regions() {
  if (flight_) return;
  for (GrowingRegion& region : regions_) {
    RegionMarks& marks = region.marks;
    const bool alive = region.state == RegionState::Growing || region.state == RegionState::Paused;
    const bool is_bounded =
        region.kind != RegionKind::ComponentBody || find_closing_marker(region, shadow_.text());
    const bool has_place =
        !marks.heading_deleted && is_bounded && !joins_heading(region, shadow_.text());
    if (alive && !has_place) {
      region.state = RegionState::Detached;
      notices_.push_back({NoticeKind::RegionDetached, region.id});
    } else if (region.state == RegionState::Detached && marks.framed && has_place &&
               !region.given_up) {
      region.state = marks.tail_deleted ? RegionState::Paused : RegionState::Growing;
      notices_.push_back(
          {marks.tail_deleted ? NoticeKind::RegionPaused : NoticeKind::RegionResumed, region.id});
    } else if (region.state == RegionState::Growing && marks.tail_deleted) {
      region.state = RegionState::Paused;
      notices_.push_back({NoticeKind::RegionPaused, region.id});
    } else if (region.state == RegionState::Paused && marks.tail_restored) {
      region.state = RegionState::Growing;
      notices_.push_back({NoticeKind::RegionResumed, region.id});
    }
    marks.tail_restored = false;
    const bool is_whole =
        region.ending == RegionEnding::Finish && region.pending.empty() && !has_stale(marks);
    if (region.state == RegionState::Growing && is_whole && !gap_below(region, shadow_.text())) {
      region.state = RegionState::Settled;
    }
  }
}

// --- from the turn ---

RegionId SyncEngine::open_region(std::size_t at, Frame frame, TypedAtPlace typed) {
  assert(at <= shadow_.size());
  GrowingRegion region;
  region.frame = std::move(frame);
  region.marks.place = at;
  region.marks.place_bias = typed == TypedAtPlace::GoesBelow ? text::Bias::Left : text::Bias::Right;
  return add_region(std::move(region));
}

RegionId SyncEngine::adopt_region(const StandingReply& reply, Frame frame) {
  assert(!flight_ && reply.heading_end <= reply.begin && reply.begin <= reply.end &&
         reply.end <= shadow_.size());
  GrowingRegion region;
  region.frame = std::move(frame);
  region.state = RegionState::Growing;
  region.landed = reply.end - reply.begin;
  RegionMarks& marks = region.marks;
  marks.framed = true;
  marks.frame_begin = marks.place = marks.heading_begin = reply.heading_begin;
  marks.heading_end = reply.heading_end;
  marks.head_end = reply.begin;
  marks.end = marks.frame_end = reply.end;
  marks.below = std::min(shadow_.text().find_first_not_of("\r\n", reply.end), shadow_.size());
  add_owned(marks.owned, OwnedSpan{reply.begin, region.landed, 0, false});
  return add_region(std::move(region));
}

RegionId SyncEngine::open_body(const ComponentBody& body) {
  assert(body.opening_begin < body.opening_end && body.opening_end <= body.begin &&
         body.begin <= body.end);
  assert(body.end <= body.closing_begin && body.closing_begin < body.closing_end &&
         body.closing_end <= shadow_.size());
  const std::string& text = shadow_.text();
  GrowingRegion region;
  region.kind = RegionKind::ComponentBody;
  region.frame.tail = std::string(text::most_frequent_line_end(text)) +
                      text.substr(body.closing_begin, body.closing_end - body.closing_begin);
  region.state = RegionState::Growing;
  region.landed = body.edited ? body.edited->size : body.end - body.begin;
  RegionMarks& marks = region.marks;
  marks.framed = true;
  marks.frame_begin = marks.place = marks.heading_begin = body.opening_begin;
  marks.heading_end = body.opening_end;
  marks.head_end = body.begin;
  marks.end = marks.frame_end = body.end;
  marks.below = marks.closing = body.closing_begin;
  if (!body.edited) add_owned(marks.owned, OwnedSpan{body.begin, region.landed, 0, false});
  if (body.edited) {
    for (const StandingPart& part : body.edited->parts)
      add_owned(marks.owned, OwnedSpan{part.begin, part.length, part.text_begin, false});
  }
  return add_region(std::move(region));
}

/// Regions of earlier turns are done with.
void SyncEngine::forget_regions_that_ended() {
  std::erase_if(regions_, [](const GrowingRegion& region) {
    return region.state == RegionState::Settled || region.state == RegionState::Detached;
  });
}

RegionId SyncEngine::add_region(GrowingRegion region) {
  if (!flight_) forget_regions_that_ended();
  const RegionId id{next_region_++};
  region.id = id;
  if (flight_) {
    region.marks_if_echo = region.marks_at_base = region.marks;
    map_to_base(region.marks_at_base);
  }
  regions_.push_back(std::move(region));
  return id;
}

/// The marks of a region that was opened while an edit is in flight, in the text that the edit was
/// made for.
void SyncEngine::map_to_base(RegionMarks& marks) const {
  const auto map = [this](std::size_t& place) { place = flight_->since_base.base_offset(place); };
  map(marks.place);
  if (!marks.framed) return;
  for (std::size_t* place :
       {&marks.frame_begin, &marks.heading_begin, &marks.heading_end, &marks.head_end, &marks.end,
        &marks.frame_end, &marks.below, &marks.closing})
    map(*place);
  for (OwnedSpan& span : marks.owned) {
    const std::size_t length = span.length;
    std::size_t end = span.end();
    map(span.begin);
    map(end);
    span.length =
        end - span.begin == length ? length : 0;  // what the person typed there meanwhile is theirs
  }
  std::erase_if(marks.owned, [](const OwnedSpan& span) { return span.length == 0; });
}

void SyncEngine::append(RegionId id, std::string_view bytes) {
  if (GrowingRegion* region = find_region(id)) region->pending += bytes;
}

void SyncEngine::replace_from(RegionId id, std::size_t offset, std::string_view bytes) {
  GrowingRegion* found = find_region(id);
  if (found == nullptr) return;
  GrowingRegion& region = *found;
  ++region.replacements;
  if (flight_) {
    if (is_in_flight(region)) {
      const std::size_t kept = offset > flight_->reply_begin ? offset - flight_->reply_begin : 0;
      flight_->reply_valid = std::min(flight_->reply_valid, kept);
      mark_stale_from(flight_->carried, offset, region.replacements);
    }
    mark_stale_from(region.marks_at_base, offset, region.replacements);
    if (flight_->echo) mark_stale_from(region.marks_if_echo, offset, region.replacements);
  }
  // Earlier texts may hold what is in the air, too: it was told, and not answered.
  recent_.replaced_from(id, offset, region.replacements);
  if (offset >= region.landed) {
    region.pending.resize(offset - region.landed);
  } else {
    mark_stale_from(region.marks, offset, region.replacements);
    region.landed = offset;
    region.pending.clear();
  }
  region.pending += bytes;
}

void SyncEngine::finish_region(RegionId id) {
  GrowingRegion* region = find_region(id);
  if (region == nullptr) return;
  region->ending = RegionEnding::Finish;
  judge_regions();
}

void SyncEngine::retract_region(RegionId id) {
  GrowingRegion* region = find_region(id);
  if (region == nullptr) return;
  region->ending = RegionEnding::Retract;
  if (region->state == RegionState::Opening && !is_in_flight(*region) &&
      region->marks.owned.empty())
    region->state = RegionState::Settled;
}

void SyncEngine::resume_region(RegionId id) {
  GrowingRegion* region = find_region(id);
  if (region == nullptr || region->state != RegionState::Paused) return;
  region->state = RegionState::Growing;
  const auto forget_undo = [](RegionMarks& marks) {
    marks.tail_deleted = false;
    marks.undone.clear();
  };
  forget_undo(region->marks);
  if (flight_) forget_undo(region->marks_at_base);
  if (flight_ && flight_->echo) forget_undo(region->marks_if_echo);
  recent_.resumed(id);
  judge_regions();
}

void SyncEngine::give_up_region(RegionId id) {
  GrowingRegion* region = find_region(id);
  if (region == nullptr || region->state == RegionState::Settled) return;
  region->given_up = true;
  if (region->state == RegionState::Opening) region->ending = RegionEnding::Retract;
  if (region->marks.framed) region->state = RegionState::Detached;
}

bool SyncEngine::reopen_region(RegionId id, std::string_view reply) {
  GrowingRegion* region = find_region(id);
  if (flight_ || region == nullptr || region->state != RegionState::Settled) return false;
  RegionMarks& marks = region->marks;
  if (!marks.framed || marks.heading_deleted || marks.end - marks.head_end != reply.size())
    return false;
  if (shadow_.text().compare(marks.head_end, reply.size(), reply) != 0) return false;
  region->state = RegionState::Growing;
  region->ending = RegionEnding::None;
  region->landed = reply.size();
  region->pending.clear();
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
  return std::any_of(regions_.begin(), regions_.end(), [](const GrowingRegion& region) {
    if (region.state == RegionState::Opening) return true;
    if (region.state != RegionState::Growing) return false;
    return !region.pending.empty() || has_stale(region.marks) ||
           region.ending != RegionEnding::None;
  });
}

RegionState SyncEngine::region_state(RegionId id) const {
  const GrowingRegion* region = find_region(id);
  return region == nullptr ? RegionState::Settled : region->state;
}

std::optional<std::size_t> SyncEngine::anchor(AnchorId id) const {
  const auto number = static_cast<std::uint32_t>(id);
  if (number < first_anchor_ || number - first_anchor_ >= anchors_.size()) return std::nullopt;
  return anchors_[number - first_anchor_];
}

std::optional<RegionExtent> SyncEngine::region_extent(RegionId id) const {
  const GrowingRegion* region = find_region(id);
  if (region == nullptr || !region->marks.framed || region->state == RegionState::Detached)
    return std::nullopt;
  return RegionExtent{region->marks.head_end, region->marks.end};
}

}  // namespace agent_doc::sync
