// The part of SyncEngine that deals with clients that do not insert what they were sent: other line
// ends, other characters, another place.

#include "server/sync/sync_engine.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

/// So far from its place a misplaced edit is still looked for.
constexpr std::size_t kSurroundings = 512;
/// Nobody happens to delete exactly as many bytes as we want to, or to type them.
constexpr std::size_t kSurelyNotTyped = 4;

/// What changed around a place, by the size of it.
struct ChangeAround {
  std::size_t inserted = 0;
  std::size_t removed = 0;
  std::size_t alike = 0;      ///< so many bytes of our text were inserted in one piece, in order
  bool at_place = false;      ///< some of it exactly there
  std::size_t elsewhere = 0;  ///< inserted further away, and much like our text
  bool is_ours_gone = false;  ///< what we wanted to take out, whatever else
};

/// So many bytes of `text` are in `inserted`, too, in the same order.
std::size_t common_bytes(std::string_view text, std::string_view inserted) {
  std::size_t common = text.size();
  for (const text::Edit& edit : around_common_text({0, text.size(), std::string(inserted)}, text))
    common -= std::min(common, edit.end - edit.begin);
  return common;
}

/// `edit` is one of the base of `delta`.
ChangeAround change_around(const text::Edit& edit, std::string_view taken_out, const Delta& delta) {
  const std::size_t slack = kSurroundings + edit.replacement.size();
  ChangeAround around;
  for (const Delta::Piece& piece : delta.pieces()) {
    const std::size_t end = piece.begin + piece.before.size();
    if (end + slack < edit.begin || piece.begin > edit.end + slack) {
      const bool is_like_ours =
          edit.replacement.size() >= kSurelyNotTyped &&
          piece.after.size() >= edit.replacement.size() &&
          2 * common_bytes(edit.replacement, piece.after) >= edit.replacement.size();
      if (is_like_ours)
        around.elsewhere += piece.after.size() - std::min(piece.after.size(), piece.before.size());
      continue;
    }
    around.inserted += piece.after.size();
    around.removed += piece.before.size();
    around.alike = std::max(around.alike, common_bytes(edit.replacement, piece.after));
    around.is_ours_gone = around.is_ours_gone || piece.before.find(taken_out) != std::string::npos;
    around.at_place = around.at_place || (end >= edit.begin && piece.begin <= edit.end);
  }
  return around;
}

/// Whether all that changed is that something near `edit`, which takes something out, was replaced
/// by about the same text.
bool is_elsewhere(const text::Edit& edit, const Delta& delta) {
  constexpr std::size_t kNear = 64;
  if (delta.pieces().size() != 1) return false;
  const Delta::Piece& piece = delta.pieces().front();
  const std::size_t end = piece.begin + piece.before.size();
  const bool is_inside = edit.begin <= piece.begin && end <= edit.end;
  const bool is_near = piece.begin <= edit.end + kNear && edit.begin <= end + kNear;
  const std::size_t longer = std::max(edit.replacement.size(), piece.after.size());
  return !is_inside && is_near && 2 * common_bytes(edit.replacement, piece.after) >= longer;
}

}  // namespace

/// The edit of the flight as it would be made in the shadow of now: at its own place, wherever that
/// has moved.
text::Edit SyncEngine::ours_now() const {
  const Flight& flight = *flight_;
  // What is typed exactly before the text that it replaces stays before it.
  const std::size_t begin = flight.edit.begin == flight.edit.end
                                ? flight.begin_now
                                : std::min(flight.begin_behind, flight.end_now);
  text::Edit edit{begin, flight.end_now, flight.edit.replacement};
  if (flight.kind == FlightKind::Frame) {
    edit.begin = edit.end = region_in_flight().marks.place;
  } else if (flight.kind == FlightKind::Write) {
    const std::size_t base_end = region_in_flight().marks_at_base.end;
    const std::size_t end = region_in_flight().marks.end;
    // What is typed exactly there stays behind the insertion point; the stale text before it may
    // have become shorter.
    if (flight.edit.end == base_end) edit.end = end;
    edit.begin = flight.edit.begin == base_end ? end : std::min(begin, edit.end);
  }
  return edit;
}

/// The line ends of `edit` if it is `ours`, or holds it, but for them; else nothing.
std::string_view SyncEngine::other_line_ends(const text::Edit& edit, const text::Edit& ours,
                                             Part part) const {
  const std::string_view line_end = text::only_line_end(edit.replacement);
  if (line_end.empty() || text::only_line_end(ours.replacement) == line_end) return {};
  const text::Edit rewritten{ours.begin, ours.end,
                             text::with_line_ends(ours.replacement, line_end)};
  if (rewritten.replacement == ours.replacement) return {};
  const bool is_ours = same_change(edit, rewritten, shadow_.text());
  const bool holds_ours = may_hold_more_than_ours(edit, rewritten, part) &&
                          edit.replacement.find(rewritten.replacement) != std::string::npos;
  return is_ours || holds_ours ? line_end : std::string_view();
}

/// The flight, and all that is not yet written, has `line_end` from now on. Then the flight's echo
/// is what the client tells.
void SyncEngine::adopt_line_ends(std::string_view line_end) {
  Flight& flight = *flight_;
  const bool is_of_region = flight.kind == FlightKind::Frame || flight.kind == FlightKind::Write;
  for (GrowingRegion& region : regions_) {
    if (!is_of_region || !is_in_flight(region)) adopt_in_region(region, line_end);
  }
  if (is_of_region) {
    GrowingRegion& region = region_in_flight();
    if (flight.reply_begin < region.landed) {  // white space that had been taken away
      const std::size_t again = region.landed - flight.reply_begin;
      region.pending.insert(0, flight.edit.replacement, 0,
                            std::min(again, flight.edit.replacement.size()));
      region.landed = flight.reply_begin;
    }
    const std::size_t head = flight.kind == FlightKind::Frame ? region.frame.head.size() : 0;
    // Of a stale span that is written over, what stays in front of the edit is the client's text
    // already.
    const std::size_t kept =
        flight.kind == FlightKind::Write
            ? std::min(flight.edit.begin - flight.written_at, flight.reply_length)
            : 0;
    const std::size_t sent =
        std::min(flight.reply_length - kept, flight.edit.replacement.size() - head);
    const std::size_t valid = std::min(flight.reply_valid, kept + sent);
    const std::string_view reply = std::string_view(flight.edit.replacement).substr(head, sent);
    const std::string rewritten = text::with_line_ends(reply, line_end);
    const std::string still_wanted =
        valid > kept ? text::with_line_ends(reply.substr(0, valid - kept), line_end)
                     : std::string();
    const std::size_t old_valid = flight.reply_valid;
    // So does what stays behind it; with other line ends it is to be written anew.
    const std::string behind =
        region.pending.substr(std::min(valid, region.pending.size()), old_valid - valid);
    if (text::with_line_ends(behind, line_end) != behind) flight.reply_valid = valid;
    if (valid > kept) flight.reply_valid += still_wanted.size() - (valid - kept);
    flight.reply_length += rewritten.size() - sent;
    const auto is_stale = [](const OwnedSpan& span) { return span.stale; };
    const bool is_known =
        std::count_if(flight.carried.begin(), flight.carried.end(), is_stale) == 1;
    const std::uint32_t replacement = is_known ? flight.carried.back().replacement : 0;
    flight.carried.clear();
    add_owned(flight.carried, OwnedSpan{0, flight.reply_valid, flight.reply_begin, false});
    add_owned(flight.carried,
              OwnedSpan{flight.reply_valid, flight.reply_length - flight.reply_valid,
                        flight.reply_begin + flight.reply_valid, true, replacement});
    std::string pending = region.pending.substr(0, std::min(kept, old_valid));
    pending +=
        text::with_line_ends(std::string_view(region.pending).substr(pending.size()), line_end);
    region.pending = std::move(pending);
    region.frame.head = text::with_line_ends(region.frame.head, line_end);
    region.frame.tail = text::with_line_ends(region.frame.tail, line_end);
    notices_.push_back({NoticeKind::LineEndsAdopted, region.id, std::string(line_end),
                        std::min(flight.reply_begin, region.landed) + std::min(kept, old_valid)});
  }
  const std::string removed =
      flight.delta.pieces().empty() ? std::string() : flight.delta.pieces().front().before;
  const std::size_t old_size = flight.edit.replacement.size();
  flight.edit.replacement = text::with_line_ends(flight.edit.replacement, line_end);
  flight.delta = Delta(flight.edit, removed);
  if (!flight.expected.empty())
    flight.expected.replace(flight.edit.begin, old_size, flight.edit.replacement);
}

void SyncEngine::adopt_in_region(GrowingRegion& region, std::string_view line_end) {
  if (region.state == RegionState::Settled || region.state == RegionState::Detached) return;
  region.pending = text::with_line_ends(region.pending, line_end);
  if (region.state == RegionState::Opening) {
    region.frame.head = text::with_line_ends(region.frame.head, line_end);
    region.frame.tail = text::with_line_ends(region.frame.tail, line_end);
  }
  notices_.push_back(
      {NoticeKind::LineEndsAdopted, region.id, std::string(line_end), region.landed});
}

/// The flight is given up. If the text changed by about as much as it should have, about where it
/// should have, the client may have made something else of it: then to send it again would write it
/// again. What a person types there meanwhile looks like that, too, the less the larger the edit
/// is.
void SyncEngine::note_unproven_edit() {
  const Flight& flight = *flight_;
  const std::size_t size = flight.edit.replacement.size();
  const std::string taken_out =
      flight.delta.pieces().empty() ? std::string() : flight.delta.pieces().front().before;
  const ChangeAround around = change_around(flight.edit, taken_out, flight.since_base);
  const std::size_t grown = around.inserted - std::min(around.inserted, around.removed);
  const bool is_alike = is_convincing(flight) && 4 * around.alike >= 3 * size;
  // A client that refuses says why the text changed without our edit: somebody typed first, maybe
  // the same. One that fails behind its insertion does so again and again.
  if (flight.answer == Answer::Refused || flight.answer == Answer::Failed) {
    if (is_convincing(flight) && around.alike == size) suspect(Suspicion::AsMuch, grown);
    return;
  }
  // It is told that nothing changed: a client that puts the edit where it does nothing does so each
  // time.
  if (flight.answer == Answer::Applied && flight.seen && flight.since_base.pieces().empty())
    return suspect(Suspicion::AtItsPlace, 0);
  const std::size_t wanted_gone =
      flight.edit.end - flight.edit.begin - std::min(flight.edit.end - flight.edit.begin, size);
  const std::size_t gone = around.removed - std::min(around.inserted, around.removed);
  const bool is_as_much =
      wanted_gone >= kSurelyNotTyped && gone == wanted_gone && !around.is_ours_gone;
  if (is_as_much && is_elsewhere(flight.edit, flight.since_base)) {
    if (is_miscounted()) return stop_writing();  // no second try
    return suspect(Suspicion::Alike, 0);
  }
  if (size == 0 || 2 * grown < size) {
    // What is put at a fixed place falls behind our end, the further the more of it there is.
    if (around.elsewhere > 0) suspect(Suspicion::Near, around.elsewhere);
    return;
  }
  if (is_alike) {
    suspect(Suspicion::Alike, grown);
  } else if ((is_convincing(flight) && grown >= size) ||
             (size >= kSurelyNotTyped && around.alike == size)) {
    suspect(Suspicion::AsMuch, grown);
  } else {
    suspect(around.at_place ? Suspicion::AtItsPlace : Suspicion::Near, grown);
  }
}

/// Whether the one thing that changed is just where a client puts the edit that counts columns in
/// other units than it agreed to.
bool SyncEngine::is_miscounted() const {
  using text::PositionEncoding;
  const std::size_t begin = flight_->since_base.pieces().front().begin;
  const std::size_t right = shadow_.offset_of(flight_->literal.start, encoding_);
  const auto puts_it_there = [&](PositionEncoding other) {
    const std::size_t place = shadow_.offset_of(flight_->literal.start, other);
    return place != right && place == begin;
  };
  return puts_it_there(PositionEncoding::Utf8) || puts_it_there(PositionEncoding::Utf16) ||
         puts_it_there(PositionEncoding::Utf32);
}

void SyncEngine::suspect(Suspicion suspicion, std::size_t grown) {
  suspicion_ += static_cast<int>(suspicion);
  unproven_growth_ += grown;
  ++unproven_edits_;
  // One paste beside an edit that was dropped is no rewriting.
  const bool grows = unproven_edits_ > 1 && unproven_growth_ > kMaxUnprovenGrowth;
  if (suspicion_ >= kMaxSuspicion || grows) stop_writing();
}

/// Until the person lets it go on.
void SyncEngine::stop_writing() {
  suspicion_ = 0;
  unproven_growth_ = 0;
  unproven_edits_ = 0;
  std::optional<RegionId> stopped;
  for (GrowingRegion& region : regions_) {
    if (region.state != RegionState::Opening && region.state != RegionState::Growing) continue;
    region.state =
        region.state == RegionState::Opening ? RegionState::Detached : RegionState::Paused;
    stopped = region.id;
  }
  proposals_.clear();
  notices_.push_back({NoticeKind::ClientRewrites, stopped});
}

}  // namespace agent_doc::sync
