#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_turn_updates_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

std::vector<std::string> kinds(const std::vector<json::value>& progress) {
  std::vector<std::string> result;
  for (const json::value& params : progress)
    result.emplace_back(params.at("value").at("kind").as_string());
  return result;
}

void say_tool(LspWorld& world, const std::string& id, const std::string& command) {
  world.agent().say(R"({"type":"assistant","message":{"id":"m-)" + id +
                    R"(","role":"assistant","content":[{"type":"tool_use","id":")" + id +
                    R"(","name":"Bash","input":{"command":")" + command +
                    R"("}}]},"parent_tool_use_id":null})");
}

void finish(LspWorld& world) {
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
}

TEST_CASE("a client that asks for nothing gets no updates") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  finish(world);
  CHECK(world.heard["agentDoc/turn"].empty());
  CHECK(world.heard["agentDoc/reply"].empty());
  CHECK(world.heard["$/progress"].empty());
  CHECK(world.heard["window/workDoneProgress/create"].empty());
}

TEST_CASE("agentDoc/turn from the start to the landed reply, agentDoc/reply with every byte") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  const std::string turn = world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("One.");
  world.agent().say_text(" Two.");
  finish(world);
  const auto& updates = world.heard["agentDoc/turn"];
  REQUIRE_FALSE(updates.empty());
  CHECK(updates.front().at("state").as_string() == "starting");
  for (const json::value& update : updates) {
    CHECK(update.at("turn").as_string() == turn);
    CHECK(update.at("uri").as_string() == kUri);
    CHECK(update.at("agent").as_string() == "claude");
  }
  CHECK(updates.back().at("state").as_string() == "done");
  CHECK(updates.back().at("status").as_string().empty());
  CHECK(updates.back().at("sessionId").as_string() == "s-1");
  CHECK(updates.back().at("model").as_string() == "model-1");
  CHECK(updates.back().at("replyLanded") == true);

  std::string reply;
  for (const json::value& params : world.heard["agentDoc/reply"]) {
    CHECK(params.at("turn").as_string() == turn);
    reply.resize(static_cast<std::size_t>(params.at("offset").as_int64()));
    reply += params.at("text").as_string();
  }
  CHECK(reply == "One. Two.");
}

TEST_CASE("a busy agent makes at most one update in 100 ms, and the last one is told") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.pass(milliseconds{200});
  world.heard["agentDoc/turn"].clear();
  for (int i = 0; i < 200; ++i) {
    say_tool(world, "t" + std::to_string(i), "step " + std::to_string(i));
    world.pass(milliseconds{5});
  }
  world.pass(milliseconds{100});
  const auto& updates = world.heard["agentDoc/turn"];
  CHECK(updates.size() >= 10);
  CHECK(updates.size() <= 12);
  CHECK(std::string(updates.back().at("status").as_string()).find("step 199") != std::string::npos);
}

TEST_CASE("a change of the state is told at once") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_permission("p-1");
  world.settle();
  CHECK(world.last_state() == "waiting");
  world.agent().say_permission_withdrawn("p-1");
  world.settle();
  CHECK(world.last_state() == "running");
}

TEST_CASE("progress: created, begun with a cancel button, reported, ended") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  const std::string turn = world.run();
  world.agent().say_session("s-1");
  say_tool(world, "t1", "make");
  world.pass(milliseconds{300});
  finish(world);
  REQUIRE(world.heard["window/workDoneProgress/create"].size() == 1);
  CHECK(world.heard["window/workDoneProgress/create"][0].at("token").as_string() ==
        "agentDoc/" + turn);
  const auto& progress = world.heard["$/progress"];
  REQUIRE(progress.size() >= 3);
  CHECK(kinds(progress).front() == "begin");
  CHECK(kinds(progress).back() == "end");
  CHECK(kinds(progress)[1] == "report");
  CHECK(progress.front().at("value").at("cancellable") == true);
  CHECK(progress.front().at("value").at("title").as_string() == "agent-doc: claude");
  for (const json::value& params : progress)
    CHECK(params.at("token").as_string() == "agentDoc/" + turn);
}

TEST_CASE("the cancel button of the progress stops the turn") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  const std::string turn = world.run();
  world.agent().say_session("s-1");
  world.notify("window/workDoneProgress/cancel", json::object{{"token", "agentDoc/somebody-else"}});
  world.notify("window/workDoneProgress/cancel", json::object{{"token", 5}});
  CHECK_FALSE(world.agent().was_told("interrupt"));
  world.notify("window/workDoneProgress/cancel", json::object{{"token", "agentDoc/" + turn}});
  CHECK(world.agent().was_told("interrupt"));
  world.agent().say_aborted();
  world.pass(milliseconds{500});
  CHECK(kinds(world.heard["$/progress"]).back() == "end");
}

TEST_CASE("a client that refuses to show progress gets none") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  world.answers_create = false;
  world.run();
  world.create_replies.back().error({agent_doc::protocol::ErrorCode::InternalError, "no", nullptr});
  world.agent().say_session("s-1");
  finish(world);
  CHECK(world.heard["$/progress"].empty());
}

TEST_CASE(
    "a turn that ends before the client has made its progress shows none, and the next turn shows "
    "its own") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  world.answers_create = false;
  world.run();
  world.agent().say_session("s-1");
  finish(world);
  world.answer_create();
  CHECK(world.heard["$/progress"].empty());

  world.answers_create = true;
  world.type(world.editor.size(), "And?");
  const std::string second = world.run();
  REQUIRE_FALSE(second.empty());
  finish(world);
  CHECK(kinds(world.heard["$/progress"]) == std::vector<std::string>{"begin", "end"});
  CHECK(world.heard["$/progress"].front().at("token").as_string() == "agentDoc/" + second);
}

}  // namespace lsp_turn_updates_test
