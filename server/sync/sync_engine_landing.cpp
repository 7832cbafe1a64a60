// The part of SyncEngine that sees the edit in flight land: where its text stands then, and what of
// it is the reply's.

#include "server/sync/sync_engine.hpp"

#include "server/text/line_ends.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace agent_doc::sync {

/// Whether the text has just become what the flight makes of its base. Only in the first
/// notification after the base can it: a client that checks versions applies an edit to exactly its
/// base version or not at all. Where nothing protects it, the text may have come back to its base
/// before; else that is a guess, for the client's answer to confirm.
void SyncEngine::look_for_echo(const text::Edit& edit, std::string_view removed) {
  flight_->since_base.compose(edit, removed);
  const bool is_protected = flight_->base_version != 0 && !ignores_versions_;
  flight_->guessed = flight_->seen && is_protected;
  flight_->echo = same_result(flight_->since_base, flight_->delta, shadow_.text());
#ifndef NDEBUG
  assert(flight_->echo == (shadow_.text() == flight_->expected));
#endif
  if (flight_->echo) set_marks_if_echo();
}

/// Returns where the flight's edit belongs in the shadow of now, in the order in which they are
/// tried for `edit`: where that puts its text comes first, because a client that tells its changes
/// one by one knows which of equal bytes it inserted. What is inserted may also stand behind what
/// was typed exactly at its place, and, said to be made and more than a few bytes, inside of that.
std::vector<text::Edit> SyncEngine::places_of_ours(const text::Edit& edit) const {
  constexpr std::size_t kMoreThanChance = 4;
  const Flight& flight = *flight_;
  std::vector<text::Edit> places = {ours_now()};
  if (flight.kind != FlightKind::Frame && flight.edit.begin == flight.edit.end) {
    places.push_back({flight.begin_behind, flight.begin_behind, flight.edit.replacement});
    const bool is_inside = edit.begin == edit.end && places.front().begin < edit.begin &&
                           edit.begin <= flight.begin_farthest;
    const bool is_ours =
        edit.replacement == flight.edit.replacement && edit.replacement.size() >= kMoreThanChance;
    const bool is_claimed = claim() == Claim::Applied;
    if (is_claimed)
      places.push_back({flight.begin_farthest, flight.begin_farthest, flight.edit.replacement});
    if (is_claimed && is_inside && is_ours) places.push_back(edit);
  }
  // Nobody types just a frame: it may also stand before what was typed at its place, or behind it.
  if (flight.kind == FlightKind::Frame && claim() == Claim::Applied) {
    places.push_back({flight.begin_now, flight.begin_now, flight.edit.replacement});
    places.push_back({flight.begin_behind, flight.begin_behind, flight.edit.replacement});
    places.push_back({flight.begin_farthest, flight.begin_farthest, flight.edit.replacement});
  }
  if (flight.kind == FlightKind::Proposal || flight.kind == FlightKind::LineEnds)
    places.push_back(literal_edit());
  std::stable_partition(places.begin(), places.end(),
                        [&edit](const text::Edit& place) { return place == edit; });
  return places;
}

/// The edit has landed in its base as it was sent.
void SyncEngine::set_marks_if_echo() {
  for (GrowingRegion& region : regions_)
    region.marks_if_echo = marks_after_landing(region, region.marks_at_base, flight_->edit);
}

/// Sets `marks_if_literal` to what `edit` makes of the marks if it puts the flight's text where it
/// belongs now (for a reply also behind what was typed exactly there), or at the very position that
/// was sent, whatever the text has become: a client that does not check versions does that. At
/// another place than meant, in a client that should have checked, the amount must prove that it is
/// not the person's typing.
std::optional<LiteralLanding> SyncEngine::literal_landing(const text::Edit& edit) {
  const Flight& flight = *flight_;
  if (flight.kind == FlightKind::Clean || flight.kind == FlightKind::Retract) return std::nullopt;
  const text::Edit literal = literal_edit();
  for (const text::Edit& place : places_of_ours(edit)) {
    if (has_lost_place()) break;
    if (!same_change(edit, place, shadow_.text())) continue;
    for (GrowingRegion& region : regions_)
      region.marks_if_literal = marks_after_landing(region, region.marks, place);
    return LiteralLanding{false};
  }
  const bool is_expected = flight.base_version == 0 || ignores_versions_;
  if (has_lost_place() && !is_expected) return std::nullopt;
  if (!same_change(edit, literal, shadow_.text()) || (!is_expected && !is_convincing(flight)))
    return std::nullopt;
  for (GrowingRegion& region : regions_) {
    region.marks_if_literal = region.marks;
    map_own_edit(region.marks_if_literal, literal);
  }
  add_owned(region_in_flight().marks_if_literal.owned,
            OwnedSpan{literal.begin, literal.replacement.size(), 0, true});
  return LiteralLanding{true};
}

text::Edit SyncEngine::literal_edit() const {
  return {shadow_.offset_of(flight_->literal.start, encoding_),
          shadow_.offset_of(flight_->literal.end, encoding_), flight_->edit.replacement};
}

/// The changes of one notification are over.
void SyncEngine::settle_literal_landing() {
  if (!flight_ || !flight_->literal_landing) return;
  const LiteralLanding literal = *std::exchange(flight_->literal_landing, std::nullopt);
  if (!may_be_told_yet() || (flight_->echo && literal.misplaced)) return;
  flight_->guessed = flight_->may_be_told = false;  // that was not it
  flight_->echo = true;
  flight_->misplaced = literal.misplaced;
  for (GrowingRegion& region : regions_) region.marks_if_echo = std::move(region.marks_if_literal);
  flight_->at_literal = true;
}

/// Whether the block that the flight belongs to went as a whole, to come back maybe: what is
/// inserted where it was is not in it.
bool SyncEngine::has_lost_place() const {
  if (!flight_ || flight_->kind == FlightKind::Proposal || flight_->kind == FlightKind::Frame)
    return false;
  const RegionMarks& marks = region_in_flight().marks;
  return marks.heading_deleted && marks.lost && marks.lost->is_whole;
}

/// When the block is there again, the edit's place is where it was in it.
void SyncEngine::look_for_place() {
  const bool was_lost = std::exchange(flight_->place_lost, has_lost_place());
  if (!was_lost || flight_->place_lost) return;
  const std::size_t heading = region_in_flight().marks.heading_begin;
  const std::size_t heading_then = region_in_flight().marks_at_base.heading_begin;
  if (flight_->edit.begin < heading_then) return;
  flight_->begin_now = flight_->begin_behind = flight_->begin_farthest =
      std::min(heading + (flight_->edit.begin - heading_then), shadow_.size());
  flight_->end_now =
      std::min(flight_->begin_now + (flight_->edit.end - flight_->edit.begin), shadow_.size());
}

/// An edit that was given up and that `edit` makes after all, where it was sent to: by now the same
/// is written a second time. It may be the second one itself.
std::optional<LateLanding> SyncEngine::take_late_landing(const text::Edit& edit) {
  if (flight_ && !flight_->echo && same_change(edit, literal_edit(), shadow_.text()))
    return std::nullopt;
  const std::optional<LateLanding> late = late_landing(edit, shadow_);
  if (late) given_up_.erase(given_up_.begin() + static_cast<std::ptrdiff_t>(late->index));
  return late;
}

std::optional<LateLanding> SyncEngine::late_landing(const text::Edit& edit,
                                                    const text::TextBuffer& text) const {
  for (std::size_t i = 0; i < given_up_.size(); ++i) {
    const std::optional<std::size_t> length = late_length(edit, given_up_[i], text);
    if (!length) continue;
    const std::size_t at = text.offset_of(given_up_[i].literal.start, encoding_);
    return LateLanding{i, given_up_[i].region, at, *length};
  }
  return std::nullopt;
}

/// How much `edit` of `text` inserts if it is what was given up, perhaps with other line ends; else
/// nothing.
std::optional<std::size_t> SyncEngine::late_length(const text::Edit& edit, const GivenUp& given_up,
                                                   const text::TextBuffer& text) const {
  if (!given_up.is_known) return std::nullopt;
  const std::size_t at = text.offset_of(given_up.literal.start, encoding_);
  if (same_change(edit, {at, at, given_up.text}, text.text())) return given_up.text.size();
  const std::string_view line_end = text::only_line_end(edit.replacement);
  if (line_end.empty() || line_end == text::only_line_end(given_up.text)) return std::nullopt;
  const text::Edit converted{at, at, text::with_line_ends(given_up.text, line_end)};
  if (!same_change(edit, converted, text.text())) return std::nullopt;
  return converted.replacement.size();
}

/// Whether just what `flight` inserts was sent to the same place and given up: it may be that one
/// which landed while this one was refused.
bool SyncEngine::was_sent_before(const Flight& flight) const {
  return std::any_of(given_up_.begin(), given_up_.end(), [&](const GivenUp& one) {
    return one.region == flight.region && one.literal == flight.literal &&
           one.text == flight.edit.replacement;
  });
}

void SyncEngine::own_as_stale(RegionId id, std::size_t begin, std::size_t length) {
  GrowingRegion* region = find_region(id);
  if (region == nullptr) return;
  const OwnedSpan span{begin, length, 0, true};
  add_owned(region->marks.owned, span);
  if (flight_ && flight_->echo) add_owned(region->marks_if_echo.owned, span);
  if (flight_ && flight_->literal_landing) add_owned(region->marks_if_literal.owned, span);
}

bool SyncEngine::is_convincing(const Flight& flight) {
  return flight.edit.replacement.size() >= kConvincingBytes;
}

/// `region` stood at `before` when the flight landed as `landed`.
RegionMarks SyncEngine::marks_after_landing(const GrowingRegion& region, const RegionMarks& before,
                                            const text::Edit& landed) const {
  const Flight& flight = *flight_;
  RegionMarks marks = before;
  map_own_edit(marks, landed);
  if (!is_in_flight(region) || flight.kind == FlightKind::Clean) return marks;
  const std::size_t behind = landed.begin + landed.replacement.size();
  switch (flight.kind) {
    case FlightKind::Proposal:
    case FlightKind::Clean:
      break;
    case FlightKind::LineEnds: {
      const bool is_above = before.end == before.heading_end && landed.begin == before.heading_end;
      if (is_above) marks.head_end = marks.end = behind;
      if (is_above || landed.begin == std::max(before.below, before.end))
        marks.below = std::max(marks.below, behind);
      break;
    }
    case FlightKind::Retract:
      marks = RegionMarks{};
      marks.place = landed.begin;
      break;
    case FlightKind::Frame:
      return marks_after_frame(region, std::move(marks),
                               landed.begin - (flight.edit.begin - flight.written_at));
    case FlightKind::Write:  // of what stayed behind it somebody may have taken some
      marks.end = behind + (before.end - std::min(before.end, landed.end));
      marks.below = std::max(marks.below, marks.end);
      marks.frame_end = std::max(marks.frame_end, marks.end);
      marks.undone.clear();
      marks.owned = owned_after_write(marks.owned, landed);
      break;
  }
  return marks;
}

/// The frame stands at `frame_begin`, with the reply that the flight carries.
RegionMarks SyncEngine::marks_after_frame(const GrowingRegion& region, RegionMarks marks,
                                          std::size_t frame_begin) const {
  const std::string_view head = region.frame.head;
  const std::string_view tail = region.frame.tail;
  const std::size_t heading_begin = std::min(head.find_first_not_of("\r\n"), head.size());
  const std::size_t heading_end = std::max(heading_begin, head.find_last_not_of("\r\n") + 1);
  marks.framed = true;
  marks.frame_begin = frame_begin;
  marks.heading_begin = frame_begin + heading_begin;
  marks.heading_end = frame_begin + heading_end;
  marks.head_end = frame_begin + head.size();
  marks.end = marks.head_end + flight_->reply_length;
  marks.frame_end = marks.end + tail.size();
  marks.below = marks.end + std::min(tail.find_first_not_of("\r\n"), tail.size());
  marks.undone.clear();
  for (OwnedSpan span : flight_->carried) {
    span.begin += marks.head_end;
    add_owned(marks.owned, span);
  }
  return marks;
}

/// `owned` when the flight, a Write, has landed as `landed`. Of a stale span that it replaces only
/// what differed was sent: what stayed is the reply's again, where it stands by now.
std::vector<OwnedSpan> SyncEngine::owned_after_write(const std::vector<OwnedSpan>& owned,
                                                     const text::Edit& landed) const {
  const Flight& flight = *flight_;
  const std::size_t kept = flight.edit.begin - flight.written_at;
  std::vector<OwnedSpan> result;
  // [begin, begin + length) of the text are the bytes that the flight carries from `carried` on.
  const auto add_carried = [&](std::size_t begin, std::size_t length, std::size_t carried) {
    for (const OwnedSpan& span : flight.carried) {
      const std::size_t first = std::max(carried, span.begin);
      const std::size_t last = std::min(carried + length, span.end());
      if (first >= last) continue;
      result.push_back({begin + (first - carried), last - first,
                        span.reply_begin + (first - span.begin), span.stale, span.replacement});
    }
  };
  std::vector<OwnedSpan> parts;
  for (const OwnedSpan& span : owned) add_parts_by_base(parts, span);
  for (const OwnedSpan& span : parts) {
    const std::optional<std::size_t> base = base_of_stale(span);
    const bool stays = !base || *base < flight.written_at ||
                       (*base >= flight.edit.begin && *base < flight.edit.end);
    if (stays) {
      result.push_back(span);
    } else {
      add_carried(span.begin, span.length,
                  *base < flight.edit.begin
                      ? *base - flight.written_at
                      : *base - flight.edit.end + kept + landed.replacement.size());
    }
  }
  add_carried(landed.begin, landed.replacement.size(), kept);
  std::stable_sort(result.begin(), result.end(),
                   [](const OwnedSpan& a, const OwnedSpan& b) { return a.begin < b.begin; });
  std::vector<OwnedSpan> joined;
  for (const OwnedSpan& span : result) add_owned(joined, span);
  return joined;
}

/// Adds `span` in pieces of which each was all in one stale span of the base of the flight, or in
/// none: what somebody took out of such a span may be back since, and joined with it.
void SyncEngine::add_parts_by_base(std::vector<OwnedSpan>& parts, OwnedSpan span) const {
  for (const OwnedSpan& then : region_in_flight().marks_at_base.owned) {
    if (!span.stale || !then.stale || then.replacement != span.replacement) continue;
    for (const std::size_t at : {then.reply_begin, then.reply_begin + then.length}) {
      if (at <= span.reply_begin || at >= span.reply_begin + span.length) continue;
      const std::size_t size = at - span.reply_begin;
      parts.push_back({span.begin, size, span.reply_begin, true, span.replacement});
      span.begin += size;
      span.length -= size;
      span.reply_begin = at;
    }
  }
  parts.push_back(span);
}

/// Where `span`, a stale one of the flight's region, began in the base of the flight; nothing if it
/// is of another time.
std::optional<std::size_t> SyncEngine::base_of_stale(const OwnedSpan& span) const {
  if (!span.stale) return std::nullopt;
  for (const OwnedSpan& then : region_in_flight().marks_at_base.owned) {
    const bool holds = then.stale && then.replacement == span.replacement &&
                       then.reply_begin <= span.reply_begin &&
                       span.reply_begin + span.length <= then.reply_begin + then.length;
    if (holds) return then.begin + (span.reply_begin - then.reply_begin);
  }
  return std::nullopt;
}

}  // namespace agent_doc::sync
