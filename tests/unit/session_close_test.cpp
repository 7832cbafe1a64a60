// The end of an agent that wants to know when its session is over (`session/close` of ACP): told
// once, before its standard input is closed, and never in a turn.
#include "tests/unit/session_test.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace session_close_test {

using namespace agent_doc::session_test;  // NOLINT: this file's own names

using Written = std::vector<std::string>;

const std::string kDocument =
    "---\nagent_doc_session: uuid-2\nagent: acp\n---\n\n## User\n\nHello?\n";
const std::string kCloses = R"({"close":{}})";
const std::string kClose =
    R"({"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"s-1"}})";

/// A world whose agent has got its prompt as request 3.
void begin(SessionWorld& world, const std::string& abilities) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say(
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":)" +
      abilities + "}}}");
  world.say(R"({"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}})");
  world.run_until_quiet();
}

void end_turn(SessionWorld& world) {
  world.say(
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Yes."}}}})");
  world.say(R"({"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}})");
  world.run_until_quiet();
  REQUIRE(last_state(world) == TurnState::Done);
}

/// What was written to agents since the `begin`-th thing.
Written since(const SessionWorld& world, std::size_t begin) {
  return {world.written.begin() + static_cast<std::ptrdiff_t>(begin), world.written.end()};
}

TEST_CASE("an agent that closes sessions is told so once, before its standard input ends") {
  SessionWorld world(kDocument);
  begin(world, kCloses);
  end_turn(world);
  const std::size_t told = world.written.size();
  SUBCASE("when the document is closed") {
    world.session.did_close();
    CHECK(since(world, told) == Written{kClose, "<end>"});
  }
  SUBCASE("when a new session is wanted") {
    REQUIRE(std::holds_alternative<std::string>(world.session.new_session()));
    world.run_until_quiet();
    CHECK(since(world, told) == Written{kClose, "<end>"});
  }
  SUBCASE("when the server ends, also when the document was closed before") {
    world.session.did_close();
    world.session.shut_down();
    CHECK(since(world, told) == Written{kClose, "<end>", "<end for shutdown>"});
  }
  SUBCASE("when the server ends") {
    world.session.shut_down();
    CHECK(since(world, told) == Written{kClose, "<end for shutdown>", "<end for shutdown>"});
  }
  SUBCASE("when another agent takes over") {
    const std::size_t at = world.editor.text().find("agent: acp") + 7;
    world.type(at, at + 3, "claude");
    world.type(world.editor.text().size(), world.editor.text().size(), "Again\n");
    while (world.step()) {
    }
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    const Written written = since(world, told);
    REQUIRE(written.size() > 2);
    CHECK(Written(written.begin(), written.begin() + 2) == Written{kClose, "<end>"});
    CHECK(std::count(written.begin(), written.end(), kClose) == 1);
  }
  SUBCASE("not when the process has ended by itself") {
    world.exit({0, 0, {}});
    world.session.did_close();
    world.session.shut_down();
    CHECK(since(world, told).empty());
  }
}

TEST_CASE("a session is not closed in a turn: the end of the process is its end") {
  SessionWorld world(kDocument);
  begin(world, kCloses);
  const std::size_t told = world.written.size();
  world.session.shut_down();
  CHECK(last_state(world) == TurnState::Interrupted);
  CHECK(since(world, told) == Written{"<eof>", "<shutdown>", "<eof>", "<shutdown>"});
}

TEST_CASE("a stopped turn is cancelled first, and its session closed when the document is") {
  SessionWorld world(kDocument);
  begin(world, kCloses);
  const std::size_t told = world.written.size();
  REQUIRE(world.session.stop());
  world.session.did_close();
  CHECK(since(world, told) ==
        Written{R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-1"}})"});
  world.say(R"({"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}})");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Cancelled);
  CHECK(since(world, told + 1) == Written{kClose, "<end>"});
}

TEST_CASE("an agent that does not say that it closes sessions is not told") {
  SessionWorld world(kDocument);
  begin(world, "{}");
  end_turn(world);
  const std::size_t told = world.written.size();
  world.session.did_close();
  CHECK(since(world, told) == Written{"<end>"});
}

}  // namespace session_close_test
