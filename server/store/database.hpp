// What it is: one connection to an SQLite database: statements in, rows out, errors as values.
// What it is not: it knows no table (schema.hpp).
// Thread rule: one thread at a time; blocks for as long as the disk and other processes take
// (kBusyLimit).
#pragma once

#include "server/store/store_error.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace agent_doc::store {

/// Another process that writes for longer is an error.
inline constexpr std::chrono::milliseconds kBusyLimit{1000};

/// A parameter of a statement. Texts need to stay only during the call.
using Value = std::variant<std::int64_t, std::string_view>;

/// The row that a query has come to; valid during the call that it is given to.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  /// Columns count from 0; NULL is an empty text, and 0.
  std::string text(int column) const;
  std::int64_t integer(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  enum class Access { Read, Write };

  /// Access::Write makes the file when it is missing, readable by this person only; its folder must
  /// be there.
  static StoreResult<Database> open(const std::string& path, Access access);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  /// One statement, to its end. Each is prepared once and kept: texts are constants, what differs
  /// is a parameter.
  StoreResult<void> run(std::string_view sql, std::initializer_list<Value> values = {});
  /// One statement; `on_row` hears each row.
  StoreResult<void> query(std::string_view sql, std::initializer_list<Value> values,
                          const std::function<void(const Row&)>& on_row);
  /// Several statements without parameters, in a transaction of the caller.
  StoreResult<void> run_statements(const std::string& sql);
  /// All of what `work` does, or nothing of it. It begins as a writer, so it never fails half way
  /// for another process. On a disk that confirms nothing (fsync(2) fails) it is done once more,
  /// and nothing is confirmed any more.
  StoreResult<void> in_transaction(const std::function<StoreResult<void>()>& work);

  const std::string& path() const { return path_; }
  /// Returns how many statements have been prepared; for tests.
  std::uint64_t prepared() const { return prepared_; }

 private:
  /// Runs a statement that SQLite refuses at once while another connection makes a log of the same
  /// new store, where others wait for their turn.
  StoreResult<void> run_patiently(std::string_view sql);
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Database(std::unique_ptr<sqlite3, Close> connection, std::string path)
      : connection_(std::move(connection)), path_(std::move(path)) {}
  StoreError error() const;
  /// From now on nothing waits for the disk to confirm it. False when that was so already, or
  /// cannot be.
  bool stop_confirming();
  /// Null when it cannot be prepared. `own` gets a statement that is not kept.
  sqlite3_stmt* prepare(std::string_view sql, Statement& own);

  std::unique_ptr<sqlite3, Close> connection_;
  std::string path_;
  std::map<std::string, Statement, std::less<>> statements_;
  std::uint64_t prepared_ = 0;
  bool unconfirmed_ = false;
};

}  // namespace agent_doc::store
