// `agent-doc undo`: real runs, real files, the store between them.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cli_undo_e2e_test {

using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

struct Ended {
  int code = 0;
  std::string out;
  std::string error;
};

Ended ended(const Desk& desk, std::vector<std::string> arguments) {
  CommandRun run(desk, std::move(arguments));
  const int code = run.wait();
  return {code, run.out(), run.error()};
}

std::string body_of(const std::string& text) {
  return text.substr(text.find("---\n\n", 4) + 5);
}

TEST_CASE("undo: reply by reply, told to the agent, and never what somebody has changed") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  const std::string file = desk / "a.md";
  write_file(file, "# Title\n\n## User\n\nHello?\n");
  CHECK(ended(desk, {"undo", "a.md"}).code == 3);
  REQUIRE(ended(desk, {"run", "a.md"}).code == 0);
  const std::string first = read_file(file);
  REQUIRE(ended(desk, {"run", "a.md", "And?"}).code == 0);
  const std::string second = read_file(file);

  // What was changed, or written below it, stays.
  for (const std::string& changed :
       {second + "More?\n", second.substr(0, second.rfind("w0 w1")) + "w0 no\n\n## User\n\n"}) {
    write_file(file, changed);
    const Ended refused = ended(desk, {"undo", "a.md"});
    CHECK(refused.code == 6);
    CHECK(refused.out == "");
    CHECK(read_file(file) == changed);
  }
  write_file(file, second);

  const Ended once = ended(desk, {"undo", "a.md"});
  CHECK(once.code == 0);
  CHECK(once.out ==
        "Took the last reply (fake) out of a.md. Its question is open again: And?\n"
        "fake still has this turn in its session; the next run tells it that it was deleted.\n"
        "The reply is kept: agent-doc log a.md --turn 2\n");
  CHECK(read_file(file) == first + "And?\n");
  const Ended diff = ended(desk, {"diff", "a.md"});
  CHECK(diff.code == 0);
  CHECK(diff.out ==
        "--- a.md as fake has seen it\n+++ a.md\n@@ -7,11 +7,3 @@\n ## Assistant\n \n w0 w1 "
        "w2\n-\n-## User\n-\n-And?\n-\n-## Assistant\n-\n-w0 w1 w2\n");
  write_file(file, first);
  const Ended json = ended(desk, {"undo", "a.md", "--json"});
  CHECK(json.code == 0);
  const boost::json::value told = boost::json::parse(json.out);
  CHECK(told.at("file").as_string() == file);
  CHECK(told.at("agent").as_string() == "fake");
  CHECK(told.at("openPrompt").as_string() == "Hello?");
  CHECK(told.at("reply").as_string() == "w0 w1 w2 ");
  CHECK(told.at("toldAsDeleted").as_bool());
  CHECK(body_of(read_file(file)) == "# Title\n\n## User\n\nHello?\n");
  CHECK(ended(desk, {"recover", "a.md"}).code == 3);

  // A document whose record is elsewhere.
  write_file(desk / "b.md", "Hello?\n\n## Assistant\n\nw0 w1 w2\n\n## User\n\n");
  CHECK(ended(desk, {"undo", "b.md"}).code == 6);
}

}  // namespace cli_undo_e2e_test
