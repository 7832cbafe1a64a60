// What it is: what is written into the store for each thing that a journal is told, and the end of
// turns whose process went away.
// What it is not: when that happens (sqlite_journal.hpp); looking back (history.hpp).
// Thread rule: as Database. Each call belongs into a transaction of the caller.
#pragma once

#include "server/store/database.hpp"
#include "server/store/records.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::store {

/// The name of a state that only the store gives: its process went away in the middle.
inline constexpr std::string_view kInterrupted = "interrupted";

/// What is said of a turn that is not in the store is ignored. Times as in StoredTurn.
class TurnTable {
 public:
  explicit TurnTable(Database& database) : database_(database) {}

  StoreResult<void> add(const TurnBegan& turn, const std::string& owner, std::int64_t now);
  StoreResult<void> note_session(const std::string& turn, const std::string& session_id,
                                 std::int64_t now);
  StoreResult<void> note_arrival(const std::string& turn);
  StoreResult<void> add_edit(const std::string& turn, std::size_t at, std::string_view text);
  /// Makes a reply and pieces of the turn's edits.
  StoreResult<void> finish(const std::string& turn, const TurnTotals& totals, std::int64_t now);
  StoreResult<void> add_piece(const std::string& turn, StoredPiece::Kind kind,
                              std::string_view text);
  StoreResult<void> move_document(const std::string& document, const std::string& path);
  StoreResult<void> raise_place(const std::string& turn, ReplyPlace place);
  /// As Journal::counts_as_seen().
  StoreResult<void> count_as_seen(const SeenQuery& query, const std::string& text);
  /// As Journal::seen_by().
  StoreResult<std::optional<SeenText>> seen_by(const SeenQuery& query);

 private:
  /// Keeps what was sent by the last turn of each session that arrived, and nothing of the others.
  StoreResult<void> forget_what_was_sent_before(const std::string& turn);

  Database& database_;
};

}  // namespace agent_doc::store
