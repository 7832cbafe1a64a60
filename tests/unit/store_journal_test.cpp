// The store with its real database: what a journal is told comes back from a history, also after a
// crash, damage, and a newer version.
#include "server/store/history.hpp"
#include "server/store/schema.hpp"
#include "server/store/sqlite_journal.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace store_journal_test {

using namespace agent_doc;
using agent_doc::tests::TemporaryFolder;
using store::ReplyPlace;
using store::StoredPiece;

/// One person's store. Processes are names; those in `alive` run.
struct Store {
  TemporaryFolder folder{TemporaryFolder::Place::Memory};
  std::string path = folder / "agent-doc/state.db";
  std::set<std::string> alive;

  std::unique_ptr<store::Journal> journal(const std::string& owner) {
    alive.insert(owner);
    return store::make_sqlite_journal(
        {path, owner, [this](const std::string& name) { return alive.contains(name); }});
  }
  std::vector<store::StoredTurn> turns(const store::TurnFilter& filter = {{}, {}, 100}) const {
    auto history = store::History::open(path);
    REQUIRE(history.has_value());
    auto found = history->turns(filter);
    REQUIRE(found.has_value());
    return *found;
  }
  std::vector<StoredPiece> pieces(std::int64_t number) const {
    auto history = store::History::open(path);
    REQUIRE(history.has_value());
    return *history->pieces(number);
  }
};

store::TurnBegan turn_of(const std::string& turn, const std::string& document,
                         const std::string& prompt) {
  return {turn, document, "/w/" + document + ".md", prompt, "claude", "/w"};
}

store::TurnTotals totals_of(const std::string& state) {
  store::TurnTotals totals;
  totals.state = state;
  totals.model = "model-1";
  totals.session_id = "s-1";
  totals.input_tokens = 10;
  totals.output_tokens = 20;
  totals.cost_micros = 30;
  return totals;
}

TEST_CASE("store: a turn is recorded with its reply, its rounds and what came after it") {
  Store store;
  {
    const auto journal = store.journal("server-1");
    journal->turn_began(turn_of("t-1", "d-1", "Why?"));
    journal->session_known("t-1", "s-1");
    journal->reply_changed("t-1", 0, "First ");
    journal->reply_changed("t-1", 6, "round.");
    journal->reply_changed("t-1", 0, "Because");
    journal->reply_changed("t-1", 7, " 日本.\n");
    journal->turn_ended("t-1", totals_of("done"));
    journal->said_after_turn("t-1", "And one more thing.");
    journal->reply_placed("t-1", ReplyPlace::File);
    journal->reply_placed("t-1", ReplyPlace::Client);
  }
  const auto turns = store.turns();
  REQUIRE(turns.size() == 1);
  const store::StoredTurn& turn = turns[0];
  CHECK(turn.turn == "t-1");
  CHECK(turn.document == "d-1");
  CHECK(turn.path == "/w/d-1.md");
  CHECK(turn.prompt == "Why?");
  CHECK(turn.agent == "claude");
  CHECK(turn.reply == "Because 日本.\n");
  CHECK(turn.totals.state == "done");
  CHECK(turn.totals.model == "model-1");
  CHECK(turn.totals.session_id == "s-1");
  CHECK(turn.totals.input_tokens == 10);
  CHECK(turn.totals.output_tokens == 20);
  CHECK(turn.totals.cost_micros == 30);
  CHECK(turn.place == ReplyPlace::File);
  CHECK(turn.began_ms > 0);
  CHECK(turn.ended_ms >= turn.began_ms);
  const auto pieces = store.pieces(turn.number);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].kind == StoredPiece::Kind::EarlierRound);
  CHECK(pieces[0].text == "First round.");
  CHECK(pieces[1].kind == StoredPiece::Kind::AfterTurn);
  CHECK(pieces[1].text == "And one more thing.");
}

TEST_CASE("store: nobody else may read it") {
  Store store;
  store.journal("server-1")->turn_began(turn_of("t-1", "d-1", "Why?"));
  struct stat file {};
  REQUIRE(::stat(store.path.c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
  struct stat folder {};
  REQUIRE(::stat((store.folder / "agent-doc").c_str(), &folder) == 0);
  CHECK((folder.st_mode & 0777) == 0700);
}

TEST_CASE("store: a turn that runs is seen as far as it came, and nothing is made by looking") {
  Store store;
  CHECK(store::History::open(store.path).error().kind == store::StoreErrorKind::Missing);
  const auto journal = store.journal("server-1");
  CHECK_FALSE(journal->unsaved_reply("d-1", "/w/d-1.md"));
  CHECK_FALSE(std::filesystem::exists(store.path));
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->reply_changed("t-1", 0, "Bec");
  CHECK_FALSE(journal->unsaved_reply(
      "d-1", "/w/d-1.md"));  // it runs; and what was told before is on the disk now
  const auto turns = store.turns();
  REQUIRE(turns.size() == 1);
  CHECK(turns[0].totals.state == "running");
  CHECK(turns[0].ended_ms == 0);
  CHECK(turns[0].reply == "Bec");
}

TEST_CASE(
    "store: the reply of a server that went away is offered, once it is dead, until it was seen in "
    "a file") {
  Store store;
  const auto crashed = store.journal("server-1");
  crashed->turn_began(turn_of("t-1", "d-1", "Why?"));
  crashed->session_known("t-1", "s-9");
  crashed->reply_changed("t-1", 0, "A lost round.");
  crashed->reply_changed("t-1", 0, "Because");
  CHECK_FALSE(crashed->unsaved_reply("d-1", "/w/d-1.md"));
  const auto other = store.journal("server-2");
  CHECK_FALSE(other->unsaved_reply("d-1", "/w/d-1.md"));  // the first one is at it
  store.alive.erase("server-1");
  CHECK_FALSE(other->unsaved_reply("d-2", "/w/d-2.md"));
  for (int look = 0; look < 2; ++look) {
    const auto reply = other->unsaved_reply("d-1", "/w/d-1.md");
    REQUIRE(reply);
    CHECK(reply->turn == "t-1");
    CHECK(reply->document == "d-1");
    CHECK(reply->session_id == "s-9");
    CHECK(reply->agent == "claude");
    CHECK(reply->state == "interrupted");
    CHECK(reply->prompt == "Why?");
    CHECK(reply->text == "Because");
  }
  CHECK(store.turns()[0].totals.state == "interrupted");
  CHECK(other->unsaved_reply("", "/w/d-1.md")->turn == "t-1");
  CHECK_FALSE(other->unsaved_reply("", "/w/d-2.md"));
  REQUIRE(store.pieces(1).size() == 1);
  CHECK(store.pieces(1)[0].text == "A lost round.");
  other->reply_placed("t-1", ReplyPlace::Client);
  CHECK(other->unsaved_reply("d-1", "/w/d-1.md"));
  other->reply_placed("t-1", ReplyPlace::File);
  CHECK_FALSE(other->unsaved_reply("d-1", "/w/d-1.md"));
}

TEST_CASE(
    "store: a copy of a document is not offered the reply of its original; a document that was "
    "moved is") {
  Store store;
  const std::string original = store.folder / "original.md";
  std::ofstream(original) << "It is there.";
  const auto journal = store.journal("server-1");
  store::TurnBegan began = turn_of("t-1", "d-1", "Why?");
  began.path = original;
  journal->turn_began(began);
  journal->reply_changed("t-1", 0, "Because");
  journal->turn_ended("t-1", totals_of("done"));
  CHECK(journal->unsaved_reply("d-1", original));
  CHECK_FALSE(journal->unsaved_reply("d-1", store.folder / "copy.md"));
  std::filesystem::remove(original);
  CHECK(journal->unsaved_reply("d-1", store.folder / "moved.md"));
}

TEST_CASE("store: with a turn that was steered, the one that it went on from is offered, too") {
  Store store;
  const auto crashed = store.journal("server-1");
  const auto go_on = [&](const std::string& turn, const std::string& from) {
    store::TurnBegan began = turn_of(turn, "d-1", "Ask " + turn);
    began.goes_on_from = from;
    crashed->turn_began(began);
  };
  go_on("t-0", "");
  crashed->reply_changed("t-0", 0, "Zero");
  crashed->turn_ended("t-0", totals_of("done"));
  go_on("t-1", "");
  crashed->reply_changed("t-1", 0, "One");
  crashed->turn_ended("t-1", totals_of("done"));
  go_on("t-2", "t-1");
  crashed->turn_ended("t-2", totals_of("done"));
  go_on("t-3", "t-2");
  crashed->reply_changed("t-3", 0, "Three");
  SUBCASE("it has said something") {
    CHECK_FALSE(crashed->unsaved_reply("d-1", "/w/d-1.md"));  // it runs, and is on the disk now
    store.alive.clear();
    const auto next = store.journal("server-2");
    const auto reply = next->unsaved_reply("d-1", "/w/d-1.md");
    REQUIRE(reply);
    CHECK(reply->turn == "t-3");
    CHECK(reply->text == "Three");
    CHECK(reply->state == "interrupted");
    REQUIRE(reply->before.size() == 1);
    CHECK(reply->before[0].turn == "t-1");
    CHECK(reply->before[0].prompt == "Ask t-1");
    CHECK(reply->before[0].text == "One");
    next->reply_placed("t-1", ReplyPlace::File);
    CHECK(next->unsaved_reply("d-1", "/w/d-1.md")->before.empty());
  }
  SUBCASE("it has not: what was said before it is offered") {
    crashed->turn_ended("t-3", totals_of("done"));
    go_on("t-4", "t-3");
    CHECK_FALSE(crashed->unsaved_reply("d-1", "/w/d-1.md"));
    store.alive.clear();
    const auto next = store.journal("server-2");
    const auto reply = next->unsaved_reply("d-1", "/w/d-1.md");
    REQUIRE(reply);
    CHECK(reply->turn == "t-3");
    CHECK(reply->prompt == "Ask t-3");
    CHECK(reply->text == "Three");
    REQUIRE(reply->before.size() == 1);
    CHECK(reply->before[0].turn == "t-1");
    for (const char* turn : {"t-1", "t-3"}) next->reply_placed(turn, ReplyPlace::File);
    CHECK_FALSE(next->unsaved_reply("d-1", "/w/d-1.md"));
  }
}

TEST_CASE("store: only the last turn of a document is offered, and none without a reply") {
  Store store;
  const auto journal = store.journal("server-1");
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->reply_changed("t-1", 0, "Because");
  journal->turn_ended("t-1", totals_of("done"));
  CHECK(journal->unsaved_reply("d-1", "/w/d-1.md")->text == "Because");
  journal->turn_began(turn_of("t-2", "d-1", "Really?"));
  journal->turn_ended("t-2", totals_of("failed"));
  CHECK_FALSE(journal->unsaved_reply("d-1", "/w/d-1.md"));
}

TEST_CASE("store: a document that was moved is known by its new path") {
  Store store;
  {
    const auto journal = store.journal("server-1");
    journal->turn_began(turn_of("t-1", "d-1", "Why?"));
    journal->reply_changed("t-1", 0, "Because.");
    journal->document_moved("d-1", "/w/new.md");
    journal->turn_ended("t-1", totals_of("done"));
  }
  const auto turns = store.turns();
  REQUIRE(turns.size() == 1);
  CHECK(turns[0].path == "/w/new.md");
  CHECK(turns[0].reply == "Because.");
  store.alive.erase("server-1");
  const auto journal = store.journal("server-2");
  CHECK(journal->unsaved_reply({}, "/w/new.md").has_value());
  CHECK_FALSE(journal->unsaved_reply({}, "/w/d-1.md").has_value());
}

TEST_CASE("store: words are found in prompts and replies, and are never operators") {
  Store store;
  {
    const auto journal = store.journal("server-1");
    journal->turn_began(turn_of("t-1", "d-1", "How do I boil an egg?"));
    journal->reply_changed("t-1", 0, "In wäter, AND \"slowly\".");
    journal->turn_ended("t-1", totals_of("done"));
    journal->turn_began(turn_of("t-2", "d-2", "And potatoes?"));
    journal->reply_changed("t-2", 0, "Longer.");
    journal->turn_ended("t-2", totals_of("done"));
  }
  const auto found = [&](const std::string& words, const std::string& document = {},
                         std::int64_t limit = 100) {
    std::string numbers;
    for (const auto& turn : store.turns({document, words, limit}))
      numbers += std::to_string(turn.number) + " ";
    return numbers;
  };
  CHECK(found("egg") == "1 ");
  CHECK(found("water EGG") == "1 ");
  CHECK(found("and") == "1 2 ");
  CHECK(found("and", "d-2") == "2 ");
  CHECK(found("and", {}, 1) == "2 ");
  CHECK(found("potato") == "2 ");
  CHECK(found("egg OR potatoes").empty());
  CHECK(found("\"slowly\" -egg") == "1 ");
  CHECK(found("\"").empty());
  CHECK(found("  ") == "1 2 ");
}

TEST_CASE("store: the folder of a session is the one that it was last used in") {
  Store store;
  const auto journal = store.journal("server-1");
  CHECK(journal->folder_of_session("claude", "s-1").empty());
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->session_known("t-1", "s-1");
  CHECK(journal->folder_of_session("claude", "s-1") == "/w");
  CHECK(journal->folder_of_session("codex", "s-1").empty());
  CHECK(journal->agent_of_session("s-1") == "claude");
  CHECK(journal->agent_of_session("s-2").empty());
}

TEST_CASE("store: two processes write into it at once") {
  Store store;
  constexpr int kTurns = 40;
  {
    const auto one = store.journal("server-1");
    const auto two = store.journal("server-2");
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::string number = std::to_string(turn);
      for (const auto& [journal, name] :
           {std::pair(one.get(), "a" + number), std::pair(two.get(), "b" + number)}) {
        journal->turn_began(turn_of(name, "d-" + name, "Prompt of " + name));
        journal->reply_changed(name, 0, "Reply of " + name);
        journal->turn_ended(name, totals_of("done"));
      }
    }
    for (store::Journal* journal : {one.get(), two.get()}) {
      CHECK_FALSE(
          journal->unsaved_reply("d-c", "/w/d-c.md"));  // everything is written when it returns
      CHECK(journal->take_problem() == "");
    }
  }
  const auto turns = store.turns();
  REQUIRE(turns.size() == 2 * kTurns);
  for (const auto& turn : turns) CHECK(turn.reply == "Reply of " + turn.turn);
}

TEST_CASE("store: a damaged one is put aside, told, and a new one begun") {
  Store store;
  std::filesystem::create_directory(store.folder / "agent-doc");
  tests::write_file(store.path,
                    "This is no database, but it is longer than the header of one would be. " +
                        std::string(4096, 'x'));
  const auto journal = store.journal("server-1");
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->reply_changed("t-1", 0, "Because");
  journal->turn_ended("t-1", totals_of("done"));
  REQUIRE(journal->unsaved_reply("d-1", "/w/d-1.md"));
  CHECK(journal->take_problem().find("The store of earlier turns was damaged. It is now " +
                                     store.path + ".damaged-") == 0);
  CHECK(journal->take_problem().empty());
  CHECK(store.turns().size() == 1);
  int aside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(store.folder / "agent-doc")) {
    if (entry.path().filename().string().starts_with("state.db.damaged-")) ++aside;
  }
  CHECK(aside == 1);
}

TEST_CASE("store: one of a newer version is left alone, and that is told once a turn") {
  Store store;
  std::string put_aside;
  std::filesystem::create_directory(store.folder / "agent-doc");
  {
    auto database = store::open_store(store.path, put_aside);
    REQUIRE(database.has_value());
    REQUIRE(database->run("PRAGMA user_version = 1000").has_value());
  }
  const auto journal = store.journal("server-1");
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->turn_ended("t-1", totals_of("done"));
  CHECK_FALSE(journal->unsaved_reply("d-1", "/w/d-1.md"));
  const std::string problem = journal->take_problem();
  CHECK(problem.find(store.path + " was written by a newer agent-doc (version 1000, this one knows "
                                  "5), so turns are not recorded: update this agent-doc") == 0);
  CHECK(store::History::open(store.path).error().kind == store::StoreErrorKind::Newer);
  CHECK(put_aside.empty());
}

TEST_CASE("store: where nothing can be written the person hears of it, and nothing else happens") {
  Store store;
  tests::write_file(store.folder / "agent-doc", "a file where the folder should be");
  const auto journal = store.journal("server-1");
  journal->turn_began(turn_of("t-1", "d-1", "Why?"));
  journal->reply_changed("t-1", 0, "Because");
  journal->turn_ended("t-1", totals_of("done"));
  CHECK_FALSE(journal->unsaved_reply("d-1", "/w/d-1.md"));
  CHECK(journal->take_problem().find("This turn is not recorded in the store (") !=
        std::string::npos);
}

}  // namespace store_journal_test
