// The whole program with an ACP agent that behaves as real ones were seen to (tests/fakes/scripted_acp_agent.cpp): modes that write without asking, questions
// without their subject, denials that end turns, silent retries, logins, sessions that must be loaded. Whatever the agent is sent is valid by the protocol's
// schema, or the turn fails.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

namespace cli_acp_agent_test {

using tests::read_file;
using tests::write_file;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// In a mode that asks.
const std::string kInitialize = R"("initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{}}}])";
const std::string kModes = R"("modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]})";
const std::string kNew = R"("session/new":[{"result":{"sessionId":"s1",)" + kModes + "}}]";

/// An agent that can be asked, with `prompts` as its entries for session/prompt.
std::string script(const std::string& prompts) {
  return "{" + kInitialize + "," + kNew + R"(,"session/prompt":[)" + prompts + "]}";
}

const std::string kSaysDone = R"({"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"}})";

struct Finished {
  int code;
  std::string out, error;
};

/// A desk with a document, whose default agent is the script.
class Stage {
 public:
  /// `table` is more of the agent's table in the configuration, `top` of what comes before it.
  explicit Stage(const std::string& script, const std::string& table = {}, const std::string& top = {}) {
    write_file(desk_.home() + "/script.json", with_gate(script));
    REQUIRE(::mkfifo(gate().c_str(), 0600) == 0);
    write_file(desk_.home() + "/config/agent-doc/config.toml",
               top + "default_agent = \"fake\"\n[agents.fake]\ndialect = \"acp\"\ncommand = \"" SCRIPTED_ACP_AGENT "\"\nargs = [\"" +
                   desk_.home() + "/script.json\", \"" + heard_file() + "\"]\n" + table);
    write_file(document(), "Question?\n");
  }

  const Desk& desk() const { return desk_; }
  std::string document() const { return desk_ / "a.md"; }
  /// Lets the agent go on that waits at {"gate":"GATE"}, once it waits there.
  void open_gate() const { ::close(::open(gate().c_str(), O_WRONLY | O_CLOEXEC)); }

  Finished run(std::vector<std::string> arguments = {"run", "a.md"}, RunSettings settings = {}) const {
    CommandRun run(desk_, std::move(arguments), settings);
    const int code = run.wait();
    return {code, run.out(), run.error()};
  }

  /// A run on a terminal in which every question is answered with `keys`.
  Finished run_and_answer(const std::string& keys) const {
    CommandRun run(desk_, {"run", "a.md"}, {.terminal = Terminal::All});
    REQUIRE(run.wait_until([&] { return contains(run.out(), "Allow? "); }));
    run.type(keys);
    const int code = run.wait();
    return {code, run.out(), run.error()};
  }

  /// The document from its first reply on; empty when it has none.
  std::string replies() const {
    const std::string text = read_file(document());
    const std::size_t at = text.find("## Assistant");
    return at == std::string::npos ? std::string() : text.substr(at);
  }

  void ask(std::string_view question) const { write_file(document(), read_file(document()) + std::string(question) + "\n"); }

  /// What the agent was sent, a line each: a method with the fields that tell most, or an answer's outcome.
  std::string heard() const {
    std::istringstream lines(std::filesystem::exists(heard_file()) ? read_file(heard_file()) : std::string());
    std::string all;
    for (std::string line; std::getline(lines, line);) all += told(line) + "\n";
    return all;
  }

 private:
  std::string gate() const { return desk_.home() + "/gate"; }
  std::string with_gate(std::string script) const {
    const std::size_t at = script.find("\"GATE\"");
    if (at != std::string::npos) script.replace(at, 6, "\"" + gate() + "\"");
    return script;
  }
  std::string heard_file() const { return desk_.home() + "/heard"; }

  static std::string told(const std::string& line) {
    if (line.starts_with("INVALID")) return line;
    const boost::json::value frame = boost::json::parse(line);
    const auto text = [&frame](std::string_view pointer) {
      boost::system::error_code error;
      const boost::json::value* found = frame.find_pointer({pointer.data(), pointer.size()}, error);
      return found != nullptr && found->is_string() ? " " + std::string(found->get_string()) : std::string();
    };
    if (text("/method").empty()) return "answer" + text("/result/outcome/outcome") + text("/result/outcome/optionId");
    return text("/method").substr(1) + text("/params/sessionId") + text("/params/methodId") + text("/params/modeId") +
           text("/params/value") + text("/params/prompt/0/text");
  }

  Desk desk_;
};

}  // namespace cli_acp_agent_test

using namespace cli_acp_agent_test;  // NOLINT: this file's own names

// --- the mode that an agent begins in ---

/// Begins in a mode that writes without asking; asks in "ask", and in "plan" too.
std::string writer(const std::string& modes) {
  return "{" + kInitialize + R"(,"session/new":[{"result":{"sessionId":"s1",)" + modes + R"(}}],"session/prompt":[{"do":[)" +
         R"({"write":"out.txt","asks_in":["ask","plan"],"as":{"toolCall":{"toolCallId":"t1","title":"Write out.txt","kind":"edit"},)" +
         R"("options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}},)" +
         R"({"say":"Done."}],"result":{"stopReason":"end_turn"}}]})";
}
const std::string kWriting =
    R"("modes":{"currentModeId":"accept-edits","availableModes":[{"id":"ask","name":"Ask"},{"id":"accept-edits","name":"Accept edits"},{"id":"plan","name":"Plan"}]})";
const std::string kWritingOption =
    R"("configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"auto","options":[{"value":"auto","name":"Auto"},{"value":"ask","name":"Ask"},{"value":"plan","name":"Plan"}]}])";

TEST_CASE("an ACP agent that begins in a mode that writes without asking is in an asking one before its first prompt") {
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
    CHECK(stage.heard() == "initialize\nsession/new\n" + one.set + "session/prompt s1 Question?\n" + asked);
    const std::string file = stage.desk() / "out.txt";
    CHECK((std::filesystem::exists(file) ? read_file(file) : std::string()) == one.written);
  }
}

TEST_CASE("an ACP agent that knows no asking mode: told before it begins, and not begun where nothing may be written") {
  const std::string modes =
      R"("modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"turbo","name":"Turbo"}]})";
  for (const std::string permissions : {"ask", "accept_edits", "deny", "plan"}) {
    CAPTURE(permissions);
    const Stage stage(writer(modes), {}, "permissions = \"" + permissions + "\"\n");
    const Finished run = stage.run();
    const bool begins = permissions == "ask" || permissions == "accept_edits";
    CHECK(run.code == (begins ? 0 : 1));
    CHECK(stage.heard() == (begins ? "initialize\nsession/new\nsession/prompt s1 Question?\n" : "initialize\nsession/new\n"));
    CHECK(std::filesystem::exists(stage.desk() / "out.txt") == begins);
    const std::string why = "the agent has no mode that is known to ask before it changes files (it offers auto, turbo)";
    CHECK(
        run.error ==
        (begins
             ? "agent-doc: fake in a.md: " + why +
                   ": it may change files without asking; `mode = \"…\"` in its table of agent-doc's config.toml names one that you trust\n"
             : "agent-doc: fake in a.md: `permissions = \"" + permissions + "\"` cannot be kept: " + why +
                   ". Name one that changes nothing by `mode = \"…\"` in its table of agent-doc's config.toml, or set "
                   "`permissions = \"ask\"` there.\n"));
  }
}

TEST_CASE("an ACP agent that knows no asking mode: one that the configuration names is taken") {
  const std::string modes =
      R"("modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"ask","name":"Careful"}]})";
  const Stage stage(writer(modes), "mode = \"Careful\"\n", "permissions = \"plan\"\n");
  const Finished run = stage.run();
  CHECK(run.code == 0);
  CHECK(stage.heard() == "initialize\nsession/new\nsession/set_mode s1 ask\nsession/prompt s1 Question?\nanswer selected no\n");
  CHECK_FALSE(std::filesystem::exists(stage.desk() / "out.txt"));
}

// --- questions ---

const std::string kOptions =
    R"("options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}])";
const std::string kTold =
    R"({"update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit notes.txt","kind":"edit","status":"pending"}},)"
    R"({"update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","content":[{"type":"diff","path":"notes.txt","oldText":"one\ntwo\n","newText":"one\nTWO\n"}],"locations":[{"path":"notes.txt"}]}},)";

const std::string kShownEdit = "  | Edit notes.txt\n  | change of notes.txt:\n  |       one\n  |     - two\n  |     + TWO\n";

TEST_CASE("a question that names only the tool call's id shows what was told of it") {
  const Stage stage(script("{\"do\":[" + kTold + R"({"ask":{"toolCall":{"toolCallId":"t1"},)" + kOptions +
                           R"(}},{"say":"Done."}],"result":{"stopReason":"end_turn"}})"));
  const Finished run = stage.run_and_answer("y\n");
  CHECK(run.code == 0);
  CHECK(contains(run.out, "The agent wants to use edit:\n" + kShownEdit + "  [y] Allow\n  [n] Reject\nAllow? y, N (no): "));
  CHECK(stage.heard() == "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected yes\n");
}

TEST_CASE("a question shows the first twenty lines of a change, how many more there are, and all of them upon v") {
  std::string text, shown;
  for (int line = 1; line <= 40; ++line) text += "line " + std::to_string(line) + "\\n";
  const Stage stage(script(
      R"({"do":[{"ask":{"toolCall":{"toolCallId":"t1","title":"Write new.txt","kind":"edit","content":[{"type":"diff","path":"new.txt","newText":")" +
      text +
      R"("}]},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},)"
      R"({"optionId":"ever","name":"Allow writes to new.txt","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}},)"
      R"({"say":"Done."}],"result":{"stopReason":"end_turn"}})"));
  CommandRun run(stage.desk(), {"run", "a.md"}, {.terminal = Terminal::All});
  const std::string choice = "  [y] Allow\n  [a] Allow writes to new.txt\n  [n] Reject\nAllow? y, a, N (no)";
  REQUIRE(run.wait_until([&] { return contains(run.out(), "Allow? "); }));
  for (int line = 1; line <= 40; ++line) {
    const std::string row = "  |     + line " + std::to_string(line) + "\n";
    const bool is_shown = line <= 18 || line > 38;  // below the title and the name of the file
    CHECK(contains(run.out(), row) == is_shown);
    shown += row;
  }
  CHECK(contains(run.out(), "  |     + line 18\n  … 20 lines are not shown here: v shows all\n  |     + line 39\n"));
  CHECK(contains(run.out(), choice + ", v (view all of it): "));
  run.type("v\n");
  REQUIRE(run.wait_until([&] { return contains(run.out(), choice + ": "); }));
  CHECK(contains(run.out(), "\n  | Write new.txt\n  | change of new.txt:\n" + shown));
  run.type("a\n");
  CHECK(run.wait() == 0);
  CHECK(stage.heard() == "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected ever\n");
}

TEST_CASE("a question about a tool call that nobody named: asked as such, and denied where the agent may only plan") {
  const std::string asks =
      script(R"({"do":[{"ask":{"toolCall":{"toolCallId":"t9"},)" + kOptions + R"(}},{"say":"Done."}],"result":{"stopReason":"end_turn"}})");
  SUBCASE("ask") {
    const Stage stage(asks);
    const Finished run = stage.run_and_answer("n\n");
    CHECK(run.code == 0);
    CHECK(contains(run.out, "The agent wants to use tool:\n  | something it does not name\n  [y] Allow\n  [n] Reject\nAllow? y, N (no): "));
    CHECK(stage.heard() == "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected no\n");
  }
  SUBCASE("plan") {
    const Stage stage(asks, {}, "permissions = \"plan\"\n");
    const Finished run = stage.run({"run", "a.md"}, {.terminal = Terminal::All});
    CHECK(run.code == 0);
    CHECK_FALSE(contains(run.out, "Allow? "));
    CHECK(contains(run.out, "\nDone.\n"));
    CHECK(stage.heard() == "initialize\nsession/new\nsession/prompt s1 Question?\nanswer selected no\n");
  }
}

TEST_CASE("a denial after which the agent calls its turn cancelled is a failure with a sentence, no stop") {
  const Stage stage(script("{\"do\":[{\"say\":\"I will edit.\"}," + kTold + R"({"ask":{"toolCall":{"toolCallId":"t1"},)" + kOptions +
                           R"(}}],"result":{"stopReason":"cancelled"}})"));
  const Finished run = stage.run_and_answer("n\n");
  CHECK(run.code == 1);
  CHECK(contains(run.out, kShownEdit));
  CHECK(
      contains(run.out,
               "agent-doc: fake in a.md: The agent ended its turn, for what it asked was denied. Allow it, or say in the prompt how to do "
               "without.\n"));
  CHECK(stage.replies() == "## Assistant\n\nI will edit.\n\n## User\n\n");
}

// --- what is said ---

TEST_CASE("a chunk without a message's id, then one with an id: two messages") {
  const Stage stage(script(R"({"do":[{"say":"One."},{"say":" More of one."},{"say":"Two.","id":"m1"},{"say":" More of two.","id":"m1"},)"
                           R"({"say":"Three."}],"result":{"stopReason":"end_turn"}})"));
  const Finished run = stage.run();
  CHECK(run.code == 0);
  CHECK(run.error == "");
  CHECK(stage.replies() == "## Assistant\n\nOne. More of one.\n\nTwo. More of two.\n\nThree.\n\n## User\n\n");
}

TEST_CASE("what an agent says after it answered its prompt is in the log, also when it is being ended") {
  const auto log_of = [](const Stage& stage) {
    CHECK(stage.run().code == 0);
    CHECK(stage.replies() == "## Assistant\n\nDone.\n\n## User\n\n");
    const std::string log = stage.run({"log", "--turn", "1"}).out;
    return log.substr(log.find("--- reply"));
  };
  const std::string told = "--- reply ---\nDone.\n\n--- after the turn ---\nOne more thing.\n";
  const std::string says = R"({"say":"One "},{"say":"more thing."}]})";
  CHECK(log_of(Stage(script(R"({"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"},"then":[)" + says))) == told);
  // Between the end of the run and that of its process.
  CHECK(
      log_of(Stage(R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}}],)" + kNew +
                   R"(,"session/prompt":[{"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"},"then":[{"hear":"session/close"},)" +
                   says + "]}")) == told);
}

TEST_CASE("an answer that reached the limit of its length says so, and what was said stays") {
  const Stage stage(script(R"({"do":[{"say":"It begins and"}],"result":{"stopReason":"max_tokens"}})"));
  const Finished run = stage.run();
  CHECK(run.code == 1);
  CHECK(
      run.error ==
      "agent-doc: fake in a.md: The answer reached the limit of its length. The reply is cut; ask it to go on, or for a shorter answer.\n");
  CHECK(stage.replies() == "## Assistant\n\nIt begins and\n\n## User\n\n");
}

// --- services, logins, sessions ---

TEST_CASE("an agent that tries again in silence: the model is waited for, and a stop says what it wrote on standard error") {
  const Stage stage(script(R"({"do":[{"stderr":"attempt 1 failed: 503, next in 30 s\n"},{"gate":"GATE"},{"hear":"session/cancel"}],)"
                           R"("result":{"stopReason":"cancelled"}})"));
  CommandRun run(stage.desk(), {"run", "a.md", "--verbose"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "waiting for the model"); }));
  stage.open_gate();
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  CHECK(contains(run.error(), "fake: running, waiting for the model\n"));
  CHECK(contains(run.error(), "\nfake in a.md was stopped before it answered. It wrote last: attempt 1 failed: 503, next in 30 s\n"));
  CHECK(contains(stage.run({"log", "--turn", "1"}).out, "attempt 1 failed: 503, next in 30 s"));
}

TEST_CASE("a login by variables is made when they are set, and named when they are not") {
  const std::string agent = R"({"initialize":[{"result":{"protocolVersion":1,"authMethods":[{"id":"browser","name":"Log in"},)"
                            R"({"id":"key","name":"API key","type":"env_var","vars":[{"name":"FAKE_SERVICE_KEY"}]}]}}],)"
                            R"("authenticate":[{"result":{}}],)"
                            R"("session/new":[{"error":{"code":-32000,"message":"Authentication required"}},{"result":{"sessionId":"s1",)" +
                            kModes + R"(}}],"session/prompt":[)" + kSaysDone + "]}";
  SUBCASE("set") {
    const Stage stage(agent, "[agents.fake.env]\nFAKE_SERVICE_KEY = \"1\"\n");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(run.error == "");
    CHECK(stage.heard() == "initialize\nsession/new\nauthenticate key\nsession/new\nsession/prompt s1 Question?\n");
  }
  SUBCASE("not set") {
    const Stage stage(agent);
    const Finished run = stage.run();
    CHECK(run.code == 1);
    CHECK(run.error ==
          "agent-doc: fake in a.md: Authentication required (Log in; API key: set FAKE_SERVICE_KEY in its environment). Start "
          "`" SCRIPTED_ACP_AGENT "` in a terminal and log in, or mend its API key; then run again.\n");
    CHECK(stage.heard() == "initialize\nsession/new\n");
  }
  SUBCASE("the method that the configuration names") {
    const Stage stage(agent, "auth_method = \"browser\"\n");
    CHECK(stage.run().code == 1);
    CHECK(stage.heard() == "initialize\nauthenticate browser\nsession/new\n");
  }
}

TEST_CASE("an agent that forks only sessions that it has loaded: load, then fork") {
  const Stage stage(
      R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{},"fork":{}}}}}],)" +
      kNew + R"(,"session/load":[{"do":[{"say":"Done."}],"result":{}}],)" +
      R"("session/fork":[{"error":{"code":-32603,"message":"the session is not loaded"}},{"result":{"sessionId":"s2",)" + kModes +
      R"(}}],"session/prompt":[)" + kSaysDone + "]}");
  CHECK(stage.run().code == 0);
  CHECK(stage.run({"fork", "a.md", "b.md"}).code == 0);
  write_file(stage.desk() / "b.md", read_file(stage.desk() / "b.md") + "And now?\n");
  const Finished run = stage.run({"run", "b.md"});
  CHECK(run.code == 0);
  CHECK(run.out == "Done.\n");
  CHECK(run.error == "");
  CHECK(stage.heard() ==
        "initialize\nsession/new\nsession/prompt s1 Question?\n"
        "initialize\nsession/fork s1\nsession/load s1\nsession/fork s1\n_agent-doc/barrier\nsession/prompt s2 And now?\n");
}

TEST_CASE("a refused resume goes down the ladder: load, then a new session that is given the document") {
  const std::string can =
      R"({"initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}}],)";
  const std::string refuses = R"("session/resume":[{"error":{"code":-32603,"message":"cannot resume"}}],)";
  SUBCASE("it can be loaded") {
    const Stage stage(can + kNew + "," + refuses + R"("session/load":[{"do":[{"say":"Done."}],"result":{)" + kModes +
                      R"(}}],"session/prompt":[)" + kSaysDone + "]}");
    CHECK(stage.run().code == 0);
    stage.ask("And now?");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(run.error == "");
    CHECK(stage.heard() ==
          "initialize\nsession/new\nsession/prompt s1 Question?\n"
          "initialize\nsession/resume s1\nsession/load s1\n_agent-doc/barrier\nsession/prompt s1 And now?\n");
  }
  SUBCASE("it is gone") {
    const Stage stage(can + kNew + "," + refuses + R"("session/load":[{"error":{"code":-32603,"message":"no such session"}}],)" +
                      R"("session/prompt":[)" + kSaysDone + "]}");
    CHECK(stage.run().code == 0);
    stage.ask("And now?");
    const Finished run = stage.run();
    CHECK(run.code == 0);
    CHECK(
        run.error ==
        "agent-doc: fake in a.md: no such session. The turn goes on in a new session, which is given the document to read. `resume` keeps "
        "the old session until the new one has answered.\n");
    const std::string heard = stage.heard();
    CHECK(
        heard.starts_with("initialize\nsession/new\nsession/prompt s1 Question?\n"
                          "initialize\nsession/resume s1\nsession/load s1\n"
                          "initialize\nsession/new\nsession/prompt s1 This is the markdown document that we write together, up to now:"));
    CHECK(heard.ends_with("\nAnd now?\n"));
  }
}

TEST_CASE("a session that takes long to begin can be waited for, and stopped") {
  const Stage stage("{" + kInitialize + R"(,"session/new":[{"do":[{"gate":"GATE"}],"result":{"sessionId":"s1",)" + kModes +
                    R"(}}],"session/prompt":[)" + kSaysDone + "]}");
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

TEST_CASE("doctor says what it waits for when an agent takes long to begin, and goes on waiting") {
  const Stage stage("{" + kInitialize + R"(,"session/new":[{"do":[{"gate":"GATE"}],"result":{"sessionId":"s1",)" + kModes + "}}]}");
  CommandRun run(stage.desk(), {"doctor", "fake"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "… fake: "); }));
  CHECK_FALSE(contains(run.out(), "fake"));
  stage.open_gate();
  CHECK(run.wait() == 0);
  CHECK(run.error() == "… fake: it was started, and has begun no session yet; a first start takes longer (waiting for up to 60 s)\n");
  CHECK(contains(run.out(), "✔ fake: it began a session in "));
}

}  // namespace agent_doc::e2e
