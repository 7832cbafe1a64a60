#include "server/store/history.hpp"

#include "server/store/edits_of_reply.hpp"
#include "server/store/schema.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::store {

namespace {

const std::string kColumns =
    "SELECT turn.number, turn.id, turn.document, document.path, turn.prompt, turn.agent, "
    "turn.began, turn.ended, turn.state, turn.model, "
    "turn.session, turn.failure, turn.input_tokens, turn.output_tokens, turn.cost_micros, "
    "turn.place, turn.reply "
    "FROM turn JOIN document ON document.id = turn.document ";

StoredTurn turn_of(const Row& row) {
  StoredTurn turn;
  turn.number = row.integer(0);
  turn.turn = row.text(1);
  turn.document = row.text(2);
  turn.path = row.text(3);
  turn.prompt = row.text(4);
  turn.agent = row.text(5);
  turn.began_ms = row.integer(6);
  turn.ended_ms = row.integer(7);
  turn.totals.state = row.text(8);
  turn.totals.model = row.text(9);
  turn.totals.session_id = row.text(10);
  turn.totals.failure = row.text(11);
  turn.totals.input_tokens = row.integer(12);
  turn.totals.output_tokens = row.integer(13);
  turn.totals.cost_micros = row.integer(14);
  turn.place = static_cast<ReplyPlace>(row.integer(15));
  turn.reply = row.text(16);
  return turn;
}

/// As a query of FTS5 in which nothing is an operator: each word a string, the last one perhaps a
/// beginning.
std::string words_as_strings(const std::string& words) {
  std::string query;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) query += (query.empty() ? "\"" : " \"") + word + "\"*";
    word.clear();
  };
  for (const char c : words) {
    if (c == ' ' || c == '\t' || c == '\n') {
      end_word();
    } else {
      word += c == '"' ? "\"\"" : std::string(1, c);
    }
  }
  end_word();
  return query;
}

}  // namespace

StoreResult<History> History::open(const std::string& path) {
  StoreResult<Database> database = open_store_for_reading(path);
  if (database.has_error()) return database.error();
  return History(std::move(*database));
}

StoreResult<std::vector<StoredTurn>> History::turns(const TurnFilter& filter) {
  std::vector<StoredTurn> found;
  const std::string words = words_as_strings(filter.words);
  std::string sql = kColumns + "WHERE (?1 = '' OR turn.document = ?1) ";
  sql += words.empty() ? "AND ?2 = '' "
                       : "AND (turn.number IN (SELECT rowid FROM turn_words WHERE turn_words MATCH "
                         "?2) OR turn.number IN "
                         "(SELECT turn FROM piece WHERE id IN (SELECT rowid FROM piece_words WHERE "
                         "piece_words MATCH ?2))) ";
  sql += "ORDER BY turn.number DESC LIMIT ?3";
  const auto looked = database_.query(sql, {filter.document, words, filter.limit},
                                      [&](const Row& row) { found.push_back(turn_of(row)); });
  if (looked.has_error()) return looked.error();
  std::reverse(found.begin(), found.end());
  for (StoredTurn& one : found) {
    if (const auto added = add_what_runs(one); added.has_error()) return added.error();
  }
  return found;
}

StoreResult<std::optional<StoredTurn>> History::turn(std::int64_t number) {
  std::optional<StoredTurn> found;
  const auto looked = database_.query(kColumns + "WHERE turn.number = ?", {number},
                                      [&](const Row& row) { found = turn_of(row); });
  if (looked.has_error()) return looked.error();
  if (found) {
    if (const auto added = add_what_runs(*found); added.has_error()) return added.error();
  }
  return found;
}

StoreResult<std::vector<StoredPiece>> History::pieces(std::int64_t number) {
  std::vector<StoredPiece> found;
  const auto looked = database_.query(
      "SELECT kind, text FROM piece WHERE turn = ? ORDER BY number", {number}, [&](const Row& row) {
        found.push_back({static_cast<StoredPiece::Kind>(row.integer(0)), row.text(1)});
      });
  if (looked.has_error()) return looked.error();
  return found;
}

StoreResult<void> History::add_what_runs(StoredTurn& turn) {
  if (turn.ended_ms != 0) return {};
  EditsOfReply edits;
  auto looked = database_.query(
      "SELECT at, text FROM journal WHERE turn = ? ORDER BY number", {turn.number},
      [&](const Row& row) { edits.edit(static_cast<std::size_t>(row.integer(0)), row.text(1)); });
  turn.reply = edits.text();
  return looked;
}

}  // namespace agent_doc::store
