// What it is: what waits to be written into the store, on its way from the server's thread to the
// writing thread.
// What it is not: writing (sqlite_journal.cpp).
// Thread rule: thread-safe.
#pragma once

#include "server/store/records.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace agent_doc::store {

struct BeginTurn {
  TurnBegan turn;
};
struct NoteSession {
  std::string session_id;
};
struct NoteArrival {};
struct EditReply {
  std::size_t at = 0;
  std::string text;
};
struct EndTurn {
  TurnTotals totals;
};
struct AddPiece {
  StoredPiece::Kind kind;
  std::string text;
};
/// The entry's turn is the document's id.
struct MoveDocument {
  std::string path;
};
/// The entry's turn is the document's id.
struct CountAsSeen {
  SeenQuery query;
  std::shared_ptr<const std::string> text;
};
struct RaisePlace {
  ReplyPlace place;
};

struct Entry {
  std::string turn;
  std::int64_t at_ms = 0;  ///< since 1970, UTC
  std::variant<BeginTurn, NoteSession, NoteArrival, EditReply, EndTurn, AddPiece, MoveDocument,
               CountAsSeen, RaisePlace>
      what;
};

/// Waits, with `lock` held, until `enough` or for `at_most`. A seam: in tests no time passes.
using WaitForMore =
    std::function<void(std::condition_variable& came, std::unique_lock<std::mutex>& lock,
                       std::chrono::milliseconds at_most, const std::function<bool()>& enough)>;

class WriteQueue {
 public:
  enum class Urgency { Soon, Now };

  /// Without `wait` time passes by itself.
  explicit WriteQueue(WaitForMore wait = {});

  /// Edits of a turn that go on where its last one ended become one with it, whatever other turns
  /// say in between. False when more than `limit` bytes wait already: nothing was added.
  bool push(Entry entry, Urgency urgency, std::size_t limit);
  /// For the writing thread: waits for entries, and a while (`interval`) for more of them unless
  /// one is urgent. Empty at the end.
  std::vector<Entry> take(std::chrono::milliseconds interval);
  /// Waits until all that was pushed before has been taken and done() was said of it.
  void drain();
  /// The last entries that take() gave are written.
  void done();
  /// What waits is still given out.
  void close();

 private:
  static bool goes_on(const Entry& last, const Entry& next);

  WaitForMore wait_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable written_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> last_of_turn_;  ///< of entries_
  std::size_t bytes_ = 0;
  bool urgent_ = false;
  bool at_work_ = false;
  bool closed_ = false;
};

}  // namespace agent_doc::store
