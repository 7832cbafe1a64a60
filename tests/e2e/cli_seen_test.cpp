// What a person changed in a document, on the command line: diff, run --dry-run, and the run
// itself. Real programs, real files.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cli_seen_e2e_test {

using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

struct Finished {
  int code = 0;
  std::string out;
  std::string error;
};

Finished finished(const Desk& desk, std::vector<std::string> arguments) {
  CommandRun run(desk, std::move(arguments));
  const int code = run.wait();
  return {code, run.out(), run.error()};
}

void replace_in(const std::string& path, const std::string& before, const std::string& after) {
  std::string text = read_file(path);
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.replace(at, before.size(), after);
  write_file(path, text);
}

const std::string kNothing =
    "agent-doc: there is nothing to send: write your question under the last `## User` heading, "
    "then run again\n";

TEST_CASE("diff and run --dry-run: what would be sent, and nothing is written or sent") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  write_file(desk / "a.md", "Hello?\n");
  Finished dry = finished(desk, {"run", "a.md", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(dry.out == "Hello?\n");
  CHECK(
      dry.error ==
      "agent-doc: 6 bytes, about 2 tokens (estimated by the length) for fake; nothing was sent.\n");
  CHECK(read_file(desk / "a.md") == "Hello?\n");
  Finished diff = finished(desk, {"diff", "a.md"});
  CHECK(diff.code == 0);
  CHECK(diff.out == "");
  CHECK(diff.error == "agent-doc: fake has no session in a.md yet: a run sends the document.\n");

  REQUIRE(finished(desk, {"run", "a.md"}).code == 0);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"diff", "a.md"}, {"run", "a.md", "--dry-run"}, {"run", "a.md"}}) {
    const Finished nothing = finished(desk, command);
    CHECK(nothing.code == 3);
    CHECK(nothing.out == "");
    CHECK(nothing.error == kNothing);
  }
  dry = finished(desk, {"run", "a.md", "--dry-run", "And then?"});
  CHECK(dry.code == 0);
  CHECK(dry.out == "And then?\n");
  CHECK(read_file(desk / "a.md").find("And then?") == std::string::npos);

  replace_in(desk / "a.md", "w0 w1 w2", "w0 w2\n<!-- was that all? -->\n(is it?)");
  diff = finished(desk, {"diff", "a.md"});
  CHECK(diff.code == 0);
  CHECK(diff.out ==
        "--- a.md as fake has seen it\n+++ a.md\n@@ -2,4 +2,5 @@\n \n ## Assistant\n \n-w0 w1 "
        "w2\n+w0 w2\n+(is it?)\n");
  const Finished json = finished(desk, {"diff", "a.md", "--json"});
  CHECK(json.code == 0);
  const boost::json::value told = boost::json::parse(json.out);
  CHECK(told.at("file").as_string() == desk / "a.md");
  CHECK(told.at("agent").as_string() == "fake");
  CHECK(told.at("session").as_string() == "resume");
  CHECK(told.at("shape").as_string() == "document");  // which is shorter than the diff
  CHECK(told.at("places").as_int64() == 1);
  CHECK(told.at("changes").as_string() ==
        "@@ -2,4 +2,5 @@\n \n ## Assistant\n \n-w0 w1 w2\n+w0 w2\n+(is it?)\n");
  CHECK_FALSE(told.as_object().contains("text"));
  dry = finished(desk, {"run", "a.md", "--dry-run", "--json"});
  const boost::json::value whole = boost::json::parse(dry.out);
  const std::string text(whole.at("text").as_string());
  CHECK(text ==
        "The markdown document that we write together was changed since you last saw it. This is "
        "all of it now:\n\n<document>\nHello?\n\n## "
        "Assistant\n\nw0 w2\n(is it?)\n</document>\n\nThere is no open prompt in it. Answer what "
        "was changed or noted.");
  CHECK(whole.at("bytes").as_int64() == static_cast<std::int64_t>(text.size()));

  const Finished answered = finished(desk, {"run", "a.md"});
  CHECK(answered.code == 0);
  const Finished after = finished(desk, {"diff", "a.md"});
  CHECK(after.code == 3);
  CHECK(after.error == kNothing);
}

TEST_CASE("diff: in a renamed document, and of a document whose store is gone") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  write_file(desk / "a.md", "# Title\n\n## User\n\nHello?\n");
  REQUIRE(finished(desk, {"run", "a.md"}).code == 0);
  write_file(desk / "b.md", read_file(desk / "a.md") + "And?\n");
  replace_in(desk / "b.md", "# Title", "# Another title");
  const Finished renamed = finished(desk, {"diff", "b.md"});
  CHECK(renamed.code == 0);
  CHECK(renamed.out ==
        "--- b.md as fake has seen it\n+++ b.md\n@@ -1,4 +1,4 @@\n-# Title\n+# Another title\n \n "
        "## User\n \n");
  write_file(
      desk / "c.md",
      "---\nagent_doc_session: 2e0b9a6c-3c2b-4f0e-8a53-cd4f6b1e7f10\nagent: fake\nresume: "
      "elsewhere\n---\n\n" +
          std::string("# Title\n\n## User\n\nHello?\n\n## Assistant\n\nw0\n\n## User\n\nAnd?\n"));
  const Finished unknown = finished(desk, {"diff", "c.md"});
  CHECK(unknown.code == 0);
  CHECK(
      unknown.error ==
      "agent-doc: what fake has seen of c.md is not known here: a run sends the question alone.\n");
}

}  // namespace cli_seen_e2e_test
