// What it is: the Journal over the store's database: what is told is queued and written by a thread
// of its own, in one transaction for all that came within kFlushInterval, and at once when a turn
// begins or ends.
// What it is not: looking back (history.hpp).
// Thread rule: as Journal. The writing thread is inside; it has a connection of its own, and only
// the queue is shared.
#pragma once

#include "server/store/journal.hpp"
#include "server/store/write_queue.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace agent_doc::store {

/// What an agent said is on the way to the disk after this at the latest.
inline constexpr std::chrono::milliseconds kFlushInterval{50};
/// A disk that is slower than the agents, by so much: turns are not recorded any more, which is
/// told.
inline constexpr std::size_t kMaxQueuedBytes = 64 * 1024 * 1024;

struct JournalOptions {
  std::string path;   ///< of the database, absolute; its folder is made when it is missing
  std::string owner;  ///< names this process; no other one, before or after, has the same name
  std::function<bool(const std::string& owner)> is_alive;
  WaitForMore wait = {};  ///< for tests
};

/// Opens nothing before it is needed. Its end waits until everything is written.
std::unique_ptr<Journal> make_sqlite_journal(JournalOptions options);

}  // namespace agent_doc::store
