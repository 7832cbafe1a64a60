// What it is: looking back: which turns there were, what was said in them.
// What it is not: writing (journal.hpp).
// Thread rule: as Database.
#pragma once

#include "server/store/database.hpp"
#include "server/store/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::store {

struct TurnFilter {
  std::string document;  ///< empty: all
  std::string words;  ///< all of them occur in the prompt and the reply, or in one piece beside it,
                      ///< in any order; empty: all turns
  std::int64_t limit = 0;  ///< the newest of them
};

class History {
 public:
  /// Error Missing: nothing was recorded yet.
  static StoreResult<History> open(const std::string& path);

  /// Oldest first. The reply of a turn that runs is what was recorded so far.
  StoreResult<std::vector<StoredTurn>> turns(const TurnFilter& filter);
  StoreResult<std::optional<StoredTurn>> turn(std::int64_t number);
  /// In the order in which they came.
  StoreResult<std::vector<StoredPiece>> pieces(std::int64_t number);

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  StoreResult<void> add_what_runs(StoredTurn& turn);

  Database database_;
};

}  // namespace agent_doc::store
