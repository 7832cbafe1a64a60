#include "server/store/schema.hpp"

#include "server/file/local_time.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>


namespace agent_doc::store {

namespace schema_internal {

/// Times are milliseconds since 1970, UTC. `owner` names the process that runs a turn while it runs. `piece` is what was said beside the reply, `journal` the
/// edits of the reply of a turn that runs; at its end they become `turn.reply` and pieces.
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
PRAGMA user_version = 1;
)sql";

StoreResult<std::int64_t> version_of(Database& database) {
  std::int64_t version = 0;
  auto read = database.query("PRAGMA user_version", {}, [&](const Row& row) { version = row.integer(0); });
  if (read.has_error()) return read.error();
  return version;
}

StoreError newer(const std::string& path, std::int64_t version) {
  return {StoreErrorKind::Newer, path + " was written by a newer agent-doc (version " + std::to_string(version) + ", this one knows " +
                                     std::to_string(kSchemaVersion) + "), so turns are not recorded: update this agent-doc"};
}

StoreResult<void> bring_up_to_date(Database& database) {
  for (;;) {
    const StoreResult<std::int64_t> version = version_of(database);
    if (version.has_error()) return version.error();
    if (*version == kSchemaVersion) return {};
    if (*version > kSchemaVersion) return newer(database.path(), *version);
    StoreResult<void> made = database.run_script(kVersion1);
    if (made.has_error()) {
      // Another process may have been faster.
      const StoreResult<std::int64_t> now = version_of(database);
      if (now.has_error() || *now == *version) return made;
    }
  }
}

StoreResult<Database> open_up_to_date(const std::string& path) {
  StoreResult<Database> database = Database::open(path, Database::Access::Write);
  if (database.has_error()) return database;
  if (StoreResult<void> ready = bring_up_to_date(*database); ready.has_error()) return ready.error();
  return database;
}

/// Reads all of it.
bool is_sound(const std::string& path) {
  StoreResult<Database> database = open_up_to_date(path);
  if (database.has_error()) return false;
  std::string verdict;
  const auto checked = database->query("PRAGMA quick_check(1)", {}, [&](const Row& row) { verdict = row.text(0); });
  return checked.has_value() && verdict == "ok";
}

}  // namespace schema_internal

StoreResult<Database> open_store(const std::string& path, std::string& put_aside) {
  StoreResult<Database> database = schema_internal::open_up_to_date(path);
  if (database.has_value() || database.error().kind != StoreErrorKind::Damaged) return database;
  StoreResult<std::string> aside = put_store_aside(path);
  if (aside.has_error()) return aside.error();
  put_aside = std::move(*aside);
  return schema_internal::open_up_to_date(path);
}

StoreResult<std::string> put_store_aside(const std::string& path) {
  if (schema_internal::is_sound(path)) return std::string();
  const std::string aside = path + ".damaged-" + file::local_time(std::time(nullptr), file::TimeForm::FileName);
  if (std::rename(path.c_str(), aside.c_str()) != 0) {
    return StoreError{StoreErrorKind::Failed, path + " is damaged and could not be put aside: " + std::strerror(errno)};
  }
  // They belong to what was put aside and must not be taken for parts of the new one.
  for (const char* side : {"-wal", "-shm"}) std::rename((path + side).c_str(), (aside + side).c_str());
  return aside;
}

StoreResult<Database> open_store_for_reading(const std::string& path) {
  namespace internal = schema_internal;
  StoreResult<Database> database = Database::open(path, Database::Access::Read);
  if (database.has_error()) return database;
  const StoreResult<std::int64_t> version = internal::version_of(*database);
  if (version.has_error()) return version.error();
  if (*version > kSchemaVersion) return internal::newer(path, *version);
  if (*version < kSchemaVersion) return StoreError{StoreErrorKind::Missing, "there is no store at " + path + " yet: it is made by the first run"};
  return database;
}

}  // namespace agent_doc::store
