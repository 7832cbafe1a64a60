#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_code_actions_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

json::array actions(LspWorld& world, json::object context = {}, std::string_view uri = kUri) {
  const json::object nowhere{{"line", 0}, {"character", 0}};
  const auto result =
      world.call("textDocument/codeAction",
                 json::object{{"textDocument", json::object{{"uri", uri}}},
                              {"range", json::object{{"start", nowhere}, {"end", nowhere}}},
                              {"context", std::move(context)}});
  return std::get<json::value>(result).as_array();
}

std::vector<std::string> titles(const json::array& list) {
  std::vector<std::string> result;
  for (const json::value& action : list) result.emplace_back(action.at("title").as_string());
  return result;
}

TEST_CASE("Run, and Stop while a turn runs") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  CHECK(
      json::serialize(actions(world)) ==
      R"([{"title":"agent-doc: Run","kind":"agentDoc","command":{"title":"agent-doc: Run","command":"agentDoc.run","arguments":[{"uri":"file:///w/doc.md"}]}}])");
  world.run();
  CHECK(titles(actions(world)) == std::vector<std::string>{"agent-doc: Stop"});
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("Hi.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(titles(actions(world)) == std::vector<std::string>{"agent-doc: Run", "agent-doc: Retry",
                                                           "agent-doc: Fork",
                                                           "agent-doc: New session"});
}

TEST_CASE(
    "a markdown file that is no session document: nothing by itself, Run for a person who asks") {
  LspWorld world(kAllCapabilities, "# A readme\n");
  CHECK(actions(world, {{"triggerKind", 2}}).empty());
  CHECK(titles(actions(world, {{"triggerKind", 1}})) == std::vector<std::string>{"agent-doc: Run"});
}

TEST_CASE("one action per answer to a permission question, and each of them answers it") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_permission("p1");
  world.pass(milliseconds{100});
  const json::array offered = actions(world);
  CHECK(titles(offered) == std::vector<std::string>{"agent-doc: Allow once: Write /w/out.txt",
                                                    "agent-doc: Deny: Write /w/out.txt",
                                                    "agent-doc: Stop"});
  const json::value& deny = offered.at(1).at("command");
  const auto result = world.command(deny.at("command").as_string(), deny.at("arguments").at(0));
  CHECK(json::serialize(std::get<json::value>(result)) == R"({"accepted":true})");
  CHECK(world.agent().was_told("deny"));
  CHECK(titles(actions(world)) == std::vector<std::string>{"agent-doc: Stop"});
}

TEST_CASE("a retry by its action") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  world.run();
  const auto answer = [&](const std::string& message) {
    world.agent().say_session("s-1");
    world.agent().say_message_start(message);
    world.agent().say_text(message);
    world.agent().say_result("s-1");
    world.pass(milliseconds{1000});
  };
  answer("One.");
  const json::value command = actions(world).at(1).at("command");
  REQUIRE(command.at("command").as_string() == "agentDoc.retry");
  const auto result = world.command("agentDoc.retry", command.at("arguments").at(0));
  CHECK(!std::get<json::value>(result).at("turn").as_string().empty());
  answer("Two.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nTwo.\n\n## User\n\n");
}

TEST_CASE("the action's command is one that works") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  const json::value command = actions(world).at(0).at("command");
  const auto result =
      world.command(command.at("command").as_string(), command.at("arguments").at(0));
  CHECK(std::holds_alternative<json::value>(result));
}

TEST_CASE("a client without code action literals gets commands") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  CHECK(
      json::serialize(actions(world)) ==
      R"([{"title":"agent-doc: Run","command":"agentDoc.run","arguments":[{"uri":"file:///w/doc.md"}]}])");
}

TEST_CASE(
    "a client that asks for other kinds gets nothing (else saving a file could run an agent)") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  CHECK(actions(world, {{"only", json::array{"source.organizeImports"}}}).empty());
  CHECK(actions(world, {{"only", json::array{"quickfix", "source.fixAll"}}}).empty());
  CHECK(actions(world, {{"only", json::array{"quickfix", "agentDoc"}}}).size() == 1);
  CHECK(actions(world, {{"only", json::array{""}}}).size() == 1);
}

TEST_CASE("no actions for what is no document of ours") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  CHECK(actions(world, {}, "file:///w/other.md").empty());
}

TEST_CASE("the rest of a reply whose place was deleted can be written") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("First line.\\n");
  world.pass(milliseconds{1000});
  world.open("Something else.\n");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  const json::array offered = actions(world);
  CHECK(titles(offered) ==
        std::vector<std::string>{"agent-doc: Run", "agent-doc: Put the whole reply at the end"});
  world.command(offered.at(1).at("command").at("command").as_string(),
                offered.at(1).at("command").at("arguments").at(0));
  world.pass(milliseconds{1000});
  CHECK(titles(actions(world)) == std::vector<std::string>{"agent-doc: Run", "agent-doc: Retry"});
}

}  // namespace lsp_code_actions_test
