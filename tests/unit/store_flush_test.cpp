// When what a journal is told gets to the disk, while no time passes; and that nothing is put
// together wrongly where some of it is missing.
#include "server/store/history.hpp"
#include "server/store/sqlite_journal.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace store_flush_test {

using namespace agent_doc;
using agent_doc::tests::TemporaryFolder;

/// Only for tests that fail.
constexpr std::chrono::seconds kDeadline{20};

store::TurnBegan turn_of(const std::string& turn) {
  return {turn, "d-" + turn, "/w/" + turn + ".md", "Why?", "claude", "/w"};
}

store::TurnTotals done() {
  store::TurnTotals totals;
  totals.state = "done";
  return totals;
}

/// A store in which the turn "t" has begun. How long its writing thread would wait for more is
/// written down; it does not wait, or, while `holds`, only for what is urgent.
struct Store {
  Store() {
    journal->turn_began(turn_of("t"));
    drain();
    auto opened = store::Database::open(path, store::Database::Access::Write);
    REQUIRE(opened.has_value());
    beside.emplace(std::move(*opened));
    seen = version();
    const std::lock_guard lock(mutex);
    waits.clear();
  }

  void wait(std::condition_variable& came, std::unique_lock<std::mutex>& queue,
            std::chrono::milliseconds at_most, const std::function<bool()>& enough) {
    {
      const std::lock_guard lock(mutex);
      waits.push_back(enough() ? "at once" : "after " + std::to_string(at_most.count()) + " ms");
      if (!holds) return;
    }
    came.wait(queue, enough);
  }
  void drain() { (void)journal->folder_of_session("claude", "none"); }
  /// Grows whenever something was written.
  std::int64_t version() {
    std::int64_t version = 0;
    REQUIRE(beside
                ->query("PRAGMA data_version", {},
                        [&](const store::Row& row) { version = row.integer(0); })
                .has_value());
    return version;
  }
  /// When what `tell` says is on its way to the disk.
  std::string written(const std::function<void(store::Journal&)>& tell) {
    tell(*journal);
    const auto limit = std::chrono::steady_clock::now() + kDeadline;
    while (version() == seen) {
      REQUIRE(std::chrono::steady_clock::now() < limit);
      std::this_thread::yield();
    }
    seen = version();
    const std::lock_guard lock(mutex);
    std::string all;
    for (const std::string& one : std::exchange(waits, {})) all += (all.empty() ? "" : ", ") + one;
    return all;
  }
  /// "ID STATE: REPLY", one for each; of a long reply its size.
  std::vector<std::string> turns() const {
    auto history = store::History::open(path);
    REQUIRE(history.has_value());
    std::vector<std::string> all;
    for (const store::StoredTurn& turn : *history->turns({{}, {}, 100})) {
      const bool is_long = turn.reply.size() > 100;
      all.push_back(turn.turn + " " + turn.totals.state + ": " +
                    (is_long ? std::to_string(turn.reply.size()) : turn.reply));
    }
    return all;
  }

  TemporaryFolder folder{TemporaryFolder::Place::Memory};
  std::string path = folder / "agent-doc/state.db";
  std::mutex mutex;  ///< over what follows, up to the journal
  std::vector<std::string> waits;
  bool holds = false;
  std::unique_ptr<store::Journal> journal = store::make_sqlite_journal(
      {path, "server-1", [](const std::string&) { return true; },
       [this](auto& came, auto& queue, auto at_most, const auto& enough) {
         wait(came, queue, at_most, enough);
       }});
  std::optional<store::Database> beside;
  std::int64_t seen = 0;
};

TEST_CASE(
    "store: what an agent says is written within 50 ms, the begin and the end of a turn at once") {
  using store::Journal;
  Store store;
  CHECK(store.written([](Journal& journal) { journal.reply_changed("t", 0, "One."); }) ==
        "after 50 ms");
  CHECK(store.written([](Journal& journal) { journal.thought("t", "Hm."); }) == "after 50 ms");
  CHECK(store.written([](Journal& journal) { journal.session_known("t", "s-1"); }) ==
        "after 50 ms");
  CHECK(store.written([](Journal& journal) { journal.turn_ended("t", done()); }) == "at once");
  CHECK(store.written([](Journal& journal) { journal.said_after_turn("t", "Two."); }) == "at once");
  CHECK(store.written([](Journal& journal) {
    journal.reply_placed("t", store::ReplyPlace::File);
  }) == "at once");
  CHECK(store.written([](Journal& journal) { journal.document_moved("d-t", "/w/new.md"); }) ==
        "at once");
  CHECK(store.written([](Journal& journal) { journal.turn_began(turn_of("u")); }) == "at once");
  CHECK(store.turns() == std::vector<std::string>{"t done: One.", "u running: "});
}

TEST_CASE("store: of a turn that an error hit nothing more is written, and other turns go on") {
  Store store;
  store.journal->reply_changed("t", 0, "One. ");
  store.drain();
  REQUIRE(store.beside->run("ALTER TABLE journal RENAME TO elsewhere").has_value());
  store.journal->reply_changed("t", 5, "Two. ");
  store.drain();
  CHECK(store.journal->take_problem() == "This turn is not recorded in the store (" + store.path +
                                             ": no such table: journal), so `agent-doc log` will "
                                             "not show all of it. The document is not affected.");
  REQUIRE(store.beside->run("ALTER TABLE elsewhere RENAME TO journal").has_value());
  store.journal->turn_began(turn_of("u"));
  store.journal->reply_changed("t", 10, "Three.");
  store.journal->reply_changed("u", 0, "Other.");
  store.journal->turn_ended("t", done());
  store.journal->turn_ended("u", done());
  store.drain();
  CHECK(store.turns() == std::vector<std::string>{"t running: One. ", "u done: Other."});
  CHECK(store.journal->take_problem().empty());
}

TEST_CASE(
    "store: of a turn that the disk was too slow for nothing more is written, and other turns go "
    "on") {
  Store store;
  {
    const std::lock_guard lock(store.mutex);
    store.holds = true;
  }
  const std::string much(store::kMaxQueuedBytes / 2, 'x');
  store.journal->reply_changed("t", 0, much);
  store.journal->reply_changed("t", much.size(), much);
  CHECK(store.journal->take_problem() ==
        "The disk of " + store.path +
            " is too slow: what this turn says from here on is not recorded. "
            "The document is not affected.");
  store.journal->reply_changed("t", 2 * much.size(), "The end.");
  store.journal->turn_ended("t", done());
  store.journal->turn_began(turn_of("u"));
  store.journal->reply_changed("u", 0, "Other.");
  store.journal->turn_ended("u", done());
  store.drain();
  CHECK(store.turns() ==
        std::vector<std::string>{"t running: " + std::to_string(much.size()), "u done: Other."});
  CHECK(store.journal->take_problem().empty());
}

}  // namespace store_flush_test
