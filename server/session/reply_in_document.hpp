// What it is: the reply of a turn as it stands in the document: its region, the line ends it has
// there, whether it stopped, and where the rest of it belongs.
// What it is not: the reply's text, which turn::Reply decides; and it says nothing to anybody.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/session/manuscript.hpp"
#include "server/session/region_writer.hpp"
#include "server/session/reply_place.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::session {

/// What continue_reply() does.
enum class Continuation {
  None,            ///< nothing: the reply is in its place
  WriteRest,       ///< writes what is missing, below what stands there
  PutBelowPrompt,  ///< puts the whole reply below its prompt, where it is missing
  PutAtEnd,        ///< puts the whole reply at the end: its prompt is not in the document any more
};

/// As the person reads it in a menu.
std::string_view title_of(Continuation continuation);

class ReplyInDocument {
 public:
  /// `asked`: the prompt that it answers, as it stands in the document. `line_end`: the document's.
  ReplyInDocument(Manuscript& manuscript, std::string asked, std::string line_end);

  /// Opens a region of its own.
  void open(std::size_t at, sync::Frame frame, sync::TypedAtPlace typed);
  /// Takes the region of an earlier reply, whose text `standing` it replaces once it has text.
  void open_over(sync::RegionId region, std::string standing);
  /// The reply is now its first `offset` bytes and `text`.
  void write(std::size_t offset, std::string_view text) { writer_.write(offset, text); }
  /// No more will come.
  void finish();
  /// It never had any text: its frame is taken back.
  void retract();

  sync::RegionId region() const { return writer_.region(); }
  const std::string& line_end() const { return line_end_; }
  /// Returns where it stands; nothing while it does not.
  std::optional<sync::RegionExtent> extent() const {
    return manuscript_.engine().region_extent(region());
  }
  /// Returns the reply so far, with the document's line ends.
  std::string text() const;
  /// Returns what stands at its place until it has text; empty but for open_over().
  const std::string& replaced() const { return replaced_; }

  /// The person took text of it back, or deleted its place: nothing is written until it is put.
  bool has_stopped() const;
  bool is_paused() const { return state() == sync::RegionState::Paused; }
  /// All that came so far is in the client's text.
  bool has_landed() const { return !manuscript_.is_busy() && !has_stopped(); }

  /// Costs a look through the document when its place is lost.
  Continuation continuation() const;
  /// Whether a beginning of it stands in `text`.
  bool stands_in(std::string_view text) const;
  ReplyPlace find_place() const;
  /// Goes on in its region after is_paused().
  void resume();
  /// Goes on at `place`. What stands in the document is not written again. No edit may be in flight
  /// for a PlaceInReply.
  void put(const ReplyPlace& place);

  /// The client writes other line ends than it was sent.
  void line_ends_changed(const sync::Notice& notice);

  /// Its place was lost when the client opened another text: it waits for a text with its prompt.
  void lost_by_opening() { lost_by_opening_ = true; }
  /// Whether that is still so.
  bool is_lost_by_opening();

 private:
  sync::RegionState state() const { return manuscript_.engine().region_state(region()); }

  Manuscript& manuscript_;
  RegionWriter writer_;
  std::string asked_;
  std::string line_end_;
  std::string replaced_;
  bool finished_ = false;
  bool lost_by_opening_ = false;
};

}  // namespace agent_doc::session
