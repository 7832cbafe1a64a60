// Files that an agent writes through us (ACP `fs/*`): what the person's configuration lets it, and
// only in a turn.
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/unit/session_test.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace session_agent_files_test {

using namespace agent_doc::session_test;  // NOLINT: this file's own names
using agent_doc::plugins::AgentSpec;
using agent_doc::plugins::PermissionPolicy;

using Texts = std::vector<std::string>;

const std::string kDocument =
    "---\nagent_doc_session: uuid-2\nagent: acp\n---\n\n## User\n\nHello?\n";

/// What the agent has heard, which is valid by the schema of its protocol. It had asked `question`.
Texts heard(SessionWorld& world, std::string_view question = {}) {
  agent_doc::fakes::AcpWireCheck check;
  check.from_agent(question);
  Texts lines = std::exchange(world.written, {});
  for (const std::string& line : lines) CHECK(check.from_client(line).empty());
  return lines;
}

/// An agent whose only mode asks, which has got its prompt as request 3.
void begin(SessionWorld& world, PermissionPolicy policy) {
  world.other_agents["acp"] = AgentSpec{"acp", "acp", "agent", {}, {}, policy};
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}})");
  world.say(
      R"({"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"}]}}})");
  world.run_until_quiet();
  CHECK(heard(world).size() == 3);
}

/// What the agent hears.
Texts write(SessionWorld& world) {
  constexpr std::string_view kQuestion =
      R"({"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s-1","path":"a.txt","content":"x"}})";
  world.say(kQuestion);
  return heard(world, kQuestion);
}

TEST_CASE(
    "an agent's file is written only where the person's configuration lets files be changed") {
  const Texts done{R"({"jsonrpc":"2.0","id":9,"result":{}})"};
  const Texts refused{
      R"({"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the person's configuration allows no change of files: )"
      R"(say in your reply what should be changed in a.txt"}})"};
  for (const PermissionPolicy policy : {PermissionPolicy::Ask, PermissionPolicy::AcceptEdits}) {
    SessionWorld world(kDocument);
    begin(world, policy);
    CHECK(write(world) == done);
    CHECK(world.file_writes == Texts{"a.txt: x"});
  }
  for (const PermissionPolicy policy : {PermissionPolicy::Plan, PermissionPolicy::Deny}) {
    SessionWorld world(kDocument);
    begin(world, policy);
    CHECK(write(world) == refused);
    CHECK(world.file_writes.empty());
    world.say(
        R"({"jsonrpc":"2.0","id":8,"method":"fs/read_text_file","params":{"sessionId":"s-1","path":"a.txt"}})");
    CHECK(world.written ==
          Texts{R"({"jsonrpc":"2.0","id":8,"result":{"content":"read a.txt in /w"}})"});
  }
}

TEST_CASE("an agent's file is written only while its turn runs, and not once it was to stop") {
  const Texts refused{
      R"({"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"no turn runs: nothing is written"}})"};
  SessionWorld world(kDocument);
  begin(world, PermissionPolicy::AcceptEdits);
  SUBCASE("stopped") {
    CHECK(world.session.stop());
    world.written.clear();
  }
  SUBCASE("ended") {
    world.say(R"({"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}})");
    world.run_until_quiet();
  }
  CHECK(write(world) == refused);
  CHECK(world.file_writes.empty());
}

}  // namespace session_agent_files_test
