// What it is: the tables of the store and how an older store becomes a newer one.
// What it is not: what is written into them (sqlite_journal.cpp) and read from them (history.cpp).
// Thread rule: as Database.
#pragma once

#include "server/store/database.hpp"

#include <string>

namespace agent_doc::store {

/// `PRAGMA user_version` of a store of this program.
inline constexpr std::int64_t kSchemaVersion = 5;

/// Opens the store for writing, made or brought up to date where needed. A damaged one is put aside
/// under another name, which `put_aside` gets, and a new one begun. Error Newer: a later version of
/// this program has written it; it is left alone.
StoreResult<Database> open_store(const std::string& path, std::string& put_aside);
/// Puts a store that turned out to be damaged aside; its new name. Empty when another process has
/// already done so.
StoreResult<std::string> put_store_aside(const std::string& path);
/// Opens a store that is there, brought up to date where needed.
StoreResult<Database> open_store_for_reading(const std::string& path);

}  // namespace agent_doc::store
