// `agent-doc compact`: real files, real runs: archives, what a new session is sent, and back.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <sys/stat.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace cli_compact_e2e_test {

using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

struct Finish {
  int code = 0;
  std::string out;
  std::string error;
};

Finish finish(const Desk& desk, std::vector<std::string> arguments) {
  CommandRun run(desk, std::move(arguments));
  const int code = run.wait();
  return {code, run.out(), run.error()};
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

TEST_CASE("compact: an archive beside the document, a new session with the rest, and back") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  const std::string file = desk / "a.md";
  const std::string archive = desk / "a.archive.md";
  write_file(file, "# Title\n\n## User\n\nOne? <!-- mine -->\n");
  ::chmod(file.c_str(), 0600);
  REQUIRE(finish(desk, {"run", "a.md"}).code == 0);
  CHECK(finish(desk, {"compact", "a.md", "--keep", "1"}).code == 3);
  CHECK(finish(desk, {"compact", "a.md"}).code == 2);
  CHECK(finish(desk, {"compact", "a.md", "--undo"}).code == 3);
  REQUIRE(finish(desk, {"run", "a.md", "Two?"}).code == 0);
  const std::string before = read_file(file);
  write_file(archive, "somebody else's\n");

  Finish done = finish(desk, {"compact", "a.md", "--keep", "1"});
  CHECK(done.code == 0);
  const std::string second = desk / "a.archive-2.md";
  CHECK(read_file(archive) == "somebody else's\n");
  struct stat status {};
  REQUIRE(::stat(second.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
  const std::string moved = before.substr(before.find("## User"),
                                          before.rfind("## User\n\nTwo?") - before.find("## User"));
  CHECK(read_file(second).ends_with("---\n\n" + moved));
  CHECK(
      read_file(file).ends_with("agent_doc_archive: a.archive-2.md\n---\n\n# Title\n\n## "
                                "User\n\nTwo?\n\n## Assistant\n\nw0 w1 w2 \n\n## User\n\n"));
  // The next run begins a session, with what is left.
  const Finish dry = finish(desk, {"run", "a.md", "--dry-run", "Three?"});
  CHECK(dry.out ==
        "This is the markdown document that we write together, up to now:\n\n<document>\n# "
        "Title\n\n## User\n\nTwo?\n\n## Assistant\n\nw0 w1 w2\n</document>\n\nThis is the open "
        "prompt in it. Answer only this:\n\nThree?\n");

  done = finish(desk, {"compact", "a.md", "--undo", "--json"});
  CHECK(done.code == 0);
  const boost::json::value facts = boost::json::parse(done.out);
  CHECK(facts.at("turns").as_int64() == 1);
  CHECK(facts.at("archive").as_string() == second);
  CHECK(facts.at("archiveRemoved").as_bool());
  CHECK(facts.at("frontMatterRestored").as_bool());
  CHECK(read_file(file) == before);
  CHECK_FALSE(is_there(second));
}

const std::string kTwoTurns =
    "## User\n\nOne?\n\n## Assistant\n\nYes.\n\n## User\n\nTwo?\n\n## Assistant\n\nNo.\n";
const std::string kFirstTurn = "## User\n\nOne?\n\n## Assistant\n\nYes.\n\n";

TEST_CASE("compact: a failing disk leaves the document as it was, and no archive") {
  for (const std::string call : {"fsync", "exchange"}) {
    CAPTURE(call);
    const Desk desk;
    write_file(desk / "a.md", kTwoTurns);
    RunSettings settings;
    settings.disk_faults = call + "=EIO";
    CommandRun run(desk, {"compact", "a.md", "--keep", "1"}, settings);
    CHECK(run.wait() == 1);
    CHECK(read_file(desk / "a.md") == kTwoTurns);
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE("compact: killed when the archive is there and the document is not exchanged") {
  const Desk desk;
  write_file(desk / "a.md", kTwoTurns);
  RunSettings settings;
  settings.disk_faults = "exchange=60000";
  CommandRun run(desk, {"compact", "a.md", "--keep", "1"}, settings);
  const std::string archive = desk / "a.archive.md";
  REQUIRE(run.wait_until([&] { return read_file(archive).ends_with(kFirstTurn); }));
  run.signal(SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  CHECK(read_file(desk / "a.md") == kTwoTurns);
  CHECK(read_file(archive).ends_with(kFirstTurn));
  CHECK(finish(desk, {"compact", "a.md", "--keep", "1"}).code == 0);
  CHECK(read_file(desk / "a.archive-2.md").ends_with("---\n\n" + kFirstTurn));
  CHECK(read_file(desk / "a.md") ==
        "---\nagent_doc_archive: a.archive-2.md\n---\n\n" + kTwoTurns.substr(kFirstTurn.size()));
}

TEST_CASE("compact: a document names no file but one beside it") {
  const Desk desk;
  const std::string text =
      "---\nagent_doc_archive_of: a.md\n---\n\n## User\n\nx\n\n## "
      "Assistant\n\ny\n\n";
  write_file(desk / "../other.md", text);
  for (const std::string name : {"../other.md", "/etc/passwd", "..", "b.md", "a.md"}) {
    CAPTURE(name);
    const std::string document = "---\nagent_doc_archive: " + name + "\n---\n\n## User\n\nHello?\n";
    write_file(desk / "a.md", document);
    CHECK(finish(desk, {"compact", "a.md", "--undo"}).code == 2);
    CHECK(read_file(desk / "a.md") == document);
  }
  CHECK(read_file(desk / "../other.md") == text);
}

}  // namespace cli_compact_e2e_test
