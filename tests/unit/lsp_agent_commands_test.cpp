// agentDoc.agents and agentDoc.sessions: what pickers of editors ask for.
#include "server/lsp/turns/agent_commands.hpp"
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_agent_commands_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using agent_doc::protocol::ErrorCode;
using agent_doc::protocol::Result;

const std::string kCanList =
    R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}}})";
const std::string kDocument = "---\nagent: keeper\n---\n\nHello?\n";

std::string listed(const std::string& sessions) {
  return R"({"jsonrpc":"2.0","id":2,"result":{"sessions":[)" + sessions + "]}}";
}
std::string reason_of(const Result& result) {
  return std::string(std::get<Error>(result).data.at("reason").as_string());
}
std::string message_of(const Result& result) {
  return std::get<Error>(result).message;
}

/// With the agent `keeper`, which speaks ACP.
struct World : LspWorld {
  explicit World(std::string text = kDocument, std::string_view capabilities = kPluginCapabilities)
      : LspWorld(capabilities, std::move(text)) {
    environment.more_agents.push_back({"keeper", "acp", "keeper", {}, {}});
  }

  /// What still waits is answered then.
  ~World() { client->close(); }

  /// A request that is not answered yet.
  void ask(json::object argument = {}) {
    const json::object params{{"command", "agentDoc.sessions"},
                              {"arguments", json::array{std::move(argument)}}};
    last = client->request("workspace/executeCommand", params,
                           [this](Result result) { answers.push_back(std::move(result)); });
    settle();
  }
  void say(const std::string& line) {
    agent().say(line);
    settle();
  }
  std::string answer() {
    REQUIRE(answers.size() == 1);
    const auto* value = std::get_if<json::value>(&answers[0]);
    return value == nullptr ? "error: " + message_of(answers[0]) : json::serialize(*value);
  }

  agent_doc::protocol::Id last;
  std::vector<Result> answers;
};

TEST_CASE("agents: those that are known, in their order, and what they can do") {
  World world;
  world.environment.more_agents.push_back({"printer", "generic", "printer", {}, {}});
  world.environment.not_installed = "printer";
  const Result result = world.command("agentDoc.agents", json::object{});
  CHECK(
      json::serialize(std::get<json::value>(result)) ==
      R"({"agents":[{"name":"claude","dialect":"claude","installed":true,"default":true,"canResume":true,"canFork":true,"canList":false},)"
      R"({"name":"keeper","dialect":"acp","installed":true,"default":false,"canResume":true,"canFork":true,"canList":true},)"
      R"({"name":"printer","dialect":"generic","installed":false,"default":false,"canResume":false,"canFork":false,"canList":false,)"
      R"("howToGet":"known agents are claude"}]})");
  CHECK(world.environment.agents_started.agents.empty());
}

TEST_CASE(
    "sessions: of the document's agent, in its folder; the newest first, titles on one line, "
    "everything in them visible") {
  World world;
  world.ask();
  CHECK(world.agent().launch.cwd == "/w");
  CHECK(world.agent().written.front().find(R"("method":"initialize")") != std::string::npos);
  world.say(kCanList);
  CHECK(world.agent().written.back() ==
        R"({"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/w"}})");
  CHECK(world.answers.empty());
  world.say(listed(
      R"({"sessionId":"without"},{"sessionId":"old","title":"Two\n lines\u001b[31m red","updatedAt":"2026-01-02T03:04:05Z"},)"
      R"({"sessionId":"new","title":"gnp.\u202eexe","updatedAt":"2026-11-20T09:32:58.670Z"},{"sessionId":"a; rm -rf","title":"Bad"})"));
  CHECK(
      world.answer() ==
      R"({"agent":"keeper","folder":"file:///w","complete":true,"sessions":[)"
      R"({"sessionId":"new","title":"gnp.<U+202E>exe","usedMs":1795167178670},)"
      R"({"sessionId":"old","title":"Two lines red","usedMs":1767323045000},{"sessionId":"without","title":"","usedMs":null}]})");
  CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
  // Its time is over, but it has said everything; and when it is gone, nothing of it is left.
  world.pass(agent_doc::session::kListLimit);
  world.agent().exit();
  world.settle();
  CHECK(world.answers.size() == 1);
  CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
}

TEST_CASE("sessions: a long title is cut, also when what was marked makes it longer") {
  World world;
  world.ask();
  world.say(kCanList);
  std::string title;
  for (int i = 0; i < 100; ++i) title += "\\u202e";
  world.say(listed(R"({"sessionId":"a","title":")" + title + R"("},{"sessionId":"b","title":")" +
                   std::string(1000, 'x') + "\"}"));
  REQUIRE(world.answers.size() == 1);
  for (const json::value& session :
       std::get<json::value>(world.answers[0]).at("sessions").as_array()) {
    const std::string_view shown = session.at("title").as_string();
    CHECK(shown.size() <= agent_doc::lsp::kMaxListedTitle);
    CHECK(shown.ends_with("…"));
  }
}

TEST_CASE("sessions: of another agent and folder, also without a document") {
  SUBCASE("a folder beside the document's") {
    World world("Hello?\n");
    world.ask({{"agent", "keeper"}, {"folder", "file:///else/a%20b"}});
    CHECK(world.agent().launch.cwd == "/else/a b");
    world.say(kCanList);
    world.say(listed(""));
    CHECK(world.answer() ==
          R"({"agent":"keeper","folder":"file:///else/a%20b","complete":true,"sessions":[]})");
  }
  SUBCASE("the document names a folder itself") {
    World world("---\nagent: keeper\nagent_doc_cwd: deep\n---\n");
    world.ask();
    CHECK(world.agent().launch.cwd == "/w/deep");
  }
  SUBCASE("no document is open: the first workspace folder") {
    World world;
    world.close();
    world.ask({{"agent", "keeper"}});
    CHECK(world.agent().launch.cwd == "/w");
  }
}

TEST_CASE("sessions: what cannot be listed is refused, with a reason") {
  World world("Hello?\n");
  const auto refused = [&](json::object argument) {
    return world.command("agentDoc.sessions", std::move(argument));
  };
  const Result nobody = refused({{"agent", "nobody"}});
  CHECK(reason_of(nobody) == "unknown-agent");
  CHECK(message_of(nobody) == "there is no agent called nobody: known agents are claude");
  const Result silent = refused({});
  CHECK(reason_of(silent) == "unsupported");
  CHECK(message_of(silent) == "claude tells no other program which sessions it keeps.");
  world.environment.more_agents.push_back({"printer", "generic", "printer", {}, {}});
  CHECK(message_of(refused({{"agent", "printer"}})) ==
        "printer keeps no sessions that one could go on with.");
  CHECK(reason_of(refused({{"uri", "file:///w/other.md"}})) == "not-open");
  const Result far = refused({{"agent", "keeper"}, {"folder", "https://example.org/w"}});
  CHECK(reason_of(far) == "invalid");
  CHECK(message_of(far) ==
        "https://example.org/w is no folder of this machine: name one by a file URI");
  world.environment.missing_folders = {"/gone"};
  const Result gone = refused({{"agent", "keeper"}, {"folder", "file:///gone"}});
  CHECK(reason_of(gone) == "invalid");
  CHECK(message_of(gone) ==
        "the folder /gone does not exist: make it, or name another one by `folder`");
  world.environment.links["/w/link.md"] = "/w/doc.md";
  CHECK(reason_of(refused({{"uri", "file:///w/link.md"}})) ==
        "unsupported");  // the document that is open, by another name
  world.environment.not_installed = "keeper";
  CHECK(reason_of(refused({{"agent", "keeper"}})) == "unknown-agent");
  CHECK(message_of(refused({{"agent", "keeper"}})) ==
        "keeper: `keeper` was not found. known agents are claude");
  world.environment.not_installed.clear();
  world.environment.agents_started.error =
      boost::system::errc::make_error_code(boost::system::errc::permission_denied);
  CHECK(reason_of(refused({{"agent", "keeper"}})) == "unknown-agent");
  CHECK(message_of(refused({{"agent", "keeper"}})) ==
        "the agent keeper could not be started (`keeper`: Permission denied). known agents are "
        "claude");
  CHECK(world.environment.agents_started.agents.empty());
  CHECK(std::get<Error>(refused({{"agent", 5}})).code == ErrorCode::InvalidParams);
}

TEST_CASE("sessions: no folder is open at all") {
  LspWorld world;
  const json::object params{{"capabilities", json::parse(kPluginCapabilities)}};
  world.call("initialize", params);
  world.environment.more_agents.push_back({"keeper", "acp", "keeper", {}, {}});
  const Result result = world.command("agentDoc.sessions", json::object{{"agent", "keeper"}});
  CHECK(message_of(result) ==
        "no folder is open whose sessions could be listed: open one, or name it by `folder`");
}

TEST_CASE("sessions: an agent that has no such request, ends, or does not answer") {
  World world;
  world.ask();
  SUBCASE("it has none") {
    world.say(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}})");
    CHECK(world.answer() == "error: keeper tells no other program which sessions it keeps.");
    CHECK(reason_of(world.answers[0]) == "unsupported");
  }
  SUBCASE("it ends") {
    world.agent().exit(3);
    world.settle();
    CHECK(world.answer() ==
          "error: keeper: The agent ended before it told its sessions (exit code 3). `agent-doc "
          "doctor` shows whether it starts.");
    CHECK(reason_of(world.answers[0]) == "invalid");
  }
  SUBCASE("it does not answer") {
    world.pass(agent_doc::session::kListLimit - std::chrono::milliseconds{1});
    CHECK(world.answers.empty());
    world.pass(std::chrono::milliseconds{1});
    CHECK(world.answer() ==
          "error: keeper did not list its sessions within 30 s. `agent-doc doctor keeper` shows "
          "what is wrong.");
    CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
  }
  SUBCASE("it asks something: no is the answer, and it goes on") {
    world.say(kCanList);
    world.say(
        R"({"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/secret"}})");
    CHECK_FALSE(world.agent().was_told(R"("content")"));
    world.say(listed(""));
    CHECK(world.answer() ==
          R"({"agent":"keeper","folder":"file:///w","complete":true,"sessions":[]})");
  }
}

TEST_CASE("sessions: a client that has no plugin of ours sees why not") {
  World world("Hello?\n", kPlainCapabilities);
  world.ask();
  CHECK(world.answer() == "error: claude tells no other program which sessions it keeps.");
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  CHECK(world.heard["window/showMessage"][0].at("message") ==
        "claude tells no other program which sessions it keeps.");
}

TEST_CASE("sessions: a request that is cancelled stops its agent, and nothing more comes of it") {
  World world;
  world.ask();
  world.client->cancel(world.last);
  world.settle();
  REQUIRE(world.answers.size() == 1);
  CHECK(std::get<Error>(world.answers[0]).code == ErrorCode::RequestCancelled);
  CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
  world.say(kCanList);
  world.say(listed(R"({"sessionId":"a"})"));
  world.pass(agent_doc::session::kListLimit);
  world.agent().exit();
  world.settle();
  CHECK(world.answers.size() == 1);
}

TEST_CASE(
    "sessions: only so many agents are asked at a time, and a place is free when one is gone") {
  World world;
  for (std::size_t i = 0; i < agent_doc::lsp::kMaxListings; ++i) world.ask();
  CHECK(world.answers.empty());
  world.ask();
  REQUIRE(world.answers.size() == 1);
  CHECK(reason_of(world.answers[0]) == "busy");
  CHECK(message_of(world.answers[0]) ==
        "4 agents are asked for their sessions already: wait for them, or cancel one");
  world.say(kCanList);
  world.say(listed(""));
  world.agent().exit();
  world.settle();
  world.ask();
  CHECK(world.answers.size() == 2);
  CHECK(world.environment.agents_started.agents.size() == agent_doc::lsp::kMaxListings + 1);
}

TEST_CASE("sessions: what waits at `shutdown` is answered before it, and the agent is stopped") {
  World world;
  world.ask();
  std::size_t answered_before = 0;
  world.client->request("shutdown", nullptr,
                        [&](const Result&) { answered_before = world.answers.size(); });
  world.settle();
  CHECK(answered_before == 1);
  CHECK(world.answer() == "error: the server ends");
  CHECK(std::get<Error>(world.answers[0]).code == ErrorCode::RequestCancelled);
  CHECK(world.agent().signals == std::vector<std::string>{"stop at once"});
  world.notify("exit", nullptr);
  world.pass(std::chrono::seconds{5});
  CHECK(world.environment.exit_codes == std::vector{0});
  world.server.reset();
  CHECK(world.agent().signals.back() == "killed");
}

}  // namespace lsp_agent_commands_test
