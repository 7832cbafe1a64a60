// What an agent has of a document, as the store keeps it: by document, agent and session, over
// restarts, crashes and renames.
#include "server/store/database.hpp"
#include "server/store/sqlite_journal.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

namespace store_seen_test {

using namespace agent_doc;
using agent_doc::tests::TemporaryFolder;

struct Store {
  TemporaryFolder folder{TemporaryFolder::Place::Memory};
  std::string path = folder / "state.db";

  std::unique_ptr<store::Journal> journal(const std::string& owner) const {
    return store::make_sqlite_journal({path, owner, [](const std::string&) { return false; }});
  }
  std::int64_t kept() const {
    auto database = store::Database::open(path, store::Database::Access::Read);
    REQUIRE(database.has_value());
    std::int64_t count = -1;
    REQUIRE(database
                ->query("SELECT COUNT(*) FROM sent", {},
                        [&](const store::Row& row) { count = row.integer(0); })
                .has_value());
    return count;
  }
};

struct Wanted {
  std::string turn;
  std::string session = "s-1";
  std::string document = "d-1";
  std::string agent = "claude";
};

void begin(store::Journal& journal, const Wanted& turn) {
  journal.turn_began({turn.turn, turn.document, "/w/d.md", "Why?", turn.agent, "/w",
                      std::make_shared<const std::string>("Above " + turn.turn + ".\n\nWhy?\n"),
                      6 + turn.turn.size() + 2});
  journal.session_known(turn.turn, turn.session);
}

void end(store::Journal& journal, const Wanted& turn, const std::string& state) {
  store::TurnTotals totals;
  totals.state = state;
  totals.session_id = turn.session;
  journal.turn_ended(turn.turn, totals);
}

/// "text|above|reply"
std::string seen_in(store::Journal& journal,
                    const store::SeenQuery& query = {"d-1", "claude", "s-1"}) {
  const std::optional<store::SeenText> seen = journal.seen_by(query);
  CHECK(journal.take_problem().empty());
  return seen ? seen->text + "|" + std::to_string(seen->above) + "|" + seen->reply
              : std::string("nothing");
}

TEST_CASE(
    "store seen: what was sent and what came back, also for another process; the last turn only") {
  const Store store;
  {
    const auto journal = store.journal("server-1");
    CHECK(seen_in(*journal) == "nothing");
    begin(*journal, {"t-1"});
    CHECK(seen_in(*journal) == "nothing");  // it did not arrive yet
    journal->prompt_arrived("t-1");
    journal->reply_changed("t-1", 0, "Round one. ");
    CHECK(seen_in(*journal) == "Above t-1.\n\nWhy?\n|11|Round one. ");
    journal->reply_changed("t-1", 0, "Because.");
    end(*journal, {"t-1"}, "done");
    journal->document_moved("d-1", "/w/renamed.md");
    CHECK(seen_in(*journal) == "Above t-1.\n\nWhy?\n|11|Because.");
    begin(*journal, {"t-2"});
    journal->prompt_arrived("t-2");
    journal->reply_changed("t-2", 0, "So.");
    end(*journal, {"t-2"}, "cancelled");
  }
  CHECK(seen_in(*store.journal("server-2")) == "Above t-2.\n\nWhy?\n|11|So.");
  CHECK(store.kept() == 1);
}

TEST_CASE("store seen: by document, agent and session; a fork asks for its session alone") {
  const Store store;
  const auto journal = store.journal("server-1");
  for (const Wanted& turn : {Wanted{"t-1"}, Wanted{"t-2", "o-1", "d-1", "other"},
                             Wanted{"t-3", "s-2"}, Wanted{"t-4", "s-1", "d-2"}}) {
    begin(*journal, turn);
    journal->prompt_arrived(turn.turn);
    end(*journal, turn, "done");
  }
  CHECK(seen_in(*journal) == "Above t-1.\n\nWhy?\n|11|");
  CHECK(seen_in(*journal, {"d-1", "other", "o-1"}) == "Above t-2.\n\nWhy?\n|11|");
  CHECK(seen_in(*journal, {"d-1", "claude", "s-2"}) == "Above t-3.\n\nWhy?\n|11|");
  CHECK(seen_in(*journal, {"d-1", "claude", "o-1"}) == "nothing");
  CHECK(seen_in(*journal, {"d-3", "claude", "s-1"}) == "nothing");
  CHECK(seen_in(*journal, {"", "claude", "s-1"}) == "Above t-4.\n\nWhy?\n|11|");
  CHECK(store.kept() == 4);
}

TEST_CASE("store seen: a turn that did not arrive leaves what was seen before") {
  const Store store;
  const auto journal = store.journal("server-1");
  begin(*journal, {"t-1"});
  journal->prompt_arrived("t-1");
  end(*journal, {"t-1"}, "done");
  begin(*journal, {"t-2"});
  CHECK(seen_in(*journal) == "Above t-1.\n\nWhy?\n|11|");
  end(*journal, {"t-2"}, "failed");
  CHECK(seen_in(*journal) == "Above t-1.\n\nWhy?\n|11|");
  CHECK(store.kept() == 1);
}

TEST_CASE("store seen: of a server that was killed in the middle, what had come was seen") {
  const Store store;
  const auto crashed = store.journal("server-1");
  begin(*crashed, {"t-1"});
  crashed->prompt_arrived("t-1");
  crashed->reply_changed("t-1", 0, "Beca");
  CHECK_FALSE(crashed->unsaved_reply("d-1", "/w/d.md"));  // it is on the disk now
  const auto next = store.journal("server-2");
  CHECK(seen_in(*next) == "Above t-1.\n\nWhy?\n|11|Beca");
  const auto unsaved = next->unsaved_reply("d-1", "/w/d.md");
  REQUIRE(unsaved);
  CHECK(unsaved->state == "interrupted");
  CHECK(seen_in(*next) == "Above t-1.\n\nWhy?\n|11|Beca");
}

TEST_CASE("store seen: of a document with many sessions the newest are kept") {
  const Store store;
  const auto journal = store.journal("server-1");
  for (std::int64_t number = 0; number < store::kMaxSeenSessions + 5; ++number) {
    const Wanted turn{"t-" + std::to_string(number), "s-" + std::to_string(number)};
    begin(*journal, turn);
    journal->prompt_arrived(turn.turn);
    end(*journal, turn, "done");
  }
  CHECK(seen_in(*journal, {"d-1", "claude", "s-4"}) == "nothing");
  CHECK(seen_in(*journal, {"d-1", "claude", "s-5"}) == "Above t-5.\n\nWhy?\n|11|");
  CHECK(store.kept() == store::kMaxSeenSessions);
}

TEST_CASE("store seen: what counts as seen instead, until the next turn; of that session alone") {
  const Store store;
  const auto text = std::make_shared<const std::string>("Counted \xC3\xA4.\n");
  {
    const auto journal = store.journal("server-1");
    journal->counts_as_seen({"d-1", "claude", "s-1"}, text);  // nobody knows it
    CHECK(seen_in(*journal) == "nothing");
    for (const Wanted& turn : {Wanted{"t-1"}, Wanted{"t-2", "s-2"}}) {
      begin(*journal, turn);
      journal->prompt_arrived(turn.turn);
      journal->reply_changed(turn.turn, 0, "Because.");
      end(*journal, turn, "done");
    }
    journal->counts_as_seen({"d-1", "claude", "s-1"}, text);
  }
  const auto journal = store.journal("server-2");
  CHECK(seen_in(*journal) == "Counted \xC3\xA4.\n|12|");
  CHECK(seen_in(*journal, {"d-1", "claude", "s-2"}) == "Above t-2.\n\nWhy?\n|11|Because.");
  begin(*journal, {"t-3"});
  journal->prompt_arrived("t-3");
  end(*journal, {"t-3"}, "done");
  CHECK(seen_in(*journal) == "Above t-3.\n\nWhy?\n|11|");
}

}  // namespace store_seen_test
