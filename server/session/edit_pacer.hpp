// What it is: when the next edit of a document may leave, and how much of the reply goes with it.
// The first text goes at once, together with the heading if that has not left yet; then
// the next edit leaves when the one before it is decided and a minimum interval has passed, with
// everything that came meanwhile.
// What it is not: what the edit is (sync::SyncEngine). It reads no clock: time comes in.
// Thread rule: not thread-safe; one per document.
#pragma once

#include "server/sync/sync_engine.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace agent_doc::session {

using TimePoint = std::chrono::steady_clock::time_point;

struct Pace {
  std::chrono::milliseconds interval{100};
  sync::Release release = sync::Release::WholeLines;
  /// The heading of a reply waits so long for its first text: then an agent that answers at once
  /// costs one round trip and not two.
  std::chrono::milliseconds frame_patience{0};
};
inline constexpr Pace kPaceForOurPlugins{std::chrono::milliseconds{33},
                                         sync::Release::HoldLastGrapheme};
inline constexpr Pace kPaceForOtherClients{};

/// Where an edit takes tens of milliseconds, however small.
inline constexpr std::chrono::milliseconds kFramePatience{20};
/// A client that has not answered an edit for so long is taken at its text.
inline constexpr std::chrono::seconds kAnswerLimit{10};
/// A client that says that it applied an edit, and tells newer text without it, has so long to tell
/// the edit.
inline constexpr std::chrono::milliseconds kEchoPatience{500};
/// … and, however fast the keys come in between, so long after its answer: kakoune-lsp tells an
/// edit 26 to 400 ms after it, each key before. Who gives up too early writes the text twice.
inline constexpr std::chrono::milliseconds kLongestEchoPatience{1500};
/// After a refusal that no change of the text explains.
inline constexpr std::chrono::milliseconds kRetryPause{500};
/// For a client that ignores versions: edits wait for so much silence.
inline constexpr std::chrono::milliseconds kSilence{500};
/// But no longer than this: nobody waits for a reply until they stop typing.
inline constexpr std::chrono::milliseconds kLongestSilence{2000};

class EditPacer {
 public:
  EditPacer(sync::SyncEngine& engine, Pace pace);

  void turn_began(TimePoint now);
  void text_came(std::string_view text, TimePoint now);
  /// Nothing is held back any more.
  void turn_ended();
  void client_changed(TimePoint now);
  void answered(sync::Answer answer, TimePoint now);
  /// Something else may be written now (front matter, a region that goes on).
  void look_again() { exhausted_ = false; }
  void wait_for_silence() { silence_ = true; }

  /// The edit to send now, if any. The caller sends it.
  std::optional<sync::OutgoingEdit> next(TimePoint now);
  /// When next() should be asked again, unless something happens before.
  std::optional<TimePoint> wakeup() const;

 private:
  TimePoint flight_due() const;
  std::optional<TimePoint> earliest() const;

  sync::SyncEngine& engine_;
  Pace pace_;
  bool hurry_ = false;  ///< until the first text of a turn has left
  bool has_text_ = false;
  bool ended_ = true;
  bool holds_ = false;      ///< only a last grapheme is left, which may go on
  bool exhausted_ = false;  ///< the engine had nothing to send
  bool silence_ = false;
  TimePoint sent_{};  ///< the last edit that counts for the pace
  TimePoint flight_began_{};
  TimePoint answered_{};
  TimePoint began_{};
  TimePoint text_{};
  std::optional<TimePoint> waits_since_;  ///< the oldest text that came since the last edit
  TimePoint held_{};                      ///< since when, while holds_
  TimePoint changed_{};
  TimePoint retry_{};
};

}  // namespace agent_doc::session
