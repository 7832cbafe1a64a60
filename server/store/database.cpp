#include "server/store/database.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace agent_doc::store {

namespace {

/// Of different statements; there are about thirty.
constexpr std::size_t kMaxKeptStatements = 64;

/// Between two looks at a store that is in use.
constexpr std::chrono::milliseconds kBusyPause{5};

/// A statement that is used again begins anew, and holds no text of its last use.
class Use {
 public:
  explicit Use(sqlite3_stmt* statement) : statement_(statement) {}
  ~Use() {
    ::sqlite3_reset(statement_);
    ::sqlite3_clear_bindings(statement_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  sqlite3_stmt* statement_;
};

StoreErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return StoreErrorKind::Damaged;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return StoreErrorKind::Busy;
    default:
      return StoreErrorKind::Failed;
  }
}

/// The disk takes what is written but does not confirm it. What this process can read back is
/// better than nothing.
bool is_unconfirmed(sqlite3* connection) {
  const int code = ::sqlite3_extended_errcode(connection);
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}

int bind(sqlite3_stmt* statement, int number, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return ::sqlite3_bind_int64(statement, number, *integer);
  const std::string_view text = std::get<std::string_view>(value);
  return ::sqlite3_bind_text64(statement, number, text.empty() ? "" : text.data(), text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
}

/// SQLite itself would make the file readable for others; its side files take the mode of this one.
StoreResult<void> make_private_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return StoreError{StoreErrorKind::Failed, path + ": " + std::strerror(errno)};
  ::close(descriptor);
  return {};
}

}  // namespace

std::string Row::text(int column) const {
  const auto* bytes = static_cast<const char*>(::sqlite3_column_blob(statement_, column));
  return bytes == nullptr
             ? std::string()
             : std::string(bytes,
                           static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column)));
}

std::int64_t Row::integer(int column) const {
  return ::sqlite3_column_int64(statement_, column);
}

void Database::Finalize::operator()(sqlite3_stmt* statement) const {
  ::sqlite3_finalize(statement);
}

void Database::Close::operator()(sqlite3* connection) const {
  ::sqlite3_close_v2(connection);
}

StoreResult<Database> Database::open(const std::string& path, Access access) {
  if (access == Access::Read && ::access(path.c_str(), F_OK) != 0) {
    return StoreError{StoreErrorKind::Missing,
                      "there is no store at " + path + " yet: it is made by the first run"};
  }
  if (access == Access::Write) {
    if (auto made = make_private_file(path); made.has_error()) return made.error();
  }
  // Also a reader opens for writing: the first one after a crash has to put the write-ahead log in
  // order.
  sqlite3* opened = nullptr;
  const int code = ::sqlite3_open_v2(
      path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database database(std::unique_ptr<sqlite3, Close>(opened), path);
  if (code != SQLITE_OK) return database.error();
  ::sqlite3_busy_timeout(opened, static_cast<int>(kBusyLimit.count()));
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // NORMAL: a loss of power may cost the last moments, never the database; the end of a process
  // costs nothing.
  for (const char* pragma : {"PRAGMA synchronous = NORMAL", "PRAGMA journal_mode = WAL",
                             "PRAGMA cache_size = -512", "PRAGMA foreign_keys = ON"}) {
    auto done = database.run_patiently(pragma);
    if (done.has_error() && is_unconfirmed(opened) && database.stop_confirming())
      done = database.run(pragma);
    if (done.has_error()) return done.error();
  }
  return database;
}

StoreResult<void> Database::run(std::string_view sql, std::initializer_list<Value> values) {
  return query(sql, values, [](const Row&) {});
}

StoreResult<void> Database::run_patiently(std::string_view sql) {
  const auto deadline = std::chrono::steady_clock::now() + kBusyLimit;
  for (;;) {
    StoreResult<void> done = run(sql);
    if (done.has_value() || done.error().kind != StoreErrorKind::Busy ||
        std::chrono::steady_clock::now() >= deadline)
      return done;
    std::this_thread::sleep_for(kBusyPause);
  }
}

StoreResult<void> Database::query(std::string_view sql, std::initializer_list<Value> values,
                                  const std::function<void(const Row&)>& on_row) {
  Statement own;  // of a statement that is in use: `on_row` may ask the same again
  sqlite3_stmt* const prepared = prepare(sql, own);
  if (prepared == nullptr) return error();
  const Use use(prepared);
  int number = 0;
  for (const Value& value : values) {
    if (bind(prepared, ++number, value) != SQLITE_OK) return error();
  }
  for (;;) {
    const int code = ::sqlite3_step(prepared);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return error();
    on_row(Row(prepared));
  }
}

sqlite3_stmt* Database::prepare(std::string_view sql, Statement& own) {
  const auto kept = statements_.find(sql);
  if (kept != statements_.end() && ::sqlite3_stmt_busy(kept->second.get()) == 0)
    return kept->second.get();
  const bool keep = kept == statements_.end() && statements_.size() < kMaxKeptStatements;
  sqlite3_stmt* made = nullptr;
  const unsigned flags = keep ? SQLITE_PREPARE_PERSISTENT : 0;
  if (::sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()), flags,
                           &made, nullptr) != SQLITE_OK)
    return nullptr;
  ++prepared_;
  Statement statement(made);
  if (keep) return statements_.emplace(std::string(sql), std::move(statement)).first->second.get();
  own = std::move(statement);
  return made;
}

StoreResult<void> Database::run_statements(const std::string& sql) {
  if (::sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error();
  return {};
}

StoreResult<void> Database::in_transaction(const std::function<StoreResult<void>()>& work) {
  for (;;) {
    if (auto begun = run("BEGIN IMMEDIATE"); begun.has_error()) return begun;
    StoreResult<void> done = work();
    if (done.has_value()) done = run("COMMIT");
    const bool unconfirmed = done.has_error() && is_unconfirmed(connection_.get());
    // SQLite has rolled back by itself after some errors; then there is nothing left to do.
    if (done.has_error() && ::sqlite3_get_autocommit(connection_.get()) == 0) (void)run("ROLLBACK");
    if (!unconfirmed || !stop_confirming()) return done;
  }
}

bool Database::stop_confirming() {
  return !std::exchange(unconfirmed_, true) && run("PRAGMA synchronous = OFF").has_value();
}

StoreError Database::error() const {
  const int code = connection_ ? ::sqlite3_extended_errcode(connection_.get()) : SQLITE_NOMEM;
  const char* words = connection_ ? ::sqlite3_errmsg(connection_.get()) : "out of memory";
  return {kind_of(code), path_ + ": " + words};
}

}  // namespace agent_doc::store
