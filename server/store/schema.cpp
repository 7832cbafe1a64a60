#include "server/store/schema.hpp"

#include "server/file/local_time.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace agent_doc::store {

namespace {

/// Times are milliseconds since 1970, UTC. `owner` names the process that runs a turn while it
/// runs. `piece` is what was said beside the reply, `journal` the edits of the reply of a turn that
/// runs; at its end they become `turn.reply` and pieces.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE document (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX document_at ON document (path);
CREATE TABLE session (
  agent TEXT NOT NULL,
  id TEXT NOT NULL,
  folder TEXT NOT NULL,
  began INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (agent, id)
) WITHOUT ROWID;
CREATE TABLE turn (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  document TEXT NOT NULL REFERENCES document (id),
  agent TEXT NOT NULL,
  folder TEXT NOT NULL,
  prompt TEXT NOT NULL,
  owner TEXT NOT NULL,
  began INTEGER NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'running',
  model TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  failure TEXT NOT NULL DEFAULT '',
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  place INTEGER NOT NULL DEFAULT 0,
  reply TEXT NOT NULL DEFAULT ''
);
CREATE INDEX turn_of_document ON turn (document, number);
CREATE TABLE piece (
  turn INTEGER NOT NULL REFERENCES turn (number),
  number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (turn, number)
) WITHOUT ROWID;
CREATE TABLE journal (
  turn INTEGER NOT NULL REFERENCES turn (number),
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (turn, number)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE turn_words USING fts5 (prompt, reply, content = 'turn', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');
)sql";

/// What was said beside the reply is found by its words, too: for that its rows need numbers of
/// their own.
constexpr const char* kVersion2 = R"sql(
CREATE TABLE numbered_piece (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turn (number),
  number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (turn, number)
);
INSERT INTO numbered_piece (turn, number, kind, text) SELECT turn, number, kind, text FROM piece ORDER BY turn, number;
DROP TABLE piece;
ALTER TABLE numbered_piece RENAME TO piece;
CREATE VIRTUAL TABLE piece_words USING fts5 (text, content = 'piece', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO piece_words (piece_words) VALUES ('rebuild');
CREATE INDEX session_by_id ON session (id, used);
)sql";

/// What the agent of a turn was sent of its document: of each session the last turn that arrived,
/// and turns that run.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE sent (
  turn INTEGER PRIMARY KEY REFERENCES turn (number),
  text TEXT NOT NULL,
  above INTEGER NOT NULL,
  arrived INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX turn_of_session ON turn (session, number);
)sql";

/// What counts as seen by the session instead, with the reply: the person left changes out.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE sent ADD COLUMN counted TEXT;
)sql";

/// A prompt that was said in the middle of a turn begins a turn of its own.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE turn ADD COLUMN goes_on_from TEXT NOT NULL DEFAULT '';
)sql";

/// In order: the step at index N makes version N + 1 of version N. A step that was once released is
/// never changed.
constexpr std::array<const char*, kSchemaVersion> kSteps = {kVersion1, kVersion2, kVersion3,
                                                            kVersion4, kVersion5};

StoreResult<std::int64_t> version_of(Database& database) {
  std::int64_t version = 0;
  auto read =
      database.query("PRAGMA user_version", {}, [&](const Row& row) { version = row.integer(0); });
  if (read.has_error()) return read.error();
  return version;
}

StoreError newer(const std::string& path, std::int64_t version) {
  return {StoreErrorKind::Newer, path + " was written by a newer agent-doc (version " +
                                     std::to_string(version) + ", this one knows " +
                                     std::to_string(kSchemaVersion) +
                                     "), so turns are not recorded: update this agent-doc"};
}

/// All steps that are missing, or none: a store whose step fails stays as it was.
StoreResult<void> bring_up_to_date(Database& database) {
  const StoreResult<std::int64_t> found = version_of(database);
  if (found.has_error()) return found.error();
  if (*found > kSchemaVersion) return newer(database.path(), *found);
  if (*found == kSchemaVersion) return {};
  return database.in_transaction([&]() -> StoreResult<void> {
    const StoreResult<std::int64_t> version =
        version_of(database);  // another process may have been faster
    if (version.has_error()) return version.error();
    if (*version > kSchemaVersion) return newer(database.path(), *version);
    for (std::int64_t step = *version; step < kSchemaVersion; ++step) {
      if (auto done = database.run_statements(kSteps[static_cast<std::size_t>(step)]);
          done.has_error())
        return done;
    }
    return database.run_statements("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  });
}

StoreResult<Database> open_up_to_date(const std::string& path) {
  StoreResult<Database> database = Database::open(path, Database::Access::Write);
  if (database.has_error()) return database;
  if (StoreResult<void> ready = bring_up_to_date(*database); ready.has_error())
    return ready.error();
  return database;
}

/// Reads all of it.
bool is_sound(const std::string& path) {
  StoreResult<Database> database = open_up_to_date(path);
  if (database.has_error()) return false;
  std::string verdict;
  const auto checked =
      database->query("PRAGMA quick_check(1)", {}, [&](const Row& row) { verdict = row.text(0); });
  return checked.has_value() && verdict == "ok";
}

}  // namespace

StoreResult<Database> open_store(const std::string& path, std::string& put_aside) {
  StoreResult<Database> database = open_up_to_date(path);
  if (database.has_value() || database.error().kind != StoreErrorKind::Damaged) return database;
  StoreResult<std::string> aside = put_store_aside(path);
  if (aside.has_error()) return aside.error();
  put_aside = std::move(*aside);
  return open_up_to_date(path);
}

StoreResult<std::string> put_store_aside(const std::string& path) {
  if (is_sound(path)) return std::string();
  const std::string aside =
      path + ".damaged-" + file::local_time(std::time(nullptr), file::TimeForm::FileName);
  if (std::rename(path.c_str(), aside.c_str()) != 0) {
    return StoreError{StoreErrorKind::Failed,
                      path + " is damaged and could not be put aside: " + std::strerror(errno)};
  }
  // They belong to what was put aside and must not be taken for parts of the new one.
  for (const char* side : {"-wal", "-shm"})
    std::rename((path + side).c_str(), (aside + side).c_str());
  return aside;
}

StoreResult<Database> open_store_for_reading(const std::string& path) {
  StoreResult<Database> database = Database::open(path, Database::Access::Read);
  if (database.has_error()) return database;
  const StoreResult<std::int64_t> version = version_of(*database);
  if (version.has_error()) return version.error();
  if (*version > kSchemaVersion) return newer(path, *version);
  if (*version == 0)
    return StoreError{StoreErrorKind::Missing,
                      "there is no store at " + path + " yet: it is made by the first run"};
  if (StoreResult<void> ready = bring_up_to_date(*database); ready.has_error())
    return ready.error();
  return database;
}

}  // namespace agent_doc::store
