// What it is: a store of an earlier version, as that program has left it (tests/stores), opened by
// this one.
// What it is not: what is written into a store (store_journal_test.cpp).
#include "server/store/schema.hpp"

#include "server/store/history.hpp"
#include "server/store/sqlite_journal.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace store_schema_test {

using namespace agent_doc;
using agent_doc::tests::TemporaryFolder;

struct EarlierStore {
  explicit EarlierStore(const std::string& file = "version-1.db") {
    std::filesystem::copy_file(std::string(AGENT_DOC_TEST_DATA) + "/stores/" + file, path);
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  std::int64_t version() const {
    auto database = store::Database::open(path, store::Database::Access::Read);
    REQUIRE(database.has_value());
    std::int64_t version = -1;
    REQUIRE(database
                ->query("PRAGMA user_version", {},
                        [&](const store::Row& row) { version = row.integer(0); })
                .has_value());
    return version;
  }
  /// The numbers of the turns that have `words`.
  std::string found(const std::string& words) const {
    auto history = store::History::open(path);
    REQUIRE(history.has_value());
    const auto turns = history->turns({{}, words, 100});
    REQUIRE(turns.has_value());
    std::string numbers;
    for (const auto& turn : *turns) numbers += std::to_string(turn.number) + " ";
    return numbers;
  }

  /// As they were made.
  std::vector<std::string> tables() const {
    auto database = store::Database::open(path, store::Database::Access::Read);
    REQUIRE(database.has_value());
    std::vector<std::string> all;
    REQUIRE(database
                ->query("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name", {},
                        [&](const store::Row& row) { all.push_back(row.text(0)); })
                .has_value());
    return all;
  }

  TemporaryFolder folder{TemporaryFolder::Place::Memory};
  std::string path = folder / "state.db";
};

TEST_CASE(
    "store schema: one of an earlier version is brought up to date, by who writes and by who "
    "looks") {
  for (const bool by_writer : {true, false}) {
    CAPTURE(by_writer);
    EarlierStore store;
    REQUIRE(store.version() == 1);
    if (by_writer) {
      std::string put_aside;
      REQUIRE(store::open_store(store.path, put_aside).has_value());
      CHECK(put_aside.empty());
    } else {
      REQUIRE(store::History::open(store.path).has_value());
    }
    CHECK(store.version() == store::kSchemaVersion);
    auto history = store::History::open(store.path);
    REQUIRE(history.has_value());
    const auto turn = history->turn(1);
    REQUIRE(turn.has_value());
    REQUIRE(*turn);
    CHECK((*turn)->prompt == "Why is the sky blue?");
    CHECK((*turn)->reply == "Because of Rayleigh.");
    CHECK((*turn)->path == "/home/somebody/doc.md");
    const auto pieces = history->pieces(1);
    REQUIRE(pieces.has_value());
    REQUIRE(pieces->size() == 2);
    CHECK((*pieces)[0].text == "An earlier round about scattering.");
    CHECK((*pieces)[1].kind == store::StoredPiece::Kind::AfterTurn);
    CHECK(store.found("rayleigh") == "1 ");
    CHECK(store.found("scattering") == "1 ");  // version 1 found no pieces
    CHECK(store.found("ozone thing") == "1 ");
    CHECK(store.found("mie").empty());
  }
}

TEST_CASE(
    "store schema: a store of version 2 is brought up to date, and keeps what is sent from then "
    "on") {
  EarlierStore store("version-2.db");
  REQUIRE(store.version() == 2);
  CHECK(store.found("rayleigh") == "1 ");
  CHECK(store.version() == store::kSchemaVersion);
  CHECK(store.found("moon") == "2 ");
  CHECK(store.found("scattering") == "1 ");
  const std::string document = "c58a309c-812e-4f0d-b6d5-16bf52c3c2de";
  const std::string session = "6d2be7f2-ce6c-46f0-aad2-58cac538bfaf";
  const auto journal =
      store::make_sqlite_journal({store.path, "server-1", [](const std::string&) { return true; }});
  CHECK_FALSE(journal->seen_by({document, "tour", session}));  // nobody has kept it
  journal->turn_began({"t-3", document, "/w/d.md", "Why?", "tour", "/w",
                       std::make_shared<const std::string>("Above.\n\nWhy?\n"), 7});
  journal->session_known("t-3", session);
  journal->prompt_arrived("t-3");
  const auto seen = journal->seen_by({document, "tour", session});
  REQUIRE(seen);
  CHECK(seen->text == "Above.\n\nWhy?\n");
  CHECK(seen->above == 7);
  CHECK(seen->reply.empty());
  CHECK(journal->take_problem().empty());
}

TEST_CASE("store schema: a store of version 3 keeps what its agents have seen") {
  EarlierStore store("version-3.db");
  REQUIRE(store.version() == 3);
  const auto journal =
      store::make_sqlite_journal({store.path, "server-1", [](const std::string&) { return true; }});
  const auto seen = journal->seen_by(
      {"60eaae41-930e-4377-af47-41977e18e72a", "tour", "78208e1d-0059-4e5a-9f4d-94063b3cc3f1"});
  CHECK(store.version() == store::kSchemaVersion);
  REQUIRE(seen);
  CHECK(seen->text.starts_with("## User\n\nWhy is the sky blue?\n\n## Assistant\n\nHello!"));
  CHECK(seen->text.substr(seen->above) == "\n## User\n\nAnd the moon?\n");
  CHECK(seen->reply.starts_with("You wrote:\n\n> And the moon?"));
  CHECK(store.found("moon") == "2 ");
  CHECK(journal->take_problem().empty());
}

TEST_CASE(
    "store schema: a store of version 4 keeps its turns, and knows of new ones what they go on "
    "from") {
  EarlierStore store("version-4.db");
  REQUIRE(store.version() == 4);
  const std::string document = "a99a4690-25ff-4d85-b1d8-dee2312ffb46";
  const auto journal =
      store::make_sqlite_journal({store.path, "server-1", [](const std::string&) { return true; }});
  const auto seen = journal->seen_by({document, "tour", "211dedd8-8caf-486a-8595-aa88bf830ddf"});
  CHECK(store.version() == store::kSchemaVersion);
  REQUIRE(seen);
  CHECK(seen->text.substr(seen->above) == "\n## User\n\nAnd the moon?\n");
  CHECK_FALSE(journal->unsaved_reply(document, "/home/somebody/doc.md"));
  store::TurnBegan began{"t-3", document, "/home/somebody/doc.md", "Why?", "tour", "/w"};
  began.goes_on_from = "26b5c784-c268-4b0d-98a8-2ff1d720cd0c";
  journal->turn_began(began);
  journal->reply_changed("t-3", 0, "Because.");
  journal->turn_ended("t-3", {});
  const auto unsaved = journal->unsaved_reply(document, "/home/somebody/doc.md");
  REQUIRE(unsaved);
  CHECK(unsaved->text == "Because.");
  CHECK(unsaved->before.empty());  // that one was seen in a saved text
  CHECK(store.found("moon") == "2 ");
  CHECK(journal->take_problem().empty());
}

TEST_CASE("store schema: it goes on being written to") {
  EarlierStore store;
  {
    const auto journal = store::make_sqlite_journal(
        {store.path, "server-1", [](const std::string&) { return true; }});
    journal->turn_began({"t-2", "d-1", "/w/d.md", "And at night?", "claude", "/w"});
    journal->thought("t-2", "They mean airglow.");
    journal->reply_changed("t-2", 0, "A round about moonlight.");
    journal->reply_changed("t-2", 0, "It is dark.");
    journal->turn_ended("t-2", {});
    CHECK(journal->take_problem().empty());
    CHECK(journal->agent_of_session("nobody's").empty());
  }
  CHECK(store.found("airglow") == "2 ");
  CHECK(store.found("moonlight") == "2 ");
  CHECK(store.found("dark") == "2 ");
  CHECK(store.found("scattering") == "1 ");
}

TEST_CASE("store schema: a step that fails leaves the store as it was") {
  EarlierStore store;
  {
    auto database = store::Database::open(store.path, store::Database::Access::Write);
    REQUIRE(database.has_value());
    REQUIRE(database->run("CREATE TABLE piece_words (in_the_way)").has_value());
  }
  const std::vector<std::string> before = store.tables();
  std::string put_aside;
  const auto opened = store::open_store(store.path, put_aside);
  REQUIRE(opened.has_error());
  CHECK(store.tables() == before);
  CHECK(opened.error().kind == store::StoreErrorKind::Failed);
  CHECK(opened.error().message.find(store.path) != std::string::npos);
  CHECK(put_aside.empty());
  CHECK(store.version() == 1);
  auto database = store::Database::open(store.path, store::Database::Access::Read);
  REQUIRE(database.has_value());
  std::vector<std::string> texts;
  REQUIRE(database
              ->query("SELECT text FROM piece ORDER BY number", {},
                      [&](const store::Row& row) { texts.push_back(row.text(0)); })
              .has_value());
  CHECK(texts ==
        std::vector<std::string>{"An earlier round about scattering.", "One thing more: ozone."});
  REQUIRE(database->run("DROP TABLE piece_words").has_value());
  CHECK(store.found("scattering") == "1 ");  // and the next one can go on
}

}  // namespace store_schema_test
