// Questions without an editor: ask, the next question as an argument, on standard input and in
// $EDITOR, several files.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

namespace cli_ask_test {

using tests::read_file;
using tests::write_file;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Without its front matter.
std::string body_of(const std::string& text) {
  const std::size_t end = text.find("\n---\n");
  return end == std::string::npos ? text : text.substr(end + 5);
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace cli_ask_test

using namespace cli_ask_test;  // NOLINT: this file's own names

TEST_CASE("ask: the answer, and no document is left; --save keeps one") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  CommandRun asked(desk, {"ask", "what", "is this"});
  CHECK(asked.wait() == 0);
  CHECK(asked.out() == "w0 w1 w2 \n");
  CHECK(asked.error() == "");
  CHECK(desk.names().empty());
  CHECK(std::filesystem::is_empty(desk.home() + "/runtime/agent-doc/questions"));

  CommandRun saved(desk, {"ask", "what is this", "--save", "a.md"});
  CHECK(saved.wait() == 0);
  CHECK(body_of(read_file(desk / "a.md")) ==
        "\n## User\n\nwhat is this\n\n## Assistant\n\nw0 w1 w2 \n\n## User\n\n");
  CommandRun again(desk, {"ask", "more", "--save", "a.md"});
  CHECK(again.wait() == 2);
  CommandRun empty(desk, {"ask", " "});
  CHECK(empty.wait() == 3);
}

TEST_CASE("ask works in the folder where it was asked, with what comes on standard input") {
  const Desk desk;
  CommandRun run(desk, {"ask", "look at", "this:", "-", "--agent", "tour"},
                 {.input = "one\r\ntwo\n"});
  CHECK(run.wait() == 0);
  CHECK(contains(run.out(), "> look at this:\n>\n> one\n> two\n"));
  CommandRun binary(desk, {"ask", "-", "--agent", "tour"}, {.input = "\xff\xfe"});
  CHECK(binary.wait() == 2);
  CHECK(binary.error() == "agent-doc: the text on standard input is not UTF-8.\n");
}

TEST_CASE("the next question on the command line, on standard input and in an editor") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "1"});
  const std::string begun = "## User\n\none\n\n## Assistant\n\ntwo\n";
  const auto body_after = [&](const std::vector<std::string>& arguments,
                              const RunSettings& settings) {
    write_file(desk / "a.md", begun);
    CommandRun run(desk, arguments, settings);
    CHECK(run.wait() == 0);
    return body_of(read_file(desk / "a.md"));
  };
  const std::string expected =
      begun + "\n## User\n\nthree\nfour\n\n## Assistant\n\nw0 \n\n## User\n\n";
  CHECK(contains(body_after({"run", "a.md", "three\nfour"}, {}), expected));
  CHECK(contains(body_after({"run", "a.md", "-"}, {.input = "three\nfour\n"}), expected));
  write_file(desk.home() + "/my editor",
             "#!/bin/sh\n[ \"$1\" = --wait ] && printf 'three\\nfour\\n' > \"$2\"\n");
  std::filesystem::permissions(desk.home() + "/my editor", std::filesystem::perms::owner_all);
  CHECK(
      contains(body_after({"run", "a.md", "--edit"},
                          {.environment = {{"EDITOR", "'" + desk.home() + "/my editor' --wait"}}}),
               expected));
  CHECK(std::filesystem::is_empty(desk.home() + "/runtime/agent-doc/questions"));

  // An editor that fails, or leaves nothing: nothing is sent, and the file is as it was.
  write_file(desk / "a.md", begun);
  CommandRun failed(desk, {"run", "a.md", "--edit"}, {.environment = {{"EDITOR", "false"}}});
  CHECK(failed.wait() == 1);
  CHECK(failed.error() == "agent-doc: the editor ended with exit code 1, so nothing was sent.\n");
  CommandRun nothing(desk, {"run", "a.md", "--edit"}, {.environment = {{"VISUAL", "true"}}});
  CHECK(nothing.wait() == 3);
  CHECK(nothing.error() == "agent-doc: a.md: the question is empty.\n");
  CHECK(read_file(desk / "a.md") == begun);
}

TEST_CASE("several files at once: a line for each, and the exit code of the worst") {
  const Desk desk;
  for (const char* name : {"a.md", "b.md", "c.md"}) write_file(desk / name, "permission\n");
  write_file(desk / "empty.md", "\n");
  CommandRun run(desk,
                 {"run", "a.md", "b.md", "c.md", "empty.md", "--agent", "tour", "--jobs", "2"});
  CHECK(run.wait() == 3);
  std::vector<std::string> lines = sorted_lines(run.out());
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "– empty.md · nothing to send");
  for (std::size_t i = 1; i < 4; ++i) {
    const std::string name{static_cast<char>('a' + i - 1)};
    CHECK(lines[i].starts_with("✔ " + name + ".md · done · "));
    CHECK(contains(run.error(), "agent-doc: " + name + ".md: denied (--allow none): "));
    CHECK(contains(read_file(desk / (name + ".md")), "\n## Assistant\n"));
  }

  CommandRun failed(desk, {"run", "missing.md", "empty.md"});
  CHECK(failed.wait() == 2);
  CommandRun edited(desk, {"run", "a.md", "b.md", "--edit"});
  CHECK(edited.wait() == 2);
}

TEST_CASE("several files as JSON: each event has its file's name") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "5"});
  for (const char* name : {"a.md", "b.md"}) write_file(desk / name, "hello\n");
  CommandRun run(desk, {"run", "a.md", "b.md", "--json"});
  CHECK(run.wait() == 0);
  std::istringstream lines(run.out());
  std::vector<std::string> replies(2);
  std::string last;
  std::size_t ends = 0;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::object event = boost::json::parse(line).as_object();
    last = event.at("event").as_string();
    if (last == "allEnded") continue;
    const std::string file(event.at("file").as_string());
    REQUIRE((file == "a.md" || file == "b.md"));
    if (last == "end") ++ends;
    if (last != "reply") continue;
    std::string& reply = replies[file == "a.md" ? 0 : 1];
    reply.resize(event.at("offset").to_number<std::size_t>());
    reply += std::string_view(event.at("text").as_string());
  }
  CHECK(last == "allEnded");
  CHECK(ends == 2);
  CHECK(replies == std::vector<std::string>{"w0 w1 w2 w3 w4 ", "w0 w1 w2 w3 w4 "});
}

TEST_CASE("Ctrl-C stops several runs, each of which keeps what came") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "2"});
  for (const char* name : {"a.md", "b.md", "c.md"}) write_file(desk / name, "hello\n");
  CommandRun run(desk, {"run", "a.md", "b.md", "c.md", "--jobs", "2"});
  REQUIRE(run.wait_until([&] {
    return contains(read_file(desk / "a.md"), "w50 ") && contains(read_file(desk / "b.md"), "w50 ");
  }));
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  CHECK(contains(read_file(desk / "a.md"), "hello\n\n## Assistant\n\nw0 w1 "));
  CHECK(read_file(desk / "c.md") == "hello\n");
  CHECK(contains(run.out(), "✘ a.md · stopped · "));
}

TEST_CASE("what is no markdown is not run, unless it is meant") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "1"});
  write_file(desk / "a.c", "int x;\n");
  CommandRun refused(desk, {"run", "a.c"});
  CHECK(refused.wait() == 2);
  CHECK(refused.error() ==
        "agent-doc: a.c is no markdown by its name, and a run would write into it. If it is meant: "
        "--force\n");
  CHECK(read_file(desk / "a.c") == "int x;\n");
  CommandRun forced(desk, {"run", "a.c", "--force"});
  CHECK(forced.wait() == 0);
  CommandRun known(desk, {"run", "a.c", "more"});
  CHECK(known.wait() == 0);
}

}  // namespace agent_doc::e2e
