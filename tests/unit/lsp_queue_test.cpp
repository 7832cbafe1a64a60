// What it is: what a client is told and shown of a prompt that waits for the end of the turn.
// What it is not: when it goes (session_queue_test.cpp).
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace lsp_queue_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

const json::object kThisDocument{{"uri", kUri}};

std::string wire(const agent_doc::protocol::Result& result) {
  return json::serialize(std::get<json::value>(result));
}

/// "LINE title > command" of each lens.
std::string lenses(LspWorld& world) {
  std::string result;
  const auto list =
      world.call("textDocument/codeLens", json::object{{"textDocument", kThisDocument}});
  for (const json::value& lens : std::get<json::value>(list).as_array()) {
    result += std::to_string(lens.at("range").at("start").at("line").as_int64()) + " " +
              std::string(lens.at("command").at("title").as_string()) + " > " +
              std::string(lens.at("command").at("command").as_string()) + "\n";
  }
  return result;
}

bool offers(LspWorld& world, std::string_view title) {
  const json::object nowhere{{"line", 0}, {"character", 0}};
  const auto list =
      world.call("textDocument/codeAction",
                 json::object{{"textDocument", kThisDocument},
                              {"range", json::object{{"start", nowhere}, {"end", nowhere}}},
                              {"context", json::object{}}});
  const json::array& actions = std::get<json::value>(list).as_array();
  return std::any_of(actions.begin(), actions.end(), [&](const json::value& action) {
    return action.at("title").as_string() == "agent-doc: " + std::string(title);
  });
}

/// A turn that runs, has said "Hi.", and has "And you?" below its reply.
void begin(LspWorld& world) {
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("Hi.");
  world.pass(milliseconds{1000});
  world.type(world.editor.size(), "And you?");
  world.settle();
}

TEST_CASE("queue: run says so, the turn says so, and what can be done with it is offered") {
  LspWorld world(R"({
    "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}, "codeLens": {"refreshSupport": true}},
    "window": {"workDoneProgress": true},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}},
    "experimental": {"agentDoc": {"turn": true}}})",
                 "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\nHello?\n");
  begin(world);
  CHECK(lenses(world) ==
        "8 ■ Stop > agentDoc.stop\n12 Send when the turn is done > agentDoc.run\n");
  CHECK(offers(world, "Send when the turn is done"));
  const std::string turn(world.heard["agentDoc/turn"].back().at("turn").as_string());
  CHECK(wire(world.command("agentDoc.run", kThisDocument)) ==
        R"({"turn":")" + turn + R"(","queued":true})");
  CHECK(world.heard["agentDoc/turn"].back().at("queued").as_bool());
  CHECK(world.heard["agentDoc/turn"].back().at("status").as_string() ==
        "writing · the next prompt is queued");
  CHECK(world.heard["$/progress"].back().at("value").at("message").as_string() ==
        "writing · the next prompt is queued");
  CHECK(lenses(world).ends_with("12 Queued: take it back > agentDoc.unqueue\n"));
  CHECK(offers(world, "Queued: take it back"));
  CHECK_FALSE(offers(world, "Send when the turn is done"));

  CHECK(wire(world.command("agentDoc.unqueue", kThisDocument)) == R"({"unqueued":true})");
  CHECK_FALSE(world.heard["agentDoc/turn"].back().as_object().contains("queued"));
  CHECK(wire(world.command("agentDoc.unqueue", kThisDocument)) == R"({"unqueued":false})");

  world.command("agentDoc.run", kThisDocument);
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(world.last_state() == "starting");
  CHECK(world.heard["agentDoc/turn"].back().at("turn").as_string() != turn);
  CHECK(wire(world.command("agentDoc.unqueue", kThisDocument)) == R"({"unqueued":false})");
}

TEST_CASE("queue: a document that is not open has nothing to take back") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  const auto result =
      world.command("agentDoc.unqueue", json::object{{"uri", "file:///w/other.md"}});
  CHECK(std::get<agent_doc::protocol::Error>(result).data.at("reason").as_string() == "not-open");
}

}  // namespace lsp_queue_test
