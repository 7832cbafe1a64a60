// `agent-doc watch`: the real program, real inotify, a fake agent: what is saved with /send runs,
// once, however it is saved and however many watch.
#include "tests/e2e/command_run.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>

namespace cli_watch_e2e_test {

using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::rename_into;
using agent_doc::tests::write_file;

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

bool is_watching(const CommandRun& run) {
  return run.out().find("watching ") != std::string::npos;
}

std::string body(const std::string& path) {
  const std::string text = read_file(path);
  const std::size_t end = text.find("\n---\n\n", 1);
  return end == std::string::npos ? text : text.substr(end + 6);
}

const std::string kReply = "\n\n## Assistant\n\nw0 w1 w2 \n\n## User\n\n";

TEST_CASE("watch: a save in place, by rename, in a new folder, by a box; never its own writes") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  write_file(desk / "a.md", "Before?\n/send\n");  // when nobody watched
  CommandRun watch(desk, {"watch", "."});
  REQUIRE(watch.wait_until([&] { return count(watch.out(), "· done") == 1; }));
  CHECK(body(desk / "a.md") == "Before?" + kReply);
  write_file(desk / "b.md", "Not yet?\n");
  write_file(desk / "notes.txt", "No document.\n/send\n");
  rename_into(desk / "a.md", read_file(desk / "a.md") + "Renamed?\n\n/send\n");
  REQUIRE(watch.wait_until([&] { return count(watch.out(), "· done") == 2; }));
  CHECK(body(desk / "a.md") == "Before?" + kReply + "Renamed?" + kReply);
  std::filesystem::create_directory(desk / "new");
  write_file(desk / "new/c.md", "- [x] send\n\nA box?\n");
  REQUIRE(watch.wait_until([&] { return count(watch.out(), "· done") == 3; }));
  CHECK(body(desk / "new/c.md") == "A box?" + kReply);
  CHECK(read_file(desk / "b.md") == "Not yet?\n");
  CHECK(read_file(desk / "notes.txt") == "No document.\n/send\n");
  CHECK(count(watch.out(), " runs\n") == 3);
  watch.signal(SIGHUP);
  write_file(desk / "b.md", "Now?\n/send\n");
  REQUIRE(watch.wait_until([&] { return count(watch.out(), "· done") == 4; }));
  watch.signal(SIGTERM);
  CHECK(watch.wait() == 0);
  CHECK(watch.error() == "");
}

TEST_CASE("watch: two of them run a document once; an end stops a turn and leaves no process") {
  const Desk desk;
  const std::string pids = desk.home() + "/pids";
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "20", "--pid-file", pids});
  write_file(desk / "a.md", "");
  CommandRun one(desk, {"watch", "a.md"});
  CommandRun other(desk, {"watch", "."});
  REQUIRE(one.wait_until([&] { return is_watching(one); }));
  REQUIRE(other.wait_until([&] { return is_watching(other); }));
  write_file(desk / "a.md", "Hello?\n/send\n");
  const auto has_begun = [&] { return body(desk / "a.md").find("w3 ") != std::string::npos; };
  REQUIRE(one.wait_until(has_begun));
  // Whichever it was, it is asked to end, and ends when the turn is stopped.
  one.signal(SIGINT);
  other.signal(SIGTERM);
  CHECK(one.wait() == 130);
  CHECK(other.wait() == 0);
  CHECK(count(one.out() + other.out(), " runs\n") == 1);
  CHECK(count(one.out() + other.out(), "· stopped") == 1);
  CHECK(count(read_file(desk / "a.md"), "## Assistant") == 1);
  CHECK(count(read_file(pids), "\n") == 1);
  CHECK_FALSE(agent_doc::process_test::is_running(std::stoi(read_file(pids))));
  CommandRun status(desk, {"status", "a.md"});
  CHECK(status.wait() == 0);
  CHECK(status.out().find("running   no") != std::string::npos);
}

}  // namespace cli_watch_e2e_test
