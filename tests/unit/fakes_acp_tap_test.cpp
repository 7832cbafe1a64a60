// What it is: the program between agent-doc and a real ACP agent (tests/fakes/acp_tap.cpp): nothing
// of what goes through it is changed, and every line of ours is judged.
// What it is not: what is valid (fakes_acp_wire_check_test.cpp).
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fakes_acp_tap_test {

namespace {

using agent_doc::process_test::Launching;
using agent_doc::process_test::Recorder;
using agent_doc::tests::read_file;
using agent_doc::tests::TemporaryFolder;

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}})";
const std::string kWrong =
    R"({"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":7,"mcpServers":[]}})";
const std::string kQuestion =
    R"({"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{}})";
const std::string kAnswer =
    R"({"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"cancelled"}}})";

/// An agent that asks, keeps what it gets in the file GOT, and ends with code 3.
std::vector<std::string> tapped_agent(const TemporaryFolder& folder) {
  return {folder / "log", "sh", "-c",
          "printf '%s\\n' '" + kQuestion + "'; cat > '" + (folder / "got") +
              "'; printf 'the end'; exit 3"};
}

}  // namespace

TEST_CASE("ACP tap: what goes through is as it was, both ways, and each line of ours is judged") {
  const TemporaryFolder folder;
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(ACP_TAP, tapped_agent(folder), recorder);
  REQUIRE(launching.run_until([&] { return recorder.has(kQuestion); }));
  for (const std::string& line : {kInitialize, kWrong, kAnswer, kAnswer}) child->write_line(line);
  child->close_stdin();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{kQuestion, "the end"});
  CHECK(recorder.exit->code == 3);
  CHECK(recorder.exit->stderr_tail.empty());
  CHECK(read_file(folder / "got") ==
        kInitialize + "\n" + kWrong + "\n" + kAnswer + "\n" + kAnswer + "\n");
  const std::string log = read_file(folder / "log");
  const std::size_t wrong = log.find("INVALID ");
  CHECK(log.substr(0, wrong) == "valid initialize\n");
  CHECK(log.find(": " + kWrong + "\n", wrong) != std::string::npos);
  CHECK(log.ends_with("\nvalid answer\nINVALID it answers what nobody asked: " + kAnswer + "\n"));
}

TEST_CASE(
    "ACP tap: it ends when its agent does, though what the agent began holds the pipes, and hands "
    "on a signal's end as a code") {
  const TemporaryFolder folder;
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(
      ACP_TAP,
      {folder / "log", "sh", "-c", "echo begun; tail -f /dev/null & kill -TERM $$; read -r never"},
      recorder);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{"begun"});
  CHECK(recorder.exit->code == 143);
}

}  // namespace fakes_acp_tap_test
