// What it is: the server's side of a run: a SyncEngine and its EditPacer, used as Conversation and
// ApplyEdit use them, and the record of what the agent wanted. Every edit is checked before it
// leaves.
// What it is not: an agent, a turn or a protocol.
// Thread rule: one object per life of the server.
#pragma once

#include "server/session/edit_pacer.hpp"
#include "server/sync/sync_engine.hpp"
#include "tests/simulation/client.hpp"
#include "tests/simulation/script.hpp"
#include "tests/simulation/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::simulation {

/// What should stand in the text when everything is quiet.
struct WantedRegion {
  enum class Ending { None, Finished, Retracted };

  sync::RegionId id{};
  sync::Frame frame;
  std::string reply;
  std::vector<std::string> said;  ///< what it was before each replacement
  Ending ending = Ending::None;
  sync::RegionState state = sync::RegionState::Opening;  ///< as last seen
  std::vector<GlyphId> above;  ///< what stood above and below the place when it was chosen
  std::vector<GlyphId> below;
  bool replaced = false;             ///< some of the reply was replaced …
  std::uint64_t replaced_after = 0;  ///< … when so many edits had been sent
  bool abandoned = false;            ///< the server that wanted it is gone
  /// Bytes of the reply that were never written, because for a moment the text was what writing
  /// them makes of it; then the person took them out.
  std::size_t may_be_unwritten = 0;
};

struct WriterCounts {
  int sent = 0;
  int refused = 0;
  int dropped = 0;      ///< claimed to be applied
  int found_again = 0;  ///< replies whose place had been deleted
};

class Writer {
 public:
  Writer(const Client& client, const Setting& setting, std::vector<WantedRegion>& wanted,
         WriterCounts& counts, Trace& trace);

  void receive(const FromClient& message, Time now);
  std::optional<Time> wakes_at() const;
  void wake(Time now);
  /// Takes `step` if it is one of the agent.
  void act(const Step& step, Time now);
  /// The person and the agent are done: what is paused goes on, what is open is finished.
  void finish_all(Time now);
  std::vector<EditRequest> take_outbox();

  const sync::SyncEngine& engine() const { return engine_; }
  /// Whether it became unclear who wrote what: text of a reply was taken back, so what is typed in
  /// its place may look like a redo; or several changes were told as one.
  bool is_in_doubt() const { return in_doubt_; }
  /// Bytes that the person typed and that look like the server's own: an edit that never landed, a
  /// redo.
  const std::vector<GlyphId>& coinciding() const { return coinciding_; }
  /// Bytes that stayed, but that the client told to have gone, and the same to have come or to have
  /// been there.
  const std::vector<GlyphId>& told_again() const { return told_again_; }
  /// Bytes of a reply that a correction kept which was undone: they may go with what was undone.
  const std::vector<GlyphId>& kept_by_correction() const { return kept_by_correction_; }
  /// Bytes of all edits of which less than all was told in one piece: they may be written again.
  std::size_t torn_bytes() const { return torn_bytes_; }
  /// Empty while all is well.
  const std::string& failure() const { return failure_; }

 private:
  WantedRegion* open_region_of(const Step& step);
  void open_region(const Step& step, Time now);
  void append(WantedRegion& region, const std::string& bytes, Time now);
  void replace(WantedRegion& region, const Step& step, Time now);
  void propose(const Step& step);
  void go_on(Time now);
  void settle(Time now);
  void look_at(const sync::Notice& notice, Time now);
  void adopt_line_ends(const sync::Notice& notice);
  std::string made_up(std::uint64_t seed, std::uint32_t pieces) const;
  void note_places_thrown_away(const FromClient& message);
  void note_changes(const FromClient& message);
  void note_landing_by_hand(const FromClient& message);
  void note_typed_beside_edit(const FromClient& message);
  void note_torn_edit(const FromClient& message, bool was_in_flight);
  std::string longest_piece(const FromClient& message, std::uint64_t edit) const;
  void note_torn_late_edits(const FromClient& message);
  bool holds_edit(const sync::ContentChange& change, std::size_t place,
                  const std::string& text) const;
  bool is_end_of_reply_gone() const;
  void note_redo_by_hand(const FromClient& message);
  void note_told_again(const FromClient& message);
  void note_pasted_white_space(const FromClient& message);
  void note_line_ends_alike(const FromClient& message);
  void note_reply_below_tail(const FromClient& message);
  void note_kept_by_correction(const FromClient& message);
  void note_lookalike(const FromClient& message);
  std::vector<GlyphId> typed_for(const FromClient& message) const;
  EditRequest request_for(const sync::OutgoingEdit& edit);
  Authorship authorship_of(const sync::OutgoingEdit& edit);
  void note_restored_frame(const sync::OutgoingEdit& edit);
  void check(const sync::OutgoingEdit& edit, const EditRequest& request);
  void check_line_below(std::size_t index);
  void fail(const std::string& what);

  const Client& client_;
  const Setting& setting_;
  std::vector<WantedRegion>& wanted_;
  WriterCounts& counts_;
  Trace& trace_;
  std::size_t first_region_;  ///< regions before it are of an earlier life
  sync::SyncEngine engine_;
  session::EditPacer pacer_;
  std::vector<GlyphId> shadow_glyphs_;
  GlyphId next_glyph_ = 0;  ///< none from it on was told before

  std::uint64_t sent_;    ///< number of the last edit
  bool waiting_ = false;  ///< for its answer
  std::optional<Time> answer_due_;
  EditRequest last_request_;
  GlyphId first_typed_beside_ = 0;         ///< what was told since it left is from here on
  std::vector<EditRequest> unseen_edits_;  ///< those before it of which nothing was told
  std::uint64_t looked_landed_ = 0;        ///< the last edit that a person's changes looked like
  bool proposed_ = false;                  ///< the edit being built is of a proposal
  std::uint64_t seen_edit_ = 0;            ///< the last edit that was told
  int torn_edits_ = 0;
  std::size_t torn_bytes_ = 0;
  std::uint64_t typed_edit_ = 0;  ///< the last edit that is only claimed, …
  std::size_t typed_ = 0;         ///< … and so many bytes were typed meanwhile
  std::vector<GlyphId> coinciding_;
  std::vector<GlyphId> told_again_;
  std::vector<GlyphId> kept_by_correction_;
  std::vector<std::pair<std::string, std::vector<GlyphId>>>
      earlier_;  ///< all texts so far, and their bytes
  std::vector<EditRequest> outbox_;
  bool in_doubt_ = false;
  bool was_paused_ = false;
  std::string line_end_;  ///< what the client was seen to write instead of the setting's
  std::string failure_;
};

}  // namespace agent_doc::simulation
