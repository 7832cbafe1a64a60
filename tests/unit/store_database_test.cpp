#include "server/store/database.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace store_database_test {

using namespace agent_doc::store;

StoreResult<Database> with_table(const agent_doc::tests::TemporaryFolder& folder) {
  StoreResult<Database> database = Database::open(folder / "a.db", Database::Access::Write);
  REQUIRE(database.has_value());
  REQUIRE(
      database->run_statements("CREATE TABLE word (number INTEGER PRIMARY KEY, text TEXT UNIQUE)")
          .has_value());
  return database;
}

std::vector<std::string> words(Database& database) {
  std::vector<std::string> found;
  const auto on_row = [&found](const Row& row) { found.push_back(row.text(0)); };
  REQUIRE(database.query("SELECT text FROM word ORDER BY number", {}, on_row).has_value());
  return found;
}

TEST_CASE("database: a statement is prepared once, however often it is used") {
  const agent_doc::tests::TemporaryFolder folder;
  StoreResult<Database> database = with_table(folder);
  const auto insert = [&](const std::string& word) {
    return database->in_transaction(
        [&] { return database->run("INSERT INTO word (text) VALUES (?)", {word}); });
  };
  REQUIRE(insert("first").has_value());
  const std::uint64_t before = database->prepared();
  for (int i = 0; i < 100; ++i) REQUIRE(insert("word " + std::to_string(i)).has_value());
  CHECK(database->prepared() == before);
  CHECK(words(*database).size() == 101);
}

TEST_CASE("database: a statement that failed, or that is in use, can be used again") {
  const agent_doc::tests::TemporaryFolder folder;
  StoreResult<Database> database = with_table(folder);
  const auto insert = [&](const std::string& word) {
    return database->run("INSERT INTO word (text) VALUES (?)", {word});
  };
  REQUIRE(insert("a").has_value());
  CHECK(insert("a").has_error());
  REQUIRE(insert("b").has_value());
  std::vector<std::string> pairs;
  const auto asked =
      database->query("SELECT text FROM word ORDER BY number", {}, [&](const Row& outer) {
        for (const std::string& inner : words(*database)) pairs.push_back(outer.text(0) + inner);
      });
  REQUIRE(asked.has_value());
  CHECK(pairs == std::vector<std::string>{"aa", "ab", "ba", "bb"});
}

}  // namespace store_database_test
