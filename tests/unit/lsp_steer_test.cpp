// What it is: what a client is told and shown of a prompt that is said in the middle of a turn.
// What it is not: what becomes of it (session_steer_test.cpp).
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace lsp_steer_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

const json::object kThisDocument{{"uri", kUri}};

std::string wire(const agent_doc::protocol::Result& result) {
  return json::serialize(std::get<json::value>(result));
}

/// The titles of the lenses.
std::string lenses(LspWorld& world) {
  std::string result;
  const auto list =
      world.call("textDocument/codeLens", json::object{{"textDocument", kThisDocument}});
  for (const json::value& lens : std::get<json::value>(list).as_array())
    result += std::string(lens.at("command").at("title").as_string()) + " > " +
              std::string(lens.at("command").at("command").as_string()) + "\n";
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

TEST_CASE("steer: what the client is told and shown, until both turns are over") {
  LspWorld world(R"({
    "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}, "codeLens": {"refreshSupport": true}},
    "window": {"workDoneProgress": true},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}},
    "experimental": {"agentDoc": {"turn": true}}})",
                 "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\nHello?\n");
  world.run();
  world.agent().claude_version = "2.1.328";
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("Hi.");
  world.pass(milliseconds{1000});
  CHECK(lenses(world) == "■ Stop > agentDoc.stop\n");
  world.type(world.editor.size(), "And you?");
  world.settle();
  const std::string steer = "Steer: say it now > agentDoc.steer\n";
  CHECK(lenses(world).ends_with("Send when the turn is done > agentDoc.run\n" + steer));
  CHECK(offers(world, "Steer: say it now"));
  world.command("agentDoc.run", kThisDocument);
  CHECK(lenses(world).ends_with("Queued: take it back > agentDoc.unqueue\n" + steer));
  const std::string turn(world.heard["agentDoc/turn"].back().at("turn").as_string());
  CHECK(wire(world.command("agentDoc.steer", kThisDocument)) ==
        R"({"turn":")" + turn + R"(","steered":true})");
  CHECK_FALSE(world.heard["agentDoc/turn"].back().as_object().contains("queued"));
  CHECK(world.heard["agentDoc/turn"].back().at("status").as_string() ==
        "writing · what you sent is read at its next step");
  CHECK(lenses(world) == "■ Stop > agentDoc.stop\n");
  CHECK_FALSE(offers(world, "Steer: say it now"));
  const auto again = world.command("agentDoc.steer", kThisDocument);
  CHECK(std::get<agent_doc::protocol::Error>(again).data.at("reason").as_string() == "busy");

  world.agent().say_result("s-1");
  world.agent().say_message_start("m2");
  world.agent().say_text("Fine.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(world.last_state() == "done");
  CHECK(world.heard["agentDoc/turn"].back().at("turn").as_string() != turn);
  const auto& told = world.heard["agentDoc/turn"];
  CHECK(std::any_of(told.begin(), told.end(), [&](const json::value& view) {
    return view.at("turn").as_string() == turn && view.at("state").as_string() == "done";
  }));
  CHECK(world.editor.text() ==
        "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\nHello?\n\n## "
        "Assistant\n\nHi.\n\n## User\n\nAnd you?\n\n## Assistant\n\nFine.\n\n## User\n\n");
}

TEST_CASE("steer: in a document that is not open, and while nothing runs") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  const auto result = world.command("agentDoc.steer", json::object{{"uri", "file:///w/other.md"}});
  CHECK(std::get<agent_doc::protocol::Error>(result).data.at("reason").as_string() == "not-open");
  CHECK(wire(world.command("agentDoc.steer", kThisDocument)).starts_with(R"({"turn":")"));
}

}  // namespace lsp_steer_test
