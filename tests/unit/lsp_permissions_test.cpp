#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_permissions_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::hours;
using std::chrono::milliseconds;

/// A turn whose agent asks whether it may write a file.
struct AskingWorld : LspWorld {
  explicit AskingWorld(std::string_view capabilities = kPluginCapabilities)
      : LspWorld(capabilities, "Hello?\n") {
    turn = run();
    agent().say_session("s-1");
    agent().say_permission("p-1");
    pass(milliseconds{200});
    agent().written.clear();
  }

  const json::value& question() { return questions.back().params; }
  /// Presses the button that has `kind`.
  void press(std::string_view kind) {
    for (const json::value& action : question().at("actions").as_array()) {
      if (action.at("agentDocKind").as_string() == kind)
        return answer(json::object{{"title", action.at("title")}});
    }
    FAIL("no such button");
  }
  void answer(const json::value& value) {
    questions.back().reply.result(value);
    settle();
  }
  json::value answer_by_command(std::string_view option) {
    return std::get<json::value>(
        command("agentDoc.answer",
                json::object{{"turn", turn}, {"permission", "p-1"}, {"option", option}}));
  }
  std::string option_of(std::string_view kind) {
    for (const json::value& action : question().at("actions").as_array()) {
      if (action.at("agentDocKind").as_string() == kind)
        return std::string(action.at("agentDocOption").as_string());
    }
    return {};
  }

  std::string turn;
};

TEST_CASE("the question says what the agent wants to do, and every button what it means") {
  AskingWorld world;
  REQUIRE(world.questions.size() == 1);
  CHECK(world.question().at("type").as_int64() == 3);
  const std::string message(world.question().at("message").as_string());
  CHECK(message.find("Write") != std::string::npos);
  CHECK(message.find("/w/out.txt") != std::string::npos);
  CHECK(world.last_state() == "waiting");
  const json::value& view = world.heard["agentDoc/turn"].back();
  CHECK(view.at("permission").at("id").as_string() == "p-1");
  CHECK(view.at("permission").at("options").as_array().size() ==
        world.question().at("actions").as_array().size());
}

TEST_CASE(
    "in a client that cannot ask, the question stays open for a code action, and the person is "
    "told") {
  AskingWorld world;
  world.questions.back().reply.error(
      {agent_doc::protocol::ErrorCode::MethodNotFound, "unknown method", nullptr});
  world.settle();
  CHECK(world.last_state() == "waiting");
  CHECK(world.heard["window/showMessage"].back().at("message").as_string() ==
        "The agent wants to use Write: /w/out.txt. Answer by a code action.");
  CHECK(json::serialize(world.answer_by_command("deny")) == R"({"accepted":true})");
  CHECK(world.last_state() == "running");
  CHECK(world.agent().was_told("deny"));
}

TEST_CASE("a client that knows nothing of agent-doc gets titles only, the no first") {
  AskingWorld world(kPlainCapabilities);
  REQUIRE(world.questions.size() == 1);
  CHECK(json::serialize(world.question().at("actions")) ==
        R"([{"title":"Deny"},{"title":"Allow once"}])");
}

TEST_CASE("allowed: the agent hears it and goes on") {
  AskingWorld world;
  world.press("allow_once");
  CHECK(world.agent().was_told(R"("behavior":"allow")"));
  CHECK(world.last_state() == "running");
}

TEST_CASE("denied, closed, or answered with nonsense: never allowed") {
  AskingWorld denied;
  denied.press("deny");
  CHECK(denied.agent().was_told(R"("behavior":"deny")"));
  for (const json::value& answer :
       {json::value(nullptr), json::value(json::object{{"title", "Sure!"}}), json::value("Allow"),
        json::value(1)}) {
    AskingWorld world;
    world.answer(answer);
    CHECK(world.agent().written.size() == 1);
    CHECK_FALSE(world.agent().was_told(R"("behavior":"allow")"));
    CHECK(world.last_state() == "running");
  }
  AskingWorld failed;
  failed.questions.back().reply.error(
      {agent_doc::protocol::ErrorCode::InternalError, "what is that?", nullptr});
  failed.settle();
  CHECK_FALSE(failed.agent().was_told(R"("behavior":"allow")"));
  CHECK(failed.last_state() == "running");
}

TEST_CASE("there is no time limit for an answer") {
  AskingWorld world;
  world.pass(hours{24});
  CHECK(world.agent().written.empty());
  CHECK(world.last_state() == "waiting");
}

TEST_CASE(
    "the command agentDoc.answer answers too, and takes the question from the screen; the first "
    "answer wins") {
  AskingWorld world;
  CHECK(world.answer_by_command("no such option").at("accepted") == false);
  CHECK(world.answer_by_command(world.option_of("deny")).at("accepted") == true);
  CHECK(world.questions.back().reply.answered());  // cancelled by the server
  CHECK(world.agent().was_told(R"("behavior":"deny")"));
  world.agent().written.clear();
  world.press("allow_once");
  CHECK(world.agent().written.empty());
  CHECK(world.answer_by_command(world.option_of("allow_once")).at("accepted") == false);
  CHECK(world.agent().written.empty());
}

TEST_CASE("agentDoc.answer for a turn that nobody knows") {
  AskingWorld world;
  const json::object argument{
      {"turn", "t-9"}, {"permission", "p-1"}, {"option", world.option_of("allow_once")}};
  CHECK(std::get<json::value>(world.command("agentDoc.answer", argument)).at("accepted") == false);
  CHECK(world.agent().written.empty());
}

TEST_CASE("a question that the agent withdraws is taken from the screen") {
  AskingWorld world;
  world.agent().say_permission_withdrawn("p-1");
  world.settle();
  CHECK(world.questions.back().reply.answered());
  CHECK(world.agent().written.empty());
  CHECK(world.last_state() == "running");
}

TEST_CASE("stop and close answer the question `cancelled`") {
  AskingWorld stopped;
  stopped.command("agentDoc.stop", json::object{{"uri", kUri}});
  CHECK(stopped.questions.back().reply.answered());
  CHECK(stopped.agent().was_told(R"("behavior":"deny")"));

  AskingWorld closed;
  closed.close();
  CHECK(closed.questions.back().reply.answered());
  CHECK(closed.agent().was_told(R"("behavior":"deny")"));
}

TEST_CASE("the end of the agent takes its question from the screen") {
  AskingWorld world;
  world.agent().exit(1);
  world.settle();
  CHECK(world.questions.back().reply.answered());
  CHECK(world.last_state() == "failed");
}

/// A turn whose agent asks for a command that no message can hold.
struct LongWorld : LspWorld {
  explicit LongWorld(std::string_view capabilities, std::string asked = {})
      : LspWorld(capabilities, "Hello?\n") {
    if (!asked.empty()) command = std::move(asked);
    run();
    agent().say_session("s-1");
    agent().say(
        R"({"type":"control_request","request_id":"p-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":)" +
        json::serialize(json::string(command)) + "}}}");
    pass(milliseconds{200});
    agent().written.clear();
  }
  std::string message() { return std::string(questions.back().params.at("message").as_string()); }
  std::vector<std::string> titles() {
    std::vector<std::string> titles;
    for (const json::value& action : questions.back().params.at("actions").as_array())
      titles.emplace_back(action.at("title").as_string());
    return titles;
  }
  void press(std::string_view title) {
    questions.back().reply.result(json::object{{"title", title}});
    settle();
  }

  std::string command =
      std::string(50'000, 'x') + "; rm -rf ~; " + std::string(50'000, 'y') + "; rm -rf /";
};

TEST_CASE(
    "a command that is too long for a message: its begin and end, and the whole in a document that "
    "the client shows") {
  LongWorld world(
      R"({"window":{"showDocument":{"support":true}},"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}}})");
  REQUIRE(world.questions.size() == 1);
  CHECK(world.message().size() < 1000);
  CHECK(world.message().ends_with("y; rm -rf /"));
  CHECK(world.message().find(" bytes are left out here …>") != std::string::npos);
  CHECK(world.titles() == std::vector<std::string>{"Deny", "Allow once", "Show all of it"});
  world.press("Show all of it");
  REQUIRE(world.questions.size() == 2);  // it is asked again
  CHECK(world.agent().written.empty());
  CHECK(world.environment.files.at("/run/shown-1") == "Bash: " + world.command);
  CHECK(world.heard["window/showDocument"].back().at("uri").as_string() == "file:///run/shown-1");
  for (int time = 0; time < 100 && world.titles().size() == 3; ++time)
    world.press("Show all of it");
  CHECK(world.questions.size() ==
        1 + agent_doc::lsp::kMaxShowings);  // a client that presses by itself finds an end
  world.press("Allow once");
  CHECK(world.agent().was_told(R"("behavior":"allow")"));
  CHECK_FALSE(world.environment.files.contains("/run/shown-1"));
}

TEST_CASE(
    "of many lines the first twenty are in the message, with the number of those that follow, and "
    "the last two") {
  const auto lines = [](int count, std::size_t width) {
    std::string text;
    for (int line = 1; line <= count; ++line)
      text += (line > 1 ? "\n" : "") + std::to_string(line) + std::string(width, 'x');
    return text;
  };
  const auto marked = [](std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 4))
      text.insert(at, "⏎");
    return text;
  };
  const std::string_view shows =
      R"({"window":{"showDocument":{"support":true}},"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}}})";
  const std::string begin = "The agent wants to use Bash: ";
  LongWorld few(shows, lines(23, 1));
  CHECK(few.message() == begin + marked(lines(23, 1)));
  CHECK(few.titles() == std::vector<std::string>{"Deny", "Allow once"});
  LongWorld many(shows, lines(60, 1));
  CHECK(many.message() ==
        begin + marked(lines(20, 1)) + "⏎\n<… 38 lines are left out here …>\n59x⏎\n60x");
  CHECK(many.titles() == std::vector<std::string>{"Deny", "Allow once", "Show all of it"});
  // VS Code shows no more than 1000 characters.
  LongWorld wide(shows, lines(9, 150));
  CHECK(wide.message() == begin + marked(lines(2, 150)) + "⏎\n<… 5 lines are left out here …>\n8" +
                              std::string(150, 'x') + "⏎\n9" + std::string(150, 'x'));
  CHECK(wide.titles() == std::vector<std::string>{"Deny", "Allow once", "Show all of it"});
}

TEST_CASE(
    "… in a client that shows no documents the message names the file, which goes with the "
    "question") {
  LongWorld world(kPlainCapabilities);
  REQUIRE(world.questions.size() == 1);
  CHECK(world.message().ends_with("y; rm -rf /\nAll of it is in /run/shown-1"));
  CHECK(world.environment.files.at("/run/shown-1") == "Bash: " + world.command);
  world.press("Deny");
  CHECK_FALSE(world.environment.files.contains("/run/shown-1"));
}

TEST_CASE("… and one of ours has the whole beside the message, and in agentDoc/turn") {
  LongWorld world(kPluginCapabilities);
  CHECK(world.questions.back().params.at("agentDocTool").as_string() == "Bash");
  CHECK(world.questions.back().params.at("agentDocDetail").as_string() == world.command);
  CHECK(world.heard["agentDoc/turn"].back().at("permission").at("detail").as_string() ==
        world.command);
}

TEST_CASE("a widening of the mode is asked once more in every client") {
  for (const std::string_view capabilities : {kPluginCapabilities, kPlainCapabilities}) {
    LspWorld world(capabilities, "Hello?\n");
    world.run();
    world.agent().say_session("s-1");
    world.agent().say(
        R"({"type":"control_request","request_id":"p-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},)"
        R"("permission_suggestions":[{"type":"setMode","mode":"bypassPermissions","destination":"session"}]}})");
    world.pass(milliseconds{200});
    world.agent().written.clear();
    const std::string label =
        "Allow, and everything from now on, without a question (mode bypassPermissions)";
    world.questions.back().reply.result(json::object{{"title", label}});
    world.settle();
    CHECK(world.agent().written.empty());
    REQUIRE(world.questions.size() == 2);
    CHECK(world.questions.back().params.at("message").as_string() ==
          "The agent wants to use Bash: Really? You chose: " + label +
              ". That allows more than what was asked, from now on.\nIt was asked: ls");
    world.questions.back().reply.result(json::object{{"title", "Yes: " + label}});
    world.settle();
    CHECK(world.agent().was_told(R"("mode":"bypassPermissions")"));
  }
}

}  // namespace lsp_permissions_test
