// What it is: the algorithm that writes an agent's reply into a text that somebody else owns and is typing in (ARCHITECTURE,
// "Writing into a text that is being typed in"). One shadow, anchors, and one edit in flight.
// What it is not: it does no I/O, knows no clock, no JSON, and nothing of turns or agents. It never believes an answer without evidence:
// an edit has landed when the shadow shows it.
// Thread rule: not thread-safe; a document's engine is used by the server's thread only.
#pragma once

#include "server/sync/echo_order.hpp"
#include "server/sync/flight.hpp"
#include "server/sync/region.hpp"
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

/// One edit for the client: exactly one contiguous piece, against exactly `base_version`. Offsets are bytes of the shadow at that version.
struct OutgoingEdit {
  Version base_version = 0;
  text::Edit edit;
};

/// How much of a growing reply may leave now.
enum class Release {
  Everything,
  HoldLastGrapheme,  ///< keep the last grapheme cluster back, unless it is ASCII: it may go on
  WholeLines,        ///< up to the last line end, and all of it if it has none
};

/// What the owner of the engine must know and could not see itself. Told once, in order.
enum class NoticeKind {
  RegionPaused,           ///< the person undid text of the reply: nothing more is written until resume_region()
  RegionResumed,          ///< the person redid it
  RegionDetached,         ///< the region or its heading was deleted: nothing more is written
  ShadowLost,             ///< the client's changes do not fit its text: nothing is written until it opens the document again
  ClientIgnoresVersions,  ///< an edit landed that should have been refused; from now on edits should wait for silence
  ClientKeepsRefusing,    ///< kMaxRefusalsAtOneVersion refusals without any change of the text: a read-only buffer, for instance
};
struct Notice {
  NoticeKind kind;
  std::optional<RegionId> region;
};

/// The next single edit that brings the text nearer to what is wanted, or nothing when the text is as wanted. It is asked again after
/// every landing and every refusal, always against the current shadow. It must only touch bytes that are the server's own (front matter values).
using Proposal = std::function<std::optional<text::Edit>(const text::TextBuffer&)>;
/// When a proposal is done.
enum class ProposalEnd {
  AsWanted,  ///< when it has nothing to change any more
  Landed,    ///< when one edit of it has landed
};

enum class AnchorId : std::uint32_t {};

inline constexpr std::size_t kMaxAnchors = 1000;
inline constexpr int kMaxRefusalsAtOneVersion = 5;
/// A literal landing at another place than intended counts as ours only when at least this much text proves it.
inline constexpr std::size_t kConvincingBytes = 16;

class SyncEngine {
 public:
  explicit SyncEngine(text::PositionEncoding encoding);

  // --- from the client ---

  /// The first didOpen, or a later one: then the regions are found again in the new text by what changed.
  void did_open(Version version, std::string text);
  /// Changes are applied in order. Without a newer version, or with a range outside the text, the shadow is lost.
  void did_change(Version version, const std::vector<ContentChange>& changes);
  /// The answer to the one edit in flight; ignored when there is none. TimedOut may follow another answer, and itself, when no echo came for long. It
  /// proves nothing: the edit is sent again only when newer text came without it.
  void answered(Answer answer);
  /// Nobody shows the text any more. Nothing is written until did_open().
  void did_close();

  // --- from the turn ---

  /// Opens a region at byte `at` of the shadow; its frame is inserted in one edit. Text that is typed exactly at `at` meanwhile stays above it.
  RegionId open_region(std::size_t at, Frame frame);
  /// Bytes at the end of the reply. `bytes` is whole UTF-8 with the document's line ends.
  void append(RegionId region, std::string_view bytes);
  /// The reply is now its first `offset` bytes and `bytes`. Deletes only what this engine inserted.
  void replace_from(RegionId region, std::size_t offset, std::string_view bytes);
  /// No more will come. The region is forgotten once everything has landed.
  void finish_region(RegionId region);
  /// Takes the frame back out when nothing was written into it by anybody; otherwise like finish_region().
  void retract_region(RegionId region);
  /// Goes on after RegionPaused. What was undone is not inserted again.
  void resume_region(RegionId region);
  /// Lets a settled region grow again, as if all of `reply` had just landed in it: replace_from() writes over it. False when an edit is in flight, its place is
  /// gone, or something else than exactly `reply` stands there.
  bool reopen_region(RegionId region, std::string_view reply);

  void propose(Proposal proposal, ProposalEnd end = ProposalEnd::AsWanted);

  /// Keeps `place`, a byte of the shadow, where it is while the text changes: for what is only looked at. At most kMaxAnchors; the oldest one goes.
  AnchorId add_anchor(std::size_t place);

  // --- to the client ---

  /// The next edit, if one may leave now. The caller sends it at once: its offsets are those of the shadow now.
  std::optional<OutgoingEdit> poll(Release release);
  /// A refusal blocks the next edit until the text changes; this lifts the block (after a pause that the caller chooses).
  void allow_retry();
  /// Notices since the last call.
  std::vector<Notice> take_notices();

  // --- to look at ---

  bool is_open() const { return state_ == State::Open; }
  bool in_flight() const { return flight_.has_value(); }
  bool wants_to_write() const;
  bool waits_for_retry() const { return blocked_; }
  Version version() const { return version_; }
  const text::TextBuffer& shadow() const { return shadow_; }
  RegionState region_state(RegionId region) const;
  /// Where the reply stands in the shadow: [begin, end) in bytes. Empty for a region that is not in the text.
  std::optional<RegionExtent> region_extent(RegionId region) const;
  std::optional<std::size_t> anchor(AnchorId anchor) const;

 private:
  enum class State { NeverOpened, Open, Closed, Lost };
  enum class Ending { None, Finish, Retract };
  /// Of an edit at its literal position, in a text that has changed.
  enum class Landing { None, AsMeant, Misplaced };
  struct Region {
    RegionId id{};
    Frame frame;
    RegionState state = RegionState::Opening;
    Ending ending = Ending::None;
    std::size_t landed = 0;  ///< so many bytes of the reply are in the text, or were and a person changed them
    std::string pending;     ///< the reply's bytes from `landed` on
  };

  struct OpenProposal {
    Proposal next;
    ProposalEnd end = ProposalEnd::AsWanted;
    int asked = 0;
  };

  std::size_t index_of(RegionId region) const;

  // What comes in.
  /// Of a change of a range; nothing when it does not fit the text.
  std::optional<text::Edit> to_edit(const ContentChange& change) const;
  void apply_ranged(text::Edit edit);
  void apply_foreign(const text::Edit& edit);
  void move_everything(const text::Edit& edit);
  void apply_as_diff(std::string_view before, std::size_t offset, std::string_view after, Told told);
  std::vector<RegionMarks> marks_after_echo_and(const std::vector<text::Edit>& edits, std::size_t offset) const;
  Claim claim(Told told) const;
  bool may_hold_echo() const;
  bool holds_ours(const text::Edit& edit) const;
  void look_for_echo(const text::Edit& edit, std::string_view removed);
  Landing landing_at_literal(const text::Edit& edit) const;
  text::Edit literal_edit() const;
  std::vector<RegionMarks> marks_after_literal_landing(Landing landing) const;
  void settle_literal_landing();
  static bool is_convincing(const Flight& flight);
  void lose_shadow();

  // What is decided.
  void decide();
  void land();
  void wait_longer();
  void drop_flight();
  void judge_regions();
  bool joins_heading(std::size_t index) const;
  std::vector<RegionMarks> marks_after_landing(const std::vector<RegionMarks>& before, const text::Edit& landed) const;

  // What goes out.
  std::optional<Flight> next_flight(Release release);
  std::optional<Flight> proposal_flight();
  std::optional<Flight> region_flight(std::size_t index, Release release);
  std::optional<Flight> frame_flight(std::size_t index, Release release);
  std::optional<Flight> write_flight(std::size_t index, Release release);
  std::optional<Flight> clean_flight(std::size_t index);
  std::optional<Flight> retract_flight(std::size_t index);
  void keep_agreeing_stale_text(std::size_t index);
  void make_expressible(RegionMarks& marks) const;
  OutgoingEdit launch(Flight flight);

  text::PositionEncoding encoding_;
  State state_ = State::NeverOpened;
  Version version_ = 0;
  text::TextBuffer shadow_;
  std::vector<Region> regions_;
  std::vector<RegionMarks> marks_;  ///< of regions_, same index
  std::deque<OpenProposal> proposals_;
  std::deque<std::size_t> anchors_;
  std::uint32_t first_anchor_ = 1;  ///< the id of the first of them
  std::optional<Flight> flight_;
  std::vector<Notice> notices_;
  std::uint32_t next_region_ = 1;
  bool blocked_ = false;
  int refusals_at_version_ = 0;
  bool ignores_versions_ = false;
};

}  // namespace agent_doc::sync
