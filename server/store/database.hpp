// What it is: one connection to an SQLite database: statements in, rows out, errors as values.
// What it is not: it knows no table (schema.hpp).
// Thread rule: one thread at a time; blocks for as long as the disk and other processes take (kBusyLimit).
#pragma once

#include "server/store/store_error.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace agent_doc::store {

/// Another process that writes for longer is an error.
inline constexpr std::chrono::milliseconds kBusyLimit{1000};

/// A parameter of a statement. Texts are copied.
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

  /// Access::Write makes the file when it is missing, readable by this person only; its folder must be there.
  static StoreResult<Database> open(const std::string& path, Access access);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  /// One statement, to its end.
  StoreResult<void> run(std::string_view sql, std::initializer_list<Value> values = {});
  /// One statement; `on_row` hears each row.
  StoreResult<void> query(std::string_view sql, std::initializer_list<Value> values, const std::function<void(const Row&)>& on_row);
  /// Several statements without parameters, all or none.
  StoreResult<void> run_script(const std::string& sql);
  /// All of what `work` does, or nothing of it. It begins as a writer, so it never fails half way for another process.
  StoreResult<void> in_transaction(const std::function<StoreResult<void>()>& work);

  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  Database(std::unique_ptr<sqlite3, Close> connection, std::string path) : connection_(std::move(connection)), path_(std::move(path)) {}
  StoreError error() const;

  std::unique_ptr<sqlite3, Close> connection_;
  std::string path_;
};

}  // namespace agent_doc::store
