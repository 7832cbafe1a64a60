// The whole program with an ACP agent that behaves as real ones were seen to
// (tests/fakes/scripted_acp_agent.cpp): modes that write without asking, questions without their
// subject, denials that end turns, sessions that must be loaded. Whatever the agent is sent is
// valid by the protocol's schema, or the turn fails.
#include "tests/e2e/acp_stage.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace agent_doc::e2e {

namespace cli_acp_agent_test {

using namespace acp_stage;  // NOLINT: what all these tests speak of

}  // namespace cli_acp_agent_test

using namespace cli_acp_agent_test;  // NOLINT: this file's own names

// --- the mode that an agent begins in ---

/// Begins in a mode that writes without asking; asks in "ask", and in "plan" too.
std::string writer(const std::string& modes) {
  return "{" + kInitialize + R"(,"session/new":[{"result":{"sessionId":"s1",)" + modes +
         R"(}}],"session/prompt":[{"do":[)" +
         R"({"write":"out.txt","asks_in":["ask","plan"],"as":{"toolCall":{"toolCallId":"t1","title":"Write out.txt","kind":"edit"},)" +
         R"("options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}},)" +
         R"({"say":"Done."}],"result":{"stopReason":"end_turn"}}]})";
}
const std::string kWriting =
    R"("modes":{"currentModeId":"accept-edits","availableModes":[{"id":"ask","name":"Ask"},{"id":"accept-edits","name":"Accept edits"},{"id":"plan","name":"Plan"}]})";
const std::string kWritingOption =
    R"("configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"auto","options":[{"value":"auto","name":"Auto"},{"value":"ask","name":"Ask"},{"value":"plan","name":"Plan"}]}])";

TEST_CASE(
    "an ACP agent that begins in a mode that writes without asking is in an asking one before its "
    "first prompt") {
  struct Case {
    std::string modes, permissions, set;
    int code;
    std::string written;
  };
  const std::vector<Case> cases = {
      {kWriting, "ask", "session/set_mode s1 ask\n", 0, ""},
      {kWriting, "deny", "session/set_mode s1 ask\n", 0, ""},
      {kWriting, "plan", "session/set_mode s1 plan\n", 0, ""},
      {kWriting, "accept_edits", "", 0, "written in the mode accept-edits\n"},
      {kWritingOption, "ask", "session/set_config_option s1 ask\n", 0, ""},
      {kWritingOption, "deny", "session/set_config_option s1 ask\n", 0, ""},
      {kWritingOption, "plan", "session/set_config_option s1 plan\n", 0, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.permissions);
    CAPTURE(one.modes);
    const Stage stage(writer(one.modes), {}, "permissions = \"" + one.permissions + "\"\n");
    const Finished run = stage.run();
    CHECK(run.code == one.code);
    CHECK(run.out == "Done.\n");
    const std::string asked = one.written.empty() ? "answer selected no\n" : "";
    CHECK(stage.heard() ==
          "initialize\nsession/new\n" + one.set + "session/prompt s1 Question?\n" + asked);
    const std::string file = stage.desk() / "out.txt";
    CHECK((std::filesystem::exists(file) ? read_file(file) : std::string()) == one.written);
  }
}

TEST_CASE(
    "an ACP agent that knows no asking mode: told before it begins, and not begun where nothing "
    "may be written") {
  const std::string modes =
      R"("modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"turbo","name":"Turbo"}]})";
  for (const std::string permissions : {"ask", "accept_edits", "deny", "plan"}) {
    CAPTURE(permissions);
    const Stage stage(writer(modes), {}, "permissions = \"" + permissions + "\"\n");
    const Finished run = stage.run();
    const bool begins = permissions == "ask" || permissions == "accept_edits";
    CHECK(run.code == (begins ? 0 : 1));
    CHECK(stage.heard() == (begins ? "initialize\nsession/new\nsession/prompt s1 Question?\n"
                                   : "initialize\nsession/new\n"));
    CHECK(std::filesystem::exists(stage.desk() / "out.txt") == begins);
    const std::string why =
        "the agent has no mode that is known to ask before it changes files (it offers auto, "
        "turbo)";
    CHECK(run.error == (begins ? "agent-doc: fake in a.md: " + why +
                                     ": it may change files without asking; `mode = \"…\"` in its "
                                     "table of agent-doc's config.toml names one that you trust\n"
                               : "agent-doc: fake in a.md: `permissions = \"" + permissions +
                                     "\"` cannot be kept: " + why +
                                     ". Name one that changes nothing by `mode = \"…\"` in its "
                                     "table of agent-doc's config.toml, or set "
                                     "`permissions = \"ask\"` there.\n"));
  }
}

TEST_CASE("an ACP agent that knows no asking mode: one that the configuration names is taken") {
  const std::string modes =
      R"("modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"ask","name":"Careful"}]})";
  const Stage stage(writer(modes), "mode = \"Careful\"\n", "permissions = \"plan\"\n");
  const Finished run = stage.run();
  CHECK(run.code == 0);
  CHECK(stage.heard() ==
        "initialize\nsession/new\nsession/set_mode s1 ask\nsession/prompt s1 Question?\nanswer "
        "selected no\n");
  CHECK_FALSE(std::filesystem::exists(stage.desk() / "out.txt"));
}

// --- questions ---

const std::string kOptions =
    R"("options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}])";
const std::string kTold =
    R"({"update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit notes.txt","kind":"edit","status":"pending"}},)"
    R"({"update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","content":[{"type":"diff","path":"notes.txt","oldText":"one\ntwo\n","newText":"one\nTWO\n"}],"locations":[{"path":"notes.txt"}]}},)";

const std::string kShownEdit =
    "  | Edit notes.txt\n  | change of notes.txt:\n  |       one\n  |     - two\n  |     + TWO\n";

TEST_CASE("a question that names only the tool call's id shows what was told of it") {
  const Stage stage(script("{\"do\":[" + kTold + R"({"ask":{"toolCall":{"toolCallId":"t1"},)" +
                           kOptions +
                           R"(}},{"say":"Done."}],"result":{"stopReason":"end_turn"}})"));
  const Finished run = stage.run_and_answer("y\n");
  CHECK(run.code == 0);
  CHECK(contains(run.out, "The agent wants to use edit:\n" + kShownEdit +
                              "  [y] Allow\n  [n] Reject\nAllow? y, N (no): "));
  CHECK(stage.heard() ==
        "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected yes\n");
}

TEST_CASE(
    "a question shows the first twenty lines of a change, how many more there are, and all of them "
    "upon v") {
  std::string text, shown;
  for (int line = 1; line <= 40; ++line) text += "line " + std::to_string(line) + "\\n";
  const Stage stage(script(
      R"({"do":[{"ask":{"toolCall":{"toolCallId":"t1","title":"Write new.txt","kind":"edit","content":[{"type":"diff","path":"new.txt","newText":")" +
      text +
      R"("}]},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},)"
      R"({"optionId":"ever","name":"Allow writes to new.txt","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}},)"
      R"({"say":"Done."}],"result":{"stopReason":"end_turn"}})"));
  CommandRun run(stage.desk(), {"run", "a.md"}, {.terminal = Terminal::All});
  const std::string choice =
      "  [y] Allow\n  [a] Allow writes to new.txt\n  [n] Reject\nAllow? y, a, N (no)";
  REQUIRE(run.wait_until([&] { return contains(run.out(), "Allow? "); }));
  for (int line = 1; line <= 40; ++line) {
    const std::string row = "  |     + line " + std::to_string(line) + "\n";
    const bool is_shown = line <= 18 || line > 38;  // below the title and the name of the file
    CHECK(contains(run.out(), row) == is_shown);
    shown += row;
  }
  CHECK(contains(
      run.out(),
      "  |     + line 18\n  … 20 lines are not shown here: v shows all\n  |     + line 39\n"));
  CHECK(contains(run.out(), choice + ", v (view all of it): "));
  run.type("v\n");
  REQUIRE(run.wait_until([&] { return contains(run.out(), choice + ": "); }));
  CHECK(contains(run.out(), "\n  | Write new.txt\n  | change of new.txt:\n" + shown));
  run.type("a\n");
  CHECK(run.wait() == 0);
  CHECK(stage.heard() ==
        "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected ever\n");
}

TEST_CASE(
    "a question about a tool call that nobody named: asked as such, and denied where the agent may "
    "only plan") {
  const std::string asks = script(R"({"do":[{"ask":{"toolCall":{"toolCallId":"t9"},)" + kOptions +
                                  R"(}},{"say":"Done."}],"result":{"stopReason":"end_turn"}})");
  SUBCASE("ask") {
    const Stage stage(asks);
    const Finished run = stage.run_and_answer("n\n");
    CHECK(run.code == 0);
    CHECK(contains(run.out,
                   "The agent wants to use tool:\n  | something it does not name\n  [y] Allow\n  "
                   "[n] Reject\nAllow? y, N (no): "));
    CHECK(stage.heard() ==
          "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected no\n");
  }
  SUBCASE("plan") {
    const Stage stage(asks, {}, "permissions = \"plan\"\n");
    const Finished run = stage.run({"run", "a.md"}, {.terminal = Terminal::All});
    CHECK(run.code == 0);
    CHECK_FALSE(contains(run.out, "Allow? "));
    CHECK(contains(run.out, "Done.\n"));
    CHECK(stage.heard() ==
          "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected no\n");
  }
}

TEST_CASE(
    "a denial after which the agent calls its turn cancelled is a failure with a sentence, no "
    "stop") {
  const Stage stage(script("{\"do\":[{\"say\":\"I will edit.\"}," + kTold +
                           R"({"ask":{"toolCall":{"toolCallId":"t1"},)" + kOptions +
                           R"(}}],"result":{"stopReason":"cancelled"}})"));
  const Finished run = stage.run_and_answer("n\n");
  CHECK(run.code == 1);
  CHECK(contains(run.out, kShownEdit));
  CHECK(contains(run.out,
                 "agent-doc: fake in a.md: The agent ended its turn, for what it asked was denied. "
                 "Allow it, or say in the prompt how to do "
                 "without.\n"));
  CHECK(stage.replies() == "## Assistant\n\nI will edit.\n\n## User\n\n");
}

// --- what is said ---

TEST_CASE("a chunk without a message's id, then one with an id: two messages") {
  const Stage stage(script(
      R"({"do":[{"say":"One."},{"say":" More of one."},{"say":"Two.","id":"m1"},{"say":" More of two.","id":"m1"},)"
      R"({"say":"Three."}],"result":{"stopReason":"end_turn"}})"));
  const Finished run = stage.run();
  CHECK(run.code == 0);
  CHECK(run.error == "");
  CHECK(stage.replies() ==
        "## Assistant\n\nOne. More of one.\n\nTwo. More of two.\n\nThree.\n\n## User\n\n");
}

TEST_CASE(
    "what an agent says after it answered its prompt is in the log, also when it is being ended") {
  const auto log_of = [](const Stage& stage) {
    CHECK(stage.run().code == 0);
    CHECK(stage.replies() == "## Assistant\n\nDone.\n\n## User\n\n");
    const std::string log = stage.run({"log", "--turn", "1"}).out;
    return log.substr(log.find("--- reply"));
  };
  const std::string told = "--- reply ---\nDone.\n\n--- after the turn ---\nOne more thing.\n";
  const std::string says = R"({"say":"One "},{"say":"more thing."}]})";
  CHECK(log_of(Stage(script(
            R"({"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"},"then":[)" + says))) ==
        told);
  // Between the end of the run and that of its process.
  CHECK(
      log_of(Stage(
          R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}}],)" +
          kNew +
          R"(,"session/prompt":[{"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"},"then":[{"hear":"session/close"},)" +
          says + "]}")) == told);
}

TEST_CASE("an answer that reached the limit of its length says so, and what was said stays") {
  const Stage stage(
      script(R"({"do":[{"say":"It begins and"}],"result":{"stopReason":"max_tokens"}})"));
  const Finished run = stage.run();
  CHECK(run.code == 1);
  CHECK(run.error ==
        "agent-doc: fake in a.md: The answer reached the limit of its length. The reply is cut; "
        "ask it to go on, or for a shorter answer.\n");
  CHECK(stage.replies() == "## Assistant\n\nIt begins and\n\n## User\n\n");
}

// --- sessions ---

TEST_CASE("an agent that forks only sessions that it has loaded: load, then fork") {
  const Stage stage(
      R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{},"fork":{}}}}}],)" +
      kNew + R"(,"session/load":[{"do":[{"say":"Done."}],"result":{}}],)" +
      R"("session/fork":[{"error":{"code":-32603,"message":"the session is not loaded"}},{"result":{"sessionId":"s2",)" +
      kModes + R"(}}],"session/prompt":[)" + kSaysDone + "]}");
  CHECK(stage.run().code == 0);
  CHECK(stage.run({"fork", "a.md", "b.md"}).code == 0);
  write_file(stage.desk() / "b.md", read_file(stage.desk() / "b.md") + "And now?\n");
  const Finished run = stage.run({"run", "b.md"});
  CHECK(run.code == 0);
  CHECK(run.out == "Done.\n");
  CHECK(run.error == "");
  CHECK(stage.heard() ==
        "initialize\nsession/new\nsession/prompt s1 Question?\n"
        "initialize\nsession/fork s1\nsession/load s1\nsession/fork "
        "s1\n_agent-doc/barrier\nsession/prompt s2 And now?\n");
}

TEST_CASE(
    "a refused resume goes down the ladder: load, then a new session that is given the document") {
  const std::string can =
      R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}}],)";
  const std::string refuses =
      R"("session/resume":[{"error":{"code":-32603,"message":"cannot resume"}}],)";
  SUBCASE("it can be loaded") {
    const Stage stage(can + kNew + "," + refuses +
                      R"("session/load":[{"do":[{"say":"Done."}],"result":{)" + kModes +
                      R"(}}],"session/prompt":[)" + kSaysDone + "]}");
    CHECK(stage.run().code == 0);
    stage.ask("And now?");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(run.error == "");
    CHECK(stage.heard() ==
          "initialize\nsession/new\nsession/prompt s1 Question?\n"
          "initialize\nsession/resume s1\nsession/load s1\n_agent-doc/barrier\nsession/prompt s1 "
          "And now?\n");
  }
  SUBCASE("it is gone") {
    const Stage stage(can + kNew + "," + refuses +
                      R"("session/load":[{"error":{"code":-32603,"message":"no such session"}}],)" +
                      R"("session/prompt":[)" + kSaysDone + "]}");
    CHECK(stage.run().code == 0);
    stage.ask("And now?");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(run.error ==
          "agent-doc: fake in a.md: no such session. The turn goes on in a new session, which is "
          "given the document to read. `resume` keeps "
          "the old session until the new one has answered.\n");
    const std::string heard = stage.heard();
    CHECK(
        heard.starts_with("initialize\nsession/new\nsession/prompt s1 Question?\n"
                          "initialize\nsession/resume s1\nsession/load s1\n"
                          "initialize\nsession/new\nsession/prompt s1 This is the markdown "
                          "document that we write together, up to now:"));
    CHECK(heard.ends_with("\nAnd now?\n"));
  }
}

TEST_CASE("a session that takes long to begin can be waited for, and stopped") {
  const Stage stage("{" + kInitialize +
                    R"(,"session/new":[{"do":[{"gate":"GATE"}],"result":{"sessionId":"s1",)" +
                    kModes + R"(}}],"session/prompt":[)" + kSaysDone + "]}");
  CommandRun run(stage.desk(), {"run", "a.md", "--verbose"});
  SUBCASE("waited for") {
    stage.open_gate();
    CHECK(run.wait() == 0);
    CHECK(run.error().starts_with("fake: starting\nfake: running, starting\n"));
    CHECK(run.out() == "Done.\n");
  }
  SUBCASE("stopped") {
    REQUIRE(run.wait_until([&] { return stage.heard() == "initialize\nsession/new\n"; }));
    run.signal(SIGINT);
    CHECK(run.wait() == 130);
    CHECK(contains(run.error(), "\nfake: cancelled, starting\n"));
    CHECK(stage.heard() == "initialize\nsession/new\n");
    CHECK(stage.replies().empty());
    CHECK(read_file(stage.document()).ends_with("\n\nQuestion?\n"));
  }
}

}  // namespace agent_doc::e2e
