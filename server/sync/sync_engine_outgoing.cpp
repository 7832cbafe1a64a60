// The half of SyncEngine that builds the next edit.

#include "server/sync/sync_engine.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

/// A proposal that is not satisfied after so many landings contradicts itself and is given up.
constexpr int kMaxLandingsPerProposal = 16;
/// Looked at from the end of the pending text to find its last grapheme cluster.
constexpr std::size_t kGraphemeWindow = 256;

std::size_t releasable(std::string_view pending, Release release) {
  if (release == Release::Everything || pending.empty()) return pending.size();
  if (release == Release::WholeLines) {
    const std::size_t line_end = pending.rfind('\n');
    if (line_end != std::string_view::npos) return line_end + 1;
  }
  // An ASCII letter may be followed by a combining mark, but waiting for that would delay every
  // edit.
  if (static_cast<unsigned char>(pending.back()) < 0x80 && pending.back() != '\r')
    return pending.size();
  const std::size_t window = pending.size() > kGraphemeWindow
                                 ? text::floor_boundary(pending, pending.size() - kGraphemeWindow)
                                 : 0;
  return window + text::last_grapheme(pending.substr(window));
}

/// Between "\r" and "\n" there is no LSP position.
bool splits_crlf(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n';
}

/// How many bytes a line end at `at` has; 0 when there is none.
std::size_t line_end_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (text[at] == '\n') return 1;
  if (text[at] != '\r') return 0;
  return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
}

/// Of the line ends that `head` begins with, so many bytes as keep a blank line above what is
/// written `below` it.
std::size_t line_ends_to_keep(std::string_view head, std::string_view below) {
  constexpr std::size_t kBlankLine = 2;
  if (below.find_first_not_of(" \t\r\n") == std::string_view::npos) return 0;
  std::size_t there = 0;
  for (std::size_t at = 0; line_end_at(below, at) > 0; at += line_end_at(below, at)) ++there;
  std::size_t kept = 0;
  for (; there < kBlankLine && line_end_at(head, kept) > 0; ++there)
    kept += line_end_at(head, kept);
  return kept;
}

}  // namespace

std::optional<OutgoingEdit> SyncEngine::poll(Release release) {
  if (state_ != State::Open || flight_ || blocked_) return std::nullopt;
  std::optional<Flight> flight = next_flight(release);
  if (!flight) return std::nullopt;
  return launch(std::move(*flight));
}

/// Frames and the first text of a reply first: they are what the person waits for. Then what is
/// said in the front matter, then more text.
std::optional<Flight> SyncEngine::next_flight(Release release) {
  for (GrowingRegion& region : regions_) {
    const bool has_first_text = region.landed == 0 && !region.pending.empty();
    if (region.state != RegionState::Opening && !has_first_text) continue;
    if (std::optional<Flight> flight = region_flight(region, release)) return flight;
  }
  if (std::optional<Flight> flight = proposal_flight()) return flight;
  for (GrowingRegion& region : regions_) {
    if (std::optional<Flight> flight = region_flight(region, release)) return flight;
  }
  return std::nullopt;
}

std::optional<Flight> SyncEngine::proposal_flight() {
  while (!proposals_.empty()) {
    std::optional<text::Edit> edit = proposals_.front().next(shadow_);
    if (edit)
      *edit = text::minimise(
          std::move(*edit),
          std::string_view(shadow_.text()).substr(edit->begin, edit->end - edit->begin));
    if (edit && !edit->is_no_op() && ++proposals_.front().asked <= kMaxLandingsPerProposal) {
      Flight flight;
      flight.kind = FlightKind::Proposal;
      flight.edit = std::move(*edit);
      return flight;
    }
    proposals_.pop_front();
  }
  return std::nullopt;
}

std::optional<Flight> SyncEngine::region_flight(GrowingRegion& region, Release release) {
  const Release here = region.ending == RegionEnding::None ? release : Release::Everything;
  if (region.state != RegionState::Opening && region.state != RegionState::Growing)
    return std::nullopt;
  make_expressible(region.marks);
  keep_agreeing_stale_text(region);
  if (std::optional<Flight> flight = clean_flight(region)) return flight;
  if (region.state == RegionState::Opening) {
    if (region.ending != RegionEnding::Retract) return frame_flight(region, here);
    region.state = RegionState::Settled;
    return std::nullopt;
  }
  if (region.ending == RegionEnding::Retract) {
    if (std::optional<Flight> flight = retract_flight(region)) return flight;
    region.ending = RegionEnding::Finish;
  }
  step_over_line_ends(region);
  if (std::optional<Flight> flight = line_ends_flight(region)) return flight;
  std::optional<Flight> flight = write_flight(region, here);
  if (!flight) judge_regions();
  return flight;
}

std::optional<Flight> SyncEngine::frame_flight(const GrowingRegion& region, Release release) {
  Flight flight;
  flight.kind = FlightKind::Frame;
  flight.region = region.id;
  flight.reply_begin = region.landed;
  flight.reply_length = releasable(region.pending, release);
  const std::size_t at = region.marks.place;
  flight.edit = {
      at, at,
      region.frame.head + region.pending.substr(0, flight.reply_length) + region.frame.tail};
  return flight;
}

/// The pending text, in place of the stale span before the insertion point if there is one.
std::optional<Flight> SyncEngine::write_flight(GrowingRegion& region, Release release) {
  const RegionMarks& marks = region.marks;
  Flight flight;
  flight.kind = FlightKind::Write;
  flight.region = region.id;
  const std::size_t length = releasable(region.pending, release);
  const std::string gone = length > 0 ? white_space_gone(marks, region.landed) : std::string();
  flight.reply_begin = region.landed - gone.size();
  flight.reply_length = gone.size() + length;
  const std::size_t begin = stale_tail(marks).value_or(marks.end);
  flight.edit = {begin, marks.end, gone + region.pending.substr(0, length)};
  if (flight.edit.is_no_op()) return std::nullopt;
  if (shadow_.text().compare(begin, marks.end - begin, flight.edit.replacement) == 0) {
    own_standing_text(region, begin, flight.reply_begin);
    return std::nullopt;
  }
  return flight;
}

/// Just what would be written from `reply_begin` on stands at the end of the region, from `begin`
/// on: it has landed.
void SyncEngine::own_standing_text(GrowingRegion& region, std::size_t begin,
                                   std::size_t reply_begin) {
  RegionMarks& marks = region.marks;
  const std::size_t length = marks.end - begin;
  std::erase_if(marks.owned, [begin](const OwnedSpan& span) { return span.begin >= begin; });
  add_owned(marks.owned, OwnedSpan{begin, length, reply_begin, false});
  const std::size_t more = reply_begin + length - region.landed;
  region.landed += more;
  region.pending.erase(0, more);
}

/// Stale spans that no new text takes the place of, one by one.
std::optional<Flight> SyncEngine::clean_flight(const GrowingRegion& region) {
  const RegionMarks& marks = region.marks;
  const bool growing = region.state == RegionState::Growing;
  const std::size_t tail =
      growing ? stale_tail(marks).value_or(std::string::npos) : std::string::npos;
  const auto is_cleaned = [tail](const OwnedSpan& span) { return span.stale && span.begin < tail; };
  const auto first = std::find_if(marks.owned.begin(), marks.owned.end(), is_cleaned);
  if (first == marks.owned.end()) return std::nullopt;
  Flight flight;
  flight.kind = FlightKind::Clean;
  flight.region = region.id;
  flight.edit = {first->begin, first->end(), {}};
  for (auto next = first + 1;
       next != marks.owned.end() && is_cleaned(*next) && next->begin == flight.edit.end; ++next)
    flight.edit.end = next->end();
  return flight;
}

/// Blank lines that were tidied away below the heading may be there again, above those of the tail:
/// then the reply goes on behind them.
void SyncEngine::step_over_line_ends(GrowingRegion& region) {
  const std::optional<Gap> gap = gap_above(region);
  const std::string& tail = region.frame.tail;
  const std::string tail_begin =
      tail.substr(0, std::min(tail.find_first_not_of("\r\n"), tail.size()));
  if (!gap || tail_begin.empty()) return;
  RegionMarks& marks = region.marks;
  const std::string_view text = shadow_.text();
  const std::size_t behind = gap->place + gap->line_ends.size();
  // Further down they are not the frame's.
  if (marks.below < behind + tail_begin.size() ||
      text.substr(gap->place, gap->line_ends.size()) != gap->line_ends)
    return;
  if (text.substr(marks.below - tail_begin.size(), tail_begin.size()) != tail_begin) return;
  marks.head_end = marks.end = behind;
  marks.frame_end = std::max(marks.frame_end, marks.below);
}

/// Line ends that are missing around what is to be written, or around a reply that ends.
std::optional<Flight> SyncEngine::line_ends_flight(GrowingRegion& region) {
  if (region.pending.empty() && region.ending == RegionEnding::None) return std::nullopt;
  std::optional<Gap> gap = region.pending.empty() ? std::nullopt : gap_above(region);
  if (!gap) gap = gap_below(region, shadow_.text());
  if (!gap) return std::nullopt;
  ++region.line_ends_restored;
  Flight flight;
  flight.kind = FlightKind::LineEnds;
  flight.region = region.id;
  flight.edit = {gap->place, gap->place, std::move(gap->line_ends)};
  return flight;
}

/// Nothing when somebody wrote into the frame.
std::optional<Flight> SyncEngine::retract_flight(const GrowingRegion& region) {
  const RegionMarks& marks = region.marks;
  const std::string untouched = region.frame.head + region.frame.tail;
  const bool is_untouched =
      region.kind == RegionKind::FramedHeading && region.landed == 0 && marks.owned.empty() &&
      marks.frame_end - marks.frame_begin == untouched.size() &&
      shadow_.text().compare(marks.frame_begin, untouched.size(), untouched) == 0;
  if (!is_untouched) return std::nullopt;
  Flight flight;
  flight.kind = FlightKind::Retract;
  flight.region = region.id;
  const std::string_view below = std::string_view(shadow_.text()).substr(marks.frame_end);
  const bool parts = marks.place_bias == text::Bias::Left;
  flight.edit = {marks.frame_begin + (parts ? line_ends_to_keep(region.frame.head, below) : 0),
                 marks.frame_end,
                 {}};
  return flight;
}

/// Moves what stands between a "\r" and a "\n", where a person's edits may have left it, to where
/// LSP has a position.
void SyncEngine::make_expressible(RegionMarks& marks) const {
  const std::string_view text = shadow_.text();
  if (splits_crlf(text, marks.place)) --marks.place;
  if (!marks.framed) return;
  if (splits_crlf(text, marks.end)) --marks.end;
  for (OwnedSpan& span : marks.owned) {
    if (span.length > 0 && splits_crlf(text, span.end())) --span.length;
    if (span.length > 0 && splits_crlf(text, span.begin)) {
      ++span.begin;
      ++span.reply_begin;
      --span.length;
    }
  }
  std::erase_if(marks.owned, [](const OwnedSpan& span) { return span.length == 0; });
}

/// Stale text that is what should stand there anyway is not deleted and written again: at the end
/// of the reply, where what is pending belongs.
void SyncEngine::keep_agreeing_stale_text(GrowingRegion& region) {
  RegionMarks& marks = region.marks;
  if (region.state != RegionState::Growing) return;
  const auto is_valid = [](const OwnedSpan& span) { return !span.stale; };
  const auto first = std::find_if(marks.owned.rbegin(), marks.owned.rend(), is_valid).base();
  std::vector<OwnedSpan> kept(marks.owned.begin(), first);
  bool agrees = true;
  for (auto span = first; span != marks.owned.end(); ++span) {
    std::size_t same = 0;
    if (agrees && span->begin >= marks.head_end && span->end() <= marks.end) {
      const std::string_view there =
          std::string_view(shadow_.text()).substr(span->begin, span->length);
      same = text::floor_boundary(there, text::common_prefix(there, region.pending));
    }
    agrees = same == span->length;
    add_owned(kept, OwnedSpan{span->begin, same, region.landed, false});
    add_owned(kept, OwnedSpan{span->begin + same, span->length - same, span->reply_begin + same,
                              true, span->replacement});
    if (same > 0)
      recent_.wanted_again(region.id, {span->replacement, span->reply_begin, region.landed, same});
    region.landed += same;
    region.pending.erase(0, same);
  }
  marks.owned = std::move(kept);
}

/// Gives the edit its final, minimal and expressible shape and remembers everything that proves its
/// landing.
OutgoingEdit SyncEngine::launch(Flight flight) {
  const std::string& text = shadow_.text();
  const std::size_t reply_at = flight.edit.begin;
  flight.edit = text::minimise(
      std::move(flight.edit),
      std::string_view(text).substr(flight.edit.begin, flight.edit.end - flight.edit.begin));
  flight.written_at = reply_at;
  flight.reply_valid = flight.reply_length;
  flight.carried = {OwnedSpan{0, flight.reply_length, flight.reply_begin, false}};
  flight.base_version = version_;
  flight.begin_now = flight.begin_behind = flight.begin_farthest = flight.edit.begin;
  flight.end_now = flight.edit.end;
  flight.literal = {shadow_.position_of(flight.edit.begin, encoding_),
                    shadow_.position_of(flight.edit.end, encoding_)};
  flight.delta = Delta(flight.edit, std::string_view(text).substr(
                                        flight.edit.begin, flight.edit.end - flight.edit.begin));
  for (GrowingRegion& region : regions_) region.marks_at_base = region.marks;
#ifndef NDEBUG
  flight.expected = text;
  flight.expected.replace(flight.edit.begin, flight.edit.end - flight.edit.begin,
                          flight.edit.replacement);
#endif
  flight_ = std::move(flight);
  return OutgoingEdit{version_, flight_->edit, flight_->kind};
}

}  // namespace agent_doc::sync
