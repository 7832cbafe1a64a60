#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_lifecycle_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using agent_doc::protocol::ErrorCode;
using agent_doc::protocol::Result;
using std::chrono::milliseconds;

ErrorCode code_of(const Result& result) {
  return std::get<Error>(result).code;
}

/// A document whose agent has answered once and stays warm.
struct WarmWorld : LspWorld {
  WarmWorld() : LspWorld(kPlainCapabilities, "Hello?\n") {
    run();
    agent().say_session("s-1");
    agent().say_result("s-1");
    pass(milliseconds{1000});
  }
};

TEST_CASE("initialize: what the server says about itself") {
  LspWorld world;
  const json::value result = world.initialize(kAllCapabilities);
  CHECK(result.at("serverInfo").at("name").as_string() == "agent-doc");
  const json::value& capabilities = result.at("capabilities");
  CHECK(capabilities.at("positionEncoding").as_string() == "utf-16");
  CHECK(capabilities.at("textDocumentSync").at("change").as_int64() == 2);
  CHECK(
      json::serialize(capabilities.at("executeCommandProvider").at("commands")) ==
      R"(["agentDoc.agents","agentDoc.answer","agentDoc.continueReply","agentDoc.fork","agentDoc.leaveOut","agentDoc.newSession","agentDoc.preview","agentDoc.recoverReply","agentDoc.retry","agentDoc.run","agentDoc.sessions","agentDoc.showPrompt","agentDoc.status","agentDoc.steer","agentDoc.stop","agentDoc.unqueue"])");
}

TEST_CASE("nothing is answered before initialize, and initialize only once") {
  LspWorld world;
  CHECK(code_of(world.call("textDocument/codeAction", json::object{})) ==
        ErrorCode::ServerNotInitialized);
  CHECK(code_of(world.call("shutdown", nullptr)) == ErrorCode::ServerNotInitialized);
  world.open("Hello?\n");
  world.initialize(kPlainCapabilities);
  CHECK(code_of(world.call("initialize", json::object{})) == ErrorCode::InvalidRequest);
  CHECK(world.run().empty());  // the document was opened too early
  world.open("Hello?\n");
  CHECK_FALSE(world.run().empty());
}

TEST_CASE("an initialize that cannot be read leaves the connection as it was") {
  LspWorld world;
  const Result result = world.call("initialize", json::object{{"processId", "five"}});
  CHECK(code_of(result) == ErrorCode::InvalidParams);
  CHECK(std::get<Error>(result).message.find("params.processId") != std::string::npos);
  world.initialize(kPlainCapabilities);
}

TEST_CASE("after shutdown only exit may follow, and its code is 0") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  CHECK(std::get<json::value>(world.call("shutdown", nullptr)).is_null());
  CHECK(code_of(world.call("shutdown", nullptr)) == ErrorCode::InvalidRequest);
  CHECK(code_of(world.command("agentDoc.run", json::object{{"uri", kUri}})) ==
        ErrorCode::InvalidRequest);
  CHECK(world.environment.exit_codes.empty());
  world.notify("exit", nullptr);
  CHECK(world.environment.exit_codes == std::vector{0});
}

/// A client that wants everything, in the middle of a reply.
struct BusyWorld : LspWorld {
  BusyWorld() : LspWorld(kEverything, "---\nrounds: some\n---\n\nHello?\n") {
    turn = run();
    agent().say_session("s-1");
    agent().say_message_start("m1");
    agent().say_text("One.");
    pass(milliseconds{1000});
  }
  /// What its agent, its timers and its client still do; nothing of it is answered.
  void go_on() {
    agent().say_text(" Two.");
    pass(milliseconds{1000});
    agent().say_permission("p-1");
    pass(milliseconds{1000});
    client->notify("textDocument/didChange", json::object{});
    client->notify("window/workDoneProgress/cancel", json::object{{"token", "agentDoc/" + turn}});
    pass(milliseconds{20'000});
    agent().say_text(" Three.");
    pass(milliseconds{1000});
  }

  static constexpr std::string_view kEverything = R"({
    "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}, "codeLens": {"refreshSupport": true}},
    "window": {"workDoneProgress": true, "showDocument": {"support": true}}, "textDocument": {"publishDiagnostics": {}},
    "experimental": {"agentDoc": {"turn": true, "reply": true, "strictEdits": true}}})";
  std::string turn;
};

TEST_CASE(
    "nothing is sent after the answer to shutdown, and what the agent says is kept until the end") {
  for (const bool ends_its_turn : {false, true}) {
    CAPTURE(ends_its_turn);
    BusyWorld world;
    world.call("shutdown", nullptr);
    CHECK(world.sent.back() == R"({"jsonrpc":"2.0","id":3,"result":null})");
    const std::size_t sent = world.sent.size();
    const std::string text = world.editor.text();
    world.go_on();
    if (ends_its_turn) {
      world.agent().say_result("s-1");
      world.pass(milliseconds{20'000});
    }
    CHECK(world.sent.size() == sent);
    CHECK(code_of(world.call("textDocument/codeLens", json::object{})) ==
          ErrorCode::InvalidRequest);
    CHECK(code_of(world.call("$/anything", json::object{})) == ErrorCode::InvalidRequest);
    CHECK(world.sent.size() == sent + 2);
    world.notify("exit", nullptr);
    world.agent().exit();
    world.settle();
    CHECK(world.sent.size() == sent + 2);
    CHECK(world.environment.exit_codes == std::vector{0});
    CHECK(world.editor.text() == text);
    const auto& kept = world.environment.recorded.turns[world.turn];
    CHECK(kept.reply.text() == "One. Two. Three.");
    CHECK(kept.totals->state == (ends_its_turn ? "done" : "interrupted"));
    CHECK(kept.place == agent_doc::store::ReplyPlace::Store);
  }
}

TEST_CASE(
    "an edit and a question that wait for their answers at shutdown: the answers may come, nothing "
    "follows them") {
  BusyWorld world;
  world.editing = LspWorld::Editing::IsSilent;
  world.agent().say_text(" More.");
  world.agent().say_permission("p-0");
  world.pass(milliseconds{1000});
  REQUIRE(world.silent_edits.size() == 1);
  REQUIRE(world.questions.size() == 1);
  world.call("shutdown", nullptr);
  const std::size_t sent = world.sent.size();
  world.silent_edits[0].result(json::object{{"applied", false}});
  world.questions[0].reply.result(json::object{{"title", "Allow once"}});
  world.pass(milliseconds{20'000});
  world.agent().say_text(" And more.");
  world.pass(milliseconds{20'000});
  CHECK(world.sent.size() == sent);
  CHECK(world.agent().was_told(R"("behavior":"allow")"));
  CHECK(world.environment.recorded.turns[world.turn].reply.text() == "One. More. And more.");
}

TEST_CASE("a client that says exit hears nothing more, with or without shutdown") {
  BusyWorld world;
  const std::size_t sent = world.sent.size();
  world.notify("exit", nullptr);
  world.agent().exit();
  world.pass(milliseconds{2000});
  CHECK(world.sent.size() == sent);
  CHECK(world.environment.exit_codes == std::vector{1});
  CHECK(world.environment.recorded.turns[world.turn].totals->state == "interrupted");
}

TEST_CASE("before initialize nothing is sent but refusals; a cancellation of nothing is ignored") {
  LspWorld world;
  world.environment.problems = {"config.toml:1: one"};
  world.notify("$/cancelRequest", json::object{{"id", 77}});
  world.notify("$/cancelRequest", json::object{});
  world.notify("$/setTrace", json::object{{"value", "verbose"}});
  world.notify("initialized", json::object{});
  world.open("---\nrounds: some\n---\n");
  world.pass(milliseconds{20'000});
  CHECK(world.sent.empty());
  CHECK(code_of(world.call("$/anything", json::object{})) == ErrorCode::ServerNotInitialized);
  world.initialize(kPlainCapabilities);
  const std::size_t sent = world.sent.size();
  CHECK(code_of(world.call("$/anything", json::object{})) == ErrorCode::MethodNotFound);
  world.notify("$/cancelRequest", json::object{{"id", 77}});
  world.notify("$/cancelRequest", json::object{{"id", nullptr}});
  world.notify("$/anything", json::object{});
  CHECK(world.sent.size() == sent + 1);
}

TEST_CASE("exit without shutdown: code 1") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.notify("exit", nullptr);
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("exit before initialize: code 1") {
  LspWorld world;
  world.notify("exit", nullptr);
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("the server ends when its last agent has ended") {
  WarmWorld world;
  world.call("shutdown", nullptr);
  world.notify("exit", nullptr);
  CHECK(world.agent().signals == std::vector<std::string>{"end at once"});
  CHECK(world.environment.exit_codes.empty());
  world.agent().exit();
  world.settle();
  CHECK(world.environment.exit_codes == std::vector{0});
}

TEST_CASE("an agent that does not end is killed within two seconds") {
  WarmWorld world;
  world.notify("exit", nullptr);
  world.pass(milliseconds{2000});
  CHECK(world.agent().signals == std::vector<std::string>{"end at once", "killed"});
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("a client that is gone ends the running turn, the agents and the server") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.server->connection_lost();
  world.settle();
  CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
  world.agent().exit();
  world.settle();
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("a client that is gone while an edit and a question wait for it") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  world.editing = LspWorld::Editing::IsSilent;
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_permission("p-1");
  world.settle();
  world.server->connection_lost();
  world.settle();
  world.agent().exit();
  world.settle();
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("the death of the client's process ends the server") {
  LspWorld world;
  world.call("initialize", json::object{{"processId", 4711}, {"capabilities", json::object{}}});
  world.environment.process_ends(4711);
  world.settle();
  CHECK(world.environment.exit_codes == std::vector{1});
}

TEST_CASE("problems of the configuration are told once, after initialized") {
  LspWorld world;
  world.environment.problems = {"config.toml:1: one", "config.toml:2: two"};
  world.call("initialize", json::object{{"capabilities", json::object{}}});
  CHECK(world.heard["window/showMessage"].empty());
  world.notify("initialized", json::object{});
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  CHECK(json::serialize(world.heard["window/showMessage"][0]) ==
        R"({"type":2,"message":"config.toml:1: one\nconfig.toml:2: two"})");
}

}  // namespace lsp_lifecycle_test
