#include "server/store/turn_table.hpp"

#include "server/store/edits_of_reply.hpp"

namespace agent_doc::store {

namespace {

constexpr std::string_view kUseSession =
    "INSERT INTO session (agent, id, folder, began, used) SELECT agent, ?2, folder, ?3, ?3 FROM "
    "turn WHERE id = ?1 AND ?2 <> '' "
    "ON CONFLICT (agent, id) DO UPDATE SET folder = excluded.folder, used = excluded.used";

/// Of which the last one is what a session has: ?1 session, ?2 agent, ?3 document or empty.
constexpr std::string_view kSentInSession =
    "FROM sent JOIN turn ON turn.number = sent.turn WHERE turn.session = ?1 AND turn.agent = ?2 "
    "AND (?3 = '' OR turn.document = ?3) AND (sent.arrived = 1 OR turn.reply <> '') "
    "ORDER BY sent.turn DESC LIMIT 1";

std::int64_t number_of(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

}  // namespace

StoreResult<void> TurnTable::add(const TurnBegan& turn, const std::string& owner,
                                 std::int64_t now) {
  auto done = database_.run(
      "INSERT INTO document (id, path, used) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET path "
      "= excluded.path, used = excluded.used",
      {turn.document, turn.path, now});
  if (done.has_error()) return done;
  done = database_.run(
      "INSERT INTO turn (id, document, agent, folder, prompt, owner, began, goes_on_from) VALUES "
      "(?, ?, ?, ?, ?, ?, ?, ?)",
      {turn.turn, turn.document, turn.agent, turn.folder, turn.prompt, owner, now,
       turn.goes_on_from});
  if (done.has_error() || !turn.sent) return done;
  return database_.run(
      "INSERT INTO sent (turn, text, above) SELECT number, ?2, ?3 FROM turn WHERE id = ?1",
      {turn.turn, std::string_view(*turn.sent), number_of(turn.sent_above)});
}

StoreResult<void> TurnTable::note_arrival(const std::string& turn) {
  return database_.run(
      "UPDATE sent SET arrived = 1 WHERE turn = (SELECT number FROM turn WHERE id = ?)", {turn});
}

StoreResult<void> TurnTable::note_session(const std::string& turn, const std::string& session_id,
                                          std::int64_t now) {
  auto done = database_.run("UPDATE turn SET session = ?2 WHERE id = ?1", {turn, session_id});
  if (done.has_error()) return done;
  return database_.run(kUseSession, {turn, session_id, now});
}

StoreResult<void> TurnTable::add_edit(const std::string& turn, std::size_t at,
                                      std::string_view text) {
  return database_.run(
      "INSERT INTO journal (turn, number, at, text) "
      "SELECT number, (SELECT COALESCE(MAX(number), 0) + 1 FROM journal WHERE turn = t.number), "
      "?2, ?3 FROM turn AS t WHERE id = ?1",
      {turn, number_of(at), text});
}

StoreResult<void> TurnTable::finish(const std::string& turn, const TurnTotals& totals,
                                    std::int64_t now) {
  EditsOfReply edits;
  auto done = database_.query(
      "SELECT at, text FROM journal WHERE turn = (SELECT number FROM turn WHERE id = ?) ORDER BY "
      "number",
      {turn},
      [&](const Row& row) { edits.edit(static_cast<std::size_t>(row.integer(0)), row.text(1)); });
  if (done.has_error()) return done;
  for (const std::string& text : edits.taken_away()) {
    done = add_piece(turn, StoredPiece::Kind::EarlierRound, text);
    if (done.has_error()) return done;
  }
  done = database_.run(
      "UPDATE turn SET ended = ?2, state = ?3, model = ?4, session = CASE ?5 WHEN '' THEN session "
      "ELSE ?5 END, failure = ?6, input_tokens "
      "= ?7, "
      "output_tokens = ?8, cost_micros = ?9, reply = ?10 WHERE id = ?1",
      {turn, now, totals.state, totals.model, totals.session_id, totals.failure,
       totals.input_tokens, totals.output_tokens, totals.cost_micros, edits.text()});
  if (done.has_error()) return done;
  done = database_.run(kUseSession, {turn, totals.session_id, now});
  if (done.has_error()) return done;
  done = database_.run("DELETE FROM journal WHERE turn = (SELECT number FROM turn WHERE id = ?)",
                       {turn});
  if (done.has_error()) return done;
  done = database_.run(
      "INSERT INTO turn_words (rowid, prompt, reply) SELECT number, prompt, reply FROM turn WHERE "
      "id = ?",
      {turn});
  if (done.has_error()) return done;
  return forget_what_was_sent_before(turn);
}

StoreResult<void> TurnTable::forget_what_was_sent_before(const std::string& turn) {
  auto done = database_.run(
      "DELETE FROM sent WHERE arrived = 0 AND turn = (SELECT number FROM turn WHERE id = ? AND "
      "(reply = '' OR session = ''))",
      {turn});
  if (done.has_error()) return done;
  done = database_.run(
      "DELETE FROM sent WHERE turn IN (SELECT older.number FROM turn AS this JOIN turn AS older ON "
      "older.document = this.document "
      "AND older.agent = this.agent AND older.session = this.session AND older.number < "
      "this.number "
      "JOIN sent ON sent.turn = this.number WHERE this.id = ?)",
      {turn});
  if (done.has_error()) return done;
  return database_.run(
      "DELETE FROM sent WHERE turn IN (SELECT sent.turn FROM sent JOIN turn ON turn.number = "
      "sent.turn "
      "WHERE turn.document = (SELECT document FROM turn WHERE id = ?1) ORDER BY sent.turn DESC "
      "LIMIT -1 OFFSET ?2)",
      {turn, kMaxSeenSessions});
}

StoreResult<void> TurnTable::count_as_seen(const SeenQuery& query, const std::string& text) {
  return database_.run(std::string("UPDATE sent SET counted = ?4 WHERE turn = (SELECT sent.turn ")
                           .append(kSentInSession)
                           .append(") AND (SELECT state FROM turn WHERE number = sent.turn) <> "
                                   "'running'"),
                       {query.session_id, query.agent, query.document, text});
}

StoreResult<std::optional<SeenText>> TurnTable::seen_by(const SeenQuery& query) {
  std::optional<SeenText> found;
  std::int64_t running = 0;
  auto done = database_.query(
      std::string("SELECT COALESCE(sent.counted, sent.text), CASE WHEN sent.counted IS NULL THEN "
                  "sent.above ELSE LENGTH(CAST(sent.counted AS BLOB)) END, CASE WHEN sent.counted "
                  "IS NULL THEN turn.reply ELSE '' END, CASE turn.state WHEN 'running' THEN "
                  "turn.number ELSE 0 END ")
          .append(kSentInSession),
      {query.session_id, query.agent, query.document}, [&](const Row& row) {
        found = SeenText{row.text(0), static_cast<std::size_t>(row.integer(1)), row.text(2)};
        running = row.integer(3);
      });
  if (done.has_error()) return done.error();
  if (running == 0) return found;
  EditsOfReply edits;
  done = database_.query(
      "SELECT at, text FROM journal WHERE turn = ? ORDER BY number", {running},
      [&](const Row& row) { edits.edit(static_cast<std::size_t>(row.integer(0)), row.text(1)); });
  if (done.has_error()) return done.error();
  found->reply = edits.text();
  return found;
}

StoreResult<void> TurnTable::add_piece(const std::string& turn, StoredPiece::Kind kind,
                                       std::string_view text) {
  auto done = database_.run(
      "INSERT INTO piece (turn, number, kind, text) "
      "SELECT number, (SELECT COALESCE(MAX(number), 0) + 1 FROM piece WHERE turn = t.number), ?2, "
      "?3 FROM turn AS t WHERE id = ?1",
      {turn, static_cast<std::int64_t>(kind), text});
  if (done.has_error()) return done;
  return database_.run(
      "INSERT INTO piece_words (rowid, text) SELECT p.id, p.text FROM piece AS p JOIN turn AS t ON "
      "t.number = p.turn "
      "WHERE t.id = ?1 ORDER BY p.number DESC LIMIT 1",
      {turn});
}

StoreResult<void> TurnTable::move_document(const std::string& document, const std::string& path) {
  return database_.run("UPDATE document SET path = ?2 WHERE id = ?1", {document, path});
}

StoreResult<void> TurnTable::raise_place(const std::string& turn, ReplyPlace place) {
  return database_.run("UPDATE turn SET place = MAX(place, ?2) WHERE id = ?1",
                       {turn, static_cast<std::int64_t>(place)});
}

}  // namespace agent_doc::store
