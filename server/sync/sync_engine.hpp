// What it is: the algorithm that writes an agent's reply into a text that somebody else owns and is
// typing in (ARCHITECTURE, "Writing into a text that is being typed in"). One shadow, anchors, and
// one edit in flight.
// What it is not: it does no I/O, knows no clock, no JSON, and nothing of turns or agents. It never
// believes an answer without evidence: an edit has landed when the shadow shows it.
// Thread rule: not thread-safe; a document's engine is used by the server's thread only.
#pragma once

#include "server/sync/echo_order.hpp"
#include "server/sync/flight.hpp"
#include "server/sync/growing_region.hpp"
#include "server/sync/recent_texts.hpp"
#include "server/sync/region.hpp"
#include "server/sync/standing_texts.hpp"
#include "server/text/edit.hpp"
#include "server/text/position.hpp"
#include "server/text/text_buffer.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::sync {

/// `version` of a TextDocument (LSP). 0 means that the client does not check versions.
using Version = std::int64_t;

/// The whole text, from a client without incremental sync or after a reload.
struct ReplaceAll {
  std::string text;
};
/// One entry of `contentChanges` (LSP), in positions of the text after the entries before it.
struct ReplaceRange {
  text::Range range;
  std::string text;
};
/// The same in bytes, from a client inside this process.
using ContentChange = std::variant<ReplaceAll, ReplaceRange, text::Edit>;

/// One edit for the client: exactly one contiguous piece, against exactly `base_version`. Offsets
/// are bytes of the shadow at that version.
struct OutgoingEdit {
  Version base_version = 0;
  text::Edit edit;
  FlightKind kind = FlightKind::Proposal;
};

/// How much of a growing reply may leave now.
enum class Release {
  Everything,
  HoldLastGrapheme,  ///< keep the last grapheme cluster back, unless it is ASCII: it may go on
  WholeLines,        ///< up to the last line end, and all of it if it has none
};

/// What the owner of the engine must know and could not see itself. Told once, in order.
enum class NoticeKind {
  RegionPaused,    ///< the person undid text of the reply: nothing more is written until
                   ///< resume_region()
  RegionResumed,   ///< the person redid it, or brought back what had been deleted
  RegionDetached,  ///< the region or its heading was deleted: nothing more is written until it
                   ///< comes back unchanged
  ShadowLost,  ///< the client's changes do not fit its text: nothing is written until it opens the
               ///< document again
  ClientIgnoresVersions,  ///< an edit landed that should have been refused; from now on edits
                          ///< should wait for silence
  ClientKeepsRefusing,    ///< kMaxRefusalsAtOneVersion refusals without any change of the text: a
                          ///< read-only buffer, for instance
  LineEndsAdopted,  ///< the client writes other line ends than it was sent: the region's reply has
                    ///< `line_end` from `reply_offset` on
  ClientRewrites,   ///< what was inserted came back as something else, or elsewhere, again and
                    ///< again: nothing more is written
};
struct Notice {
  NoticeKind kind;
  std::optional<RegionId> region;
  std::string line_end = {};
  std::size_t reply_offset = 0;
};

/// The next single edit that brings the text nearer to what is wanted, or nothing when the text is
/// as wanted. It is asked again after every landing and every refusal, always against the current
/// shadow. It must only touch bytes that are the server's own (front matter values).
using Proposal = std::function<std::optional<text::Edit>(const text::TextBuffer&)>;
/// When a proposal is done.
enum class ProposalEnd {
  AsWanted,  ///< when it has nothing to change any more
  Landed,    ///< when one edit of it has landed
};

enum class AnchorId : std::uint32_t {};

inline constexpr std::size_t kMaxAnchors = 1000;
inline constexpr int kMaxRefusalsAtOneVersion = 5;
/// An edit that cannot be found in the text, though the text changed about as it should have: how
/// much that says against the client. When the sum over edits in a row is kMaxSuspicion, or the
/// text grew by kMaxUnprovenGrowth bytes, the client rewrites or misplaces what it inserts.
enum class Suspicion {
  Near = 0,
  AtItsPlace = 1,
  AsMuch = 2,
  Alike = 4,
};
inline constexpr int kMaxSuspicion = 8;
inline constexpr std::size_t kMaxUnprovenGrowth = 1024;
/// A literal landing at another place than intended counts as ours only when at least this much
/// text proves it.
inline constexpr std::size_t kConvincingBytes = 16;
/// Of edits that were given up and may land late.
inline constexpr std::size_t kMaxGivenUp = 8;

class SyncEngine {
 public:
  explicit SyncEngine(text::PositionEncoding encoding);

  // --- from the client ---

  /// The first didOpen, or a later one: then the regions are found again in the new text by what
  /// changed.
  void did_open(Version version, std::string text);
  /// Changes are applied in order. Without a newer version, or with a range outside the text, the
  /// shadow is lost.
  void did_change(Version version, const std::vector<ContentChange>& changes);
  /// The answer to the one edit in flight; ignored when there is none. TimedOut may follow another
  /// answer, and itself, when no echo came for long. It proves nothing: the edit is sent again only
  /// when newer text came without it.
  void answered(Answer answer);
  /// Gives up the wait for an echo: awaits_echo() was true for too long.
  void echo_is_overdue();
  /// The text as it is was saved: what it may be again after did_close().
  void did_save();
  /// Nobody shows the text any more. Nothing is written until did_open().
  void did_close();

  // --- from the turn ---

  /// Opens a region at byte `at` of the shadow; its frame is inserted in one edit. `typed` says
  /// what becomes of text that is typed exactly at `at` meanwhile; with GoesBelow a frame that is
  /// taken back leaves a blank line above what stands below it.
  RegionId open_region(std::size_t at, Frame frame, TypedAtPlace typed = TypedAtPlace::StaysAbove);
  /// Opens a region on a reply that stands in the text: what stands there has landed. No edit may
  /// be in flight.
  RegionId adopt_region(const StandingReply& reply, Frame frame);
  /// Opens a region in a component of the document, between its markers: it grows from `end` on,
  /// and no edit is needed for that. What is typed there stays below it. Detached while one of the
  /// markers is gone.
  RegionId open_body(const ComponentBody& body);
  /// Bytes at the end of the reply. `bytes` is whole UTF-8 with the document's line ends.
  void append(RegionId region, std::string_view bytes);
  /// The reply is now its first `offset` bytes and `bytes`. Deletes only what this engine inserted.
  void replace_from(RegionId region, std::size_t offset, std::string_view bytes);
  /// No more will come. The region is forgotten once everything has landed.
  void finish_region(RegionId region);
  /// Takes the frame back out when nothing was written into it by anybody; otherwise like
  /// finish_region().
  void retract_region(RegionId region);
  /// Goes on after RegionPaused. What was undone is not inserted again.
  void resume_region(RegionId region);
  /// Another region takes the reply: nothing more is written here, whatever the text becomes.
  void give_up_region(RegionId region);
  /// Lets a settled region grow again, as if all of `reply` had just landed in it: replace_from()
  /// writes over it. False when an edit is in flight, its place is gone, or something else than
  /// exactly `reply` stands there.
  bool reopen_region(RegionId region, std::string_view reply);

  void propose(Proposal proposal, ProposalEnd end = ProposalEnd::AsWanted);

  /// Keeps `place`, a byte of the shadow, where it is while the text changes: for what is only
  /// looked at. At most kMaxAnchors; the oldest one goes.
  AnchorId add_anchor(std::size_t place);
  /// Texts of the shadow, of which every change that follows leaves less.
  StandingTexts& standing_texts() { return standing_texts_; }

  // --- to the client ---

  /// The next edit, if one may leave now. The caller sends it at once: its offsets are those of the
  /// shadow now.
  std::optional<OutgoingEdit> poll(Release release);
  /// A refusal blocks the next edit until the text changes; this lifts the block (after a pause
  /// that the caller chooses).
  void allow_retry();
  /// Notices since the last call.
  std::vector<Notice> take_notices();

  // --- to look at ---

  bool is_open() const { return state_ == State::Open; }
  bool in_flight() const { return flight_.has_value(); }
  /// The edit in flight was answered Applied, and newer text came without it, or with what only
  /// looks like it: it comes soon or never.
  bool awaits_echo() const;
  bool wants_to_write() const;
  bool waits_for_retry() const { return blocked_; }
  Version version() const { return version_; }
  const text::TextBuffer& shadow() const { return shadow_; }
  RegionState region_state(RegionId region) const;
  /// Where the reply stands in the shadow: [begin, end) in bytes. Empty for a region that is not in
  /// the text.
  std::optional<RegionExtent> region_extent(RegionId region) const;
  std::optional<std::size_t> anchor(AnchorId anchor) const;

 private:
  enum class State { NeverOpened, Open, Closed, Lost };
  /// Of what one notification tells.
  enum class Part {
    All,
    OneOfSeveral,
    BesideOurs,  ///< the edit in flight is told for itself
  };
  enum class Origin { Told, FoundByDiff };
  /// Where a region stands after something that may have happened.
  struct MarksThen {
    GrowingRegion* region = nullptr;
    RegionMarks marks;
  };

  struct OpenProposal {
    Proposal next;
    ProposalEnd end = ProposalEnd::AsWanted;
    int asked = 0;
  };

  GrowingRegion* find_region(RegionId region);
  const GrowingRegion* find_region(RegionId region) const;
  /// The region of the edit in flight, which is no proposal.
  GrowingRegion& region_in_flight() { return *find_region(flight_->region); }
  const GrowingRegion& region_in_flight() const { return *find_region(flight_->region); }
  bool is_in_flight(const GrowingRegion& region) const {
    return flight_ && flight_->region == region.id;
  }

  RegionId add_region(GrowingRegion region);
  void forget_regions_that_ended();

  // What comes in.
  /// Of a change of a range; nothing when it does not fit the text.
  std::optional<text::Edit> to_edit(const ContentChange& change) const;
  Part part_of(const std::vector<ContentChange>& changes) const;
  void apply_ranged(text::Edit edit, Part part, Origin origin);
  text::Edit minimised(text::Edit edit) const;
  std::optional<text::Edit> one_sided(const text::Edit& edit, Origin origin) const;
  void apply_as_diff(std::size_t begin, std::size_t end, std::string_view after, Told told,
                     Part part);
  void apply_foreign(const text::Edit& edit);
  void move_everything(const text::Edit& edit);
  void map_to_base(RegionMarks& marks) const;
  RegionsThen regions_now() const;
  void remember_text();
  void return_to(const RegionsThen* then);
  void lose_shadow();

  // Our edit among what others changed (sync_engine_guesses.cpp).
  bool may_hold_echo() const { return flight_ && !flight_->echo; }
  bool may_be_told_yet() const { return flight_ && (!flight_->echo || flight_->may_be_told); }
  bool may_hold_more_than_ours(const text::Edit& edit, const text::Edit& ours, Part part) const;
  bool apply_as_ours_and_more(std::size_t begin, std::size_t end, std::string_view after, Told told,
                              const std::optional<text::Edit>& by_others = std::nullopt);
  bool is_by_others_alone(const Explanations& explanations, const text::Edit& ours,
                          std::size_t offset, Told told) const;
  bool keeps_heading(const std::vector<MarksThen>& marks, std::string_view after,
                     std::size_t begin) const;
  std::vector<MarksThen> marks_after_echo_and(const text::Edit& ours,
                                              const std::vector<text::Edit>& edits,
                                              std::size_t offset);
  Claim claim() const;

  // Where our edit lands (sync_engine_landing.cpp).
  void look_for_echo(const text::Edit& edit, std::string_view removed);
  std::vector<text::Edit> places_of_ours(const text::Edit& edit) const;
  std::optional<LiteralLanding> literal_landing(const text::Edit& edit);
  text::Edit literal_edit() const;
  void settle_literal_landing();
  bool has_lost_place() const;
  void look_for_place();
  std::optional<LateLanding> take_late_landing(const text::Edit& edit);
  std::optional<LateLanding> late_landing(const text::Edit& edit,
                                          const text::TextBuffer& text) const;
  std::optional<std::size_t> late_length(const text::Edit& edit, const GivenUp& given_up,
                                         const text::TextBuffer& text) const;
  bool was_sent_before(const Flight& flight) const;
  void own_as_stale(RegionId region, std::size_t begin, std::size_t length);
  static bool is_convincing(const Flight& flight);
  void set_marks_if_echo();
  RegionMarks marks_after_landing(const GrowingRegion& region, const RegionMarks& before,
                                  const text::Edit& landed) const;
  RegionMarks marks_after_frame(const GrowingRegion& region, RegionMarks marks,
                                std::size_t frame_begin) const;
  std::vector<OwnedSpan> owned_after_write(const std::vector<OwnedSpan>& owned,
                                           const text::Edit& landed) const;
  void add_parts_by_base(std::vector<OwnedSpan>& parts, OwnedSpan span) const;
  std::optional<std::size_t> base_of_stale(const OwnedSpan& span) const;

  // What a client makes of our edit (sync_engine_rewrites.cpp).
  text::Edit ours_now() const;
  std::string_view other_line_ends(const text::Edit& edit, const text::Edit& ours, Part part) const;
  void adopt_line_ends(std::string_view line_end);
  void adopt_in_region(GrowingRegion& region, std::string_view line_end);
  void note_unproven_edit();
  bool is_miscounted() const;
  void suspect(Suspicion suspicion, std::size_t grown);
  void stop_writing();

  // What is decided.
  void decide();
  void land();
  void wait_longer();
  void drop_flight();
  void judge_regions();

  // What goes out.
  std::optional<Flight> next_flight(Release release);
  std::optional<Flight> proposal_flight();
  std::optional<Flight> region_flight(GrowingRegion& region, Release release);
  std::optional<Flight> frame_flight(const GrowingRegion& region, Release release);
  std::optional<Flight> write_flight(GrowingRegion& region, Release release);
  void own_standing_text(GrowingRegion& region, std::size_t begin, std::size_t reply_begin);
  std::optional<Flight> clean_flight(const GrowingRegion& region);
  void step_over_line_ends(GrowingRegion& region);
  std::optional<Flight> line_ends_flight(GrowingRegion& region);
  std::optional<Flight> retract_flight(const GrowingRegion& region);
  void keep_agreeing_stale_text(GrowingRegion& region);
  void make_expressible(RegionMarks& marks) const;
  OutgoingEdit launch(Flight flight);

  text::PositionEncoding encoding_;
  State state_ = State::NeverOpened;
  Version version_ = 0;
  text::TextBuffer shadow_;
  std::vector<GrowingRegion> regions_;
  std::deque<OpenProposal> proposals_;
  StandingTexts standing_texts_;
  std::deque<std::size_t> anchors_;
  std::uint32_t first_anchor_ = 1;  ///< the id of the first of them
  std::optional<Flight> flight_;
  std::deque<GivenUp> given_up_;
  RecentTexts recent_;
  bool is_told_by_result_ =
      false;               ///< some change of this notification was found by comparing texts
  bool had_echo_ = false;  ///< before this notification
  std::vector<Notice> notices_;
  std::uint32_t next_region_ = 1;
  bool blocked_ = false;
  int refusals_at_version_ = 0;
  bool ignores_versions_ = false;
  bool merges_if_ours_ =
      false;  ///< the guess about the flight: it was told together with other changes
  bool merges_changes_ = false;  ///< it was so once
  int suspicion_ = 0;            ///< over the edits since the last one that landed
  std::size_t unproven_growth_ = 0;
  int unproven_edits_ = 0;
};

}  // namespace agent_doc::sync
