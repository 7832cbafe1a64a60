// The whole program with an ACP agent whose service or login is in the way: silent retries, errors
// that are told as if they were the reply, logins, and what `doctor` says while it waits. Whatever
// the agent is sent is valid by the protocol's schema, or the turn fails.
#include "tests/e2e/acp_stage.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

namespace agent_doc::e2e {

namespace cli_acp_services_test {

using namespace acp_stage;  // NOLINT: what all these tests speak of

}  // namespace cli_acp_services_test

using namespace cli_acp_services_test;  // NOLINT: this file's own names

TEST_CASE(
    "an agent that tries again in silence: the model is waited for, and a stop says what it wrote "
    "on standard error") {
  const Stage stage(script(
      R"({"do":[{"stderr":"attempt 1 failed: 503, next in 30 s\n"},{"gate":"GATE"},{"hear":"session/cancel"}],)"
      R"("result":{"stopReason":"cancelled"}})"));
  CommandRun run(stage.desk(), {"run", "a.md", "--verbose"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "waiting for the model"); }));
  stage.open_gate();
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  CHECK(contains(run.error(), "fake: running, waiting for the model\n"));
  CHECK(contains(run.error(),
                 "\nfake in a.md was stopped before it answered. It wrote last: attempt 1 failed: "
                 "503, next in 30 s\n"));
  CHECK(contains(stage.run({"log", "--turn", "1"}).out, "attempt 1 failed: 503, next in 30 s"));
}

TEST_CASE("a login by variables is made when they are set, and named when they are not") {
  const std::string agent =
      R"({"initialize":[{"result":{"protocolVersion":1,"authMethods":[{"id":"browser","name":"Log in"},)"
      R"({"id":"key","name":"API key","type":"env_var","vars":[{"name":"FAKE_SERVICE_KEY"}]}]}}],)"
      R"("authenticate":[{"result":{}}],)"
      R"("session/new":[{"error":{"code":-32000,"message":"Authentication required"}},{"result":{"sessionId":"s1",)" +
      kModes + R"(}}],"session/prompt":[)" + kSaysDone + "]}";
  SUBCASE("set") {
    const Stage stage(agent, "[agents.fake.env]\nFAKE_SERVICE_KEY = \"1\"\n");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(run.error == "");
    CHECK(stage.heard() ==
          "initialize\nsession/new\nauthenticate key\nsession/new\nsession/prompt s1 Question?\n");
  }
  SUBCASE("not set") {
    const Stage stage(agent);
    const Finished run = stage.run();
    CHECK(run.code == 1);
    CHECK(run.error ==
          "agent-doc: fake in a.md: Authentication required (Log in; API key: set FAKE_SERVICE_KEY "
          "in its environment). Start "
          "`" SCRIPTED_ACP_AGENT
          "` in a terminal and log in, or mend its API key; then run again.\n");
    CHECK(stage.heard() == "initialize\nsession/new\n");
  }
  SUBCASE("the method that the configuration names") {
    const Stage stage(agent, "auth_method = \"browser\"\n");
    CHECK(stage.run().code == 1);
    CHECK(stage.heard() == "initialize\nauthenticate browser\nsession/new\n");
  }
}

/// The answer of codex-acp to a prompt whose model was asked in vain: `text`, once its thread is in
/// error.
std::string failed_as_codex(const std::string& text) {
  return R"({"do":[{"say":"It begins."},)"
         R"({"update":{"sessionUpdate":"session_info_update","_meta":{"codex":{"error":{"message":"Reconnecting... 1/1","additionalDetails":"429","willRetry":true}}}}},)"
         R"({"update":{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":"systemError"}}}}},{"say":")" +
         text + R"("}],"result":{"stopReason":"end_turn"}})";
}

TEST_CASE(
    "an error of the service that is told as the reply: exit 1, what to do, and a document without "
    "it") {
  struct Case {
    std::string dialect, prompt, error, replies;
  };
  const std::string wait = " Wait a while, then run again.\n";
  const std::vector<Case> cases = {
      {"codex-acp", failed_as_codex("last status: 429 Too Many Requests\\n\\n"),
       "last status: 429 Too Many Requests." + wait, "It begins.\n\n"},
      {"copilot",
       R"({"do":[{"say":"Info: Request failed due to a transient API error. Retrying..."},{"say":"Error: 429 slow down"}],)"
       R"("result":{"stopReason":"end_turn"}})",
       "429 slow down." + wait, ""},
      {"goose",
       R"({"do":[{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Ran into this error: Rate limit exceeded: slow down.\n\nPlease retry."},"_meta":{"goose":{"created":1}}}}],)"
       R"("result":{"stopReason":"end_turn"}})",
       "Rate limit exceeded: slow down." + wait, ""},
      {"goose", R"({"result":{"stopReason":"end_turn"}})",
       "The agent ended its turn without a word. Run again; `agent-doc doctor` shows whether the "
       "agent works.\n",
       ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.dialect);
    const Stage stage(script(one.prompt), {}, {}, one.dialect);
    const Finished run = stage.run();
    CHECK(run.code == 1);
    CHECK(run.error == "agent-doc: fake in a.md: " + one.error);
    CHECK(stage.replies() ==
          (one.replies.empty() ? "" : "## Assistant\n\n" + one.replies + "## User\n\n"));
  }
}

TEST_CASE("doctor says what it waits for when an agent takes long to begin, and goes on waiting") {
  const Stage stage("{" + kInitialize +
                    R"(,"session/new":[{"do":[{"gate":"GATE"}],"result":{"sessionId":"s1",)" +
                    kModes + "}}]}");
  CommandRun run(stage.desk(), {"doctor", "fake"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "… fake: "); }));
  CHECK_FALSE(contains(run.out(), "fake"));
  stage.open_gate();
  CHECK(run.wait() == 0);
  CHECK(run.error() ==
        "… fake: it was started, and has begun no session yet; a first start takes longer (waiting "
        "for up to 60 s)\n");
  CHECK(contains(run.out(), "✔ fake: it began a session in "));
}

TEST_CASE("doctor --ask says that the answer is waited for, and goes on waiting") {
  const Stage stage(
      script(R"({"do":[{"gate":"GATE"},{"say":"Hello."}],"result":{"stopReason":"end_turn"}})"));
  CommandRun run(stage.desk(), {"doctor", "fake", "--ask"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "… fake: "); }));
  CHECK_FALSE(contains(run.out(), "fake"));
  stage.open_gate();
  CHECK(run.wait() == 0);
  CHECK(run.error() ==
        "… fake: it has a session, and has not answered yet (waiting for up to 90 s)\n");
  CHECK(contains(run.out(), "✔ fake: it answered in "));
}

}  // namespace agent_doc::e2e
