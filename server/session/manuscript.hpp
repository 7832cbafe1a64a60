// What it is: the client's text and our writing in it: the engine that knows where each region is,
// and the pacer that knows when the next edit may leave.
// What it is not: it knows no turn and no agent, and it sends nothing: the caller sends what next()
// returns.
// Thread rule: not thread-safe; one per document.
#pragma once

#include "server/session/edit_pacer.hpp"
#include "server/sync/sync_engine.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

class Manuscript {
 public:
  Manuscript(text::PositionEncoding encoding, Pace pace)
      : engine_(encoding), pacer_(engine_, pace) {}
  Manuscript(const Manuscript&) = delete;
  Manuscript& operator=(const Manuscript&) = delete;

  const sync::SyncEngine& engine() const { return engine_; }
  const std::string& text() const { return engine_.shadow().text(); }
  bool is_open() const { return engine_.is_open(); }
  /// An edit is on its way, or one is still to be sent.
  bool is_busy() const { return engine_.in_flight() || engine_.wants_to_write(); }

  // --- from the client (see SyncEngine) ---

  void did_open(sync::Version version, std::string text, TimePoint now);
  void did_change(sync::Version version, const std::vector<sync::ContentChange>& changes,
                  TimePoint now);
  void did_save() { engine_.did_save(); }
  void did_close() { engine_.did_close(); }
  void edit_answered(sync::Answer answer, TimePoint now) { pacer_.answered(answer, now); }

  // --- what is to be written ---

  void propose(sync::Proposal proposal, sync::ProposalEnd end = sync::ProposalEnd::AsWanted);
  /// For who changes regions (ReplyInDocument, ComponentBodies): look_again() follows unless a turn
  /// begins.
  sync::SyncEngine& regions() { return engine_; }
  /// Something may be written now that could not be written before.
  void look_again() { pacer_.look_again(); }

  void turn_began(TimePoint now) { pacer_.turn_began(now); }
  void text_came(std::string_view text, TimePoint now) { pacer_.text_came(text, now); }
  void turn_ended() { pacer_.turn_ended(); }
  /// The client ignores versions: edits wait until nobody types.
  void wait_for_silence() { pacer_.wait_for_silence(); }

  // --- to the client ---

  /// Returns the edit to send now, if any.
  std::optional<sync::OutgoingEdit> next(TimePoint now) { return pacer_.next(now); }
  std::optional<TimePoint> wakeup() const { return pacer_.wakeup(); }
  std::vector<sync::Notice> take_notices() { return engine_.take_notices(); }

 private:
  sync::SyncEngine engine_;
  EditPacer pacer_;
};

}  // namespace agent_doc::session
