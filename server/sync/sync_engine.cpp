#include "server/sync/sync_engine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

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
  if (flight.misplaced) return;
  if (flight.kind == FlightKind::Proposal) {
    if (proposals_.front().end == ProposalEnd::Landed) proposals_.pop_front();
    return;
  }
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
  return between.find_first_of("\r\n") == std::string_view::npos;
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
    const bool any_stale = std::any_of(marks_[i].owned.begin(), marks_[i].owned.end(), [](const OwnedSpan& span) { return span.stale; });
    if (!region.pending.empty() || any_stale || region.ending != Ending::None) return true;
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
