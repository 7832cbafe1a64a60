// `agent-doc patch` and `new --template`: whole files.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <string>

namespace cli_patch_test {

using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

struct Ended {
  int code = 0;
  std::string said;  ///< on both streams
};

Ended ended(const Desk& desk, std::vector<std::string> arguments, RunSettings settings = {}) {
  CommandRun run(desk, std::move(arguments), std::move(settings));
  const int code = run.wait();
  return {code, run.out() + run.error()};
}

TEST_CASE("patch: a text goes into a component of a file by its mode, and nothing else changes") {
  const Desk desk;
  const std::string head = "---\r\nagent: tour\r\n---\r\n<!-- agent:log patch=append -->\r\n";
  const std::string foot = "<!-- /agent:log -->\r\nbelow\r\n";
  write_file(desk / "a.md", head + "one\r\n" + foot);

  Ended run = ended(desk, {"patch", "a.md", "log", "two"});
  CHECK(run.code == 0);
  CHECK(run.said == "Patched log in a.md.\n");
  CHECK(read_file(desk / "a.md") == head + "one\r\ntwo\r\n" + foot);

  RunSettings piped;
  piped.input = "three\nfour\n";
  CHECK(ended(desk, {"patch", "a.md", "log", "-", "--mode", "replace"}, piped).code == 0);
  CHECK(read_file(desk / "a.md") == head + "three\r\nfour\r\n" + foot);

  run = ended(desk, {"patch", "a.md", "log", "three\nfour", "--mode", "replace"});
  CHECK(run.code == 3);
  CHECK(run.said == "agent-doc: log in a.md is as it was.\n");

  CHECK(ended(desk, {"patch", "a.md", "log", "", "--mode", "replace"}).code == 0);
  CHECK(read_file(desk / "a.md") == head + foot);
  CHECK(ended(desk, {"patch", "a.md", "log", "three\nfour"}).code == 0);

  run = ended(desk, {"patch", "a.md", "status", "x"});
  CHECK(run.code == 2);
  CHECK(run.said == "agent-doc: a.md has no component status: it has log.\n");

  run = ended(desk, {"patch", "a.md", "log", "<!-- /agent:log -->"});
  CHECK(run.code == 2);
  CHECK(run.said ==
        "agent-doc: a.md is as it was: the text has markers of components outside code, which "
        "would end log elsewhere. Put them into a code block.\n");
  CHECK(read_file(desk / "a.md") == head + "three\r\nfour\r\n" + foot);
}

TEST_CASE("new --template: its exchange is asked, and its other components take blocks") {
  const Desk desk;
  CHECK(ended(desk, {"new", "a.md", "What time is it?", "--agent", "tour", "--template"}).code ==
        0);
  const std::string made = read_file(desk / "a.md");
  const std::size_t body = made.find("\n\n") + 2;
  CHECK(made.substr(body) ==
        "<!-- agent:status patch=replace -->\n<!-- /agent:status -->\n\n"
        "<!-- agent:log patch=append max_lines=100 -->\n<!-- /agent:log -->\n\n"
        "<!-- agent:exchange patch=append -->\n## User\n\nWhat time is it?\n"
        "<!-- /agent:exchange -->\n");

  const Ended shown = ended(desk, {"run", "a.md", "--dry-run"});
  CHECK(shown.code == 0);
  CHECK(shown.said.starts_with(
      "This is the markdown document that we write together, up to now:\n\n<document>\n"
      "<!-- agent:status patch=replace -->\n<!-- /agent:status -->\n\n"
      "<!-- agent:log patch=append max_lines=100 -->\n<!-- /agent:log -->\n\n"
      "<!-- agent:exchange patch=append -->\n</document>\n\n"
      "Its parts between <!-- agent:NAME --> and <!-- /agent:NAME --> are components."));
}

TEST_CASE("convert: there and back is the same file; a document that cannot be stays") {
  const Desk desk;
  const std::string text = "---\nagent: tour\n---\n\n## User\n\nOne?\n";
  write_file(desk / "a.md", text);
  Ended run = ended(desk, {"convert", "a.md", "--to", "template"});
  CHECK(run.code == 0);
  CHECK(run.said ==
        "a.md is a template document: its turns are in the component exchange.\n"
        "To take it back: agent-doc convert a.md --to inline\n");
  CHECK(read_file(desk / "a.md") ==
        "---\nagent: tour\n---\n\n<!-- agent:exchange patch=append -->\n## User\n\nOne?\n"
        "<!-- /agent:exchange -->\n");
  run = ended(desk, {"convert", "a.md", "--to", "template"});
  CHECK(run.code == 2);
  CHECK(run.said == "agent-doc: a.md stays as it is: it has a component exchange already.\n");
  CHECK(ended(desk, {"convert", "a.md", "--to", "inline"}).code == 0);
  CHECK(read_file(desk / "a.md") == text);
}

}  // namespace cli_patch_test
