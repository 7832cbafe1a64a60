// `agent-doc sessions` and `agent-doc new --resume` as a person uses them: the whole program, and
// agents that are recordings of real ones or small scripts.
#include "server/file/local_time.hpp"
#include "tests/e2e/command_run.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace agent_doc::e2e {

namespace cli_sessions_test {

namespace json = boost::json;

using tests::read_file;
using tests::write_file;

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/acp/";
const std::string kGoOn = "agent-doc new FILE --agent keeper --resume ID";

/// Makes `command`, as the agent `keeper`, the default agent.
void use_keeper(const Desk& desk, const std::string& dialect, const std::string& command,
                const std::vector<std::string>& arguments) {
  std::string config = "default_agent = \"keeper\"\n[agents.keeper]\ndialect = \"" + dialect +
                       "\"\ncommand = \"" + command + "\"\nargs = [";
  for (const std::string& argument : arguments) config += "'''" + argument + "''', ";
  write_file(desk.home() + "/config/agent-doc/config.toml", config + "]\n");
}

/// The shell as an ACP agent: each line that it gets is held against the schema of the protocol,
/// which run() looks at.
void use_shell(const Desk& desk, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {desk.home() + "/wire", "/bin/sh"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  use_keeper(desk, "acp", ACP_TAP, all);
}

/// An ACP agent whose answers to its first two requests, and then to more, are `answers`: one line
/// each. What it reads goes to `log`.
void use_script(const Desk& desk, const std::vector<std::string>& answers,
                const std::string& log = "/dev/null") {
  std::string script = "trap '' INT\n";
  for (const std::string& answer : answers)
    script +=
        "read -r line; printf '%s\\n' \"$line\" >> " + log + "; printf '%s\\n' '" + answer + "'\n";
  script += "while read -r line; do printf '%s\\n' \"$line\" >> " + log + "; done; echo end >> " +
            log + "\n";
  write_file(desk / "agent.sh", script);
  use_shell(desk, {desk / "agent.sh"});
}

std::string answer(int id, const std::string& result) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}";
}

const std::string kCanList =
    R"({"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"close":{},"resume":{}}}})";

struct Said {
  int code;
  std::string out, error;
};
Said run(const Desk& desk, const std::vector<std::string>& arguments, RunSettings settings = {}) {
  CommandRun command(desk, arguments, settings);
  const int code = command.wait();
  if (const std::string wire = desk.home() + "/wire"; std::filesystem::exists(wire)) {
    const std::string judged = read_file(wire);
    CAPTURE(judged);
    CHECK(judged.find("INVALID") == std::string::npos);
  }
  return {code, command.out(), command.error()};
}

std::string local(std::time_t time) {
  return file::local_time(time, file::TimeForm::List);
}

}  // namespace cli_sessions_test

using namespace cli_sessions_test;  // NOLINT: this file's own names

TEST_CASE(
    "sessions: the newest first, titles on one clean line, times of this place; on a terminal, how "
    "to go on") {
  const Desk desk;
  const std::string folder = desk.docs();
  use_script(
      desk,
      {answer(1, kCanList),
       answer(
           2,
           R"({"sessions":[{"sessionId":"without"},{"sessionId":"old","title":"Two\n lines\u001b[31m red","updatedAt":"2026-01-02T03:04:05Z"},)"
           R"({"sessionId":"newest","title":"One","updatedAt":"2026-11-20T09:32:58.670Z"},{"sessionId":"a; rm","title":"Bad"},)"
           R"({"sessionId":"else","cwd":"/else"}]})")});
  const std::string table = "ID       LAST USED         TITLE\nnewest   " + local(1795167178) +
                            "  One\nold      " + local(1767323045) +
                            "  Two lines red\nwithout  ?\n";
  const Said piped = run(desk, {"sessions"});
  CHECK(piped.error.empty());
  CHECK(piped.out == table);
  CHECK(piped.code == 0);
  const Said shown = run(desk, {"sessions", "keeper"}, {.terminal = Terminal::OutputOnly});
  CHECK(shown.out == table + "To go on with one in a document: " + kGoOn + "\n");
  const Said as_json =
      run(desk, {"sessions", "keeper", "--json"}, {.terminal = Terminal::OutputOnly});
  CHECK(as_json.code == 0);
  CHECK(
      json::parse(as_json.out) ==
      json::value(
          {{"agent", "keeper"},
           {"folder", folder},
           {"complete", true},
           {"sessions",
            json::array{
                json::object{{"sessionId", "newest"}, {"title", "One"}, {"usedMs", 1795167178670}},
                json::object{
                    {"sessionId", "old"}, {"title", "Two lines red"}, {"usedMs", 1767323045000}},
                json::object{{"sessionId", "without"}, {"title", ""}, {"usedMs", nullptr}}}}}));
}

TEST_CASE("sessions: those of a document in this folder, which are the project's") {
  const Desk desk;
  std::filesystem::create_directories(desk / ".git");
  std::filesystem::create_directories(desk / "deep");
  use_script(desk,
             {answer(1, kCanList),
              answer(2, R"({"sessions":[{"sessionId":"a","cwd":")" + desk.docs() + R"("}]})")},
             desk / "log");
  CHECK(run(desk, {"sessions"}).out == "ID  LAST USED  TITLE\na   ?\n");
  CHECK(read_file(desk / "log")
            .find(R"("method":"session/list","params":{"cwd":")" + desk.docs() + "\"}}\nend\n") !=
        std::string::npos);
}

TEST_CASE("sessions: what the real agents were recorded to say") {
  const Desk desk;
  use_keeper(desk, "opencode", RPC_REPLAY_AGENT, {kRecordings + "opencode-session-list.ndjson"});
  const Said opencode = run(desk, {"sessions", "--json"});
  CHECK(opencode.code == 0);
  const json::value listed = json::parse(opencode.out);
  CHECK(listed.at("sessions").as_array().size() == 57);
  CHECK(listed.at("sessions").at(1) == json::value({{"sessionId", "ses_e07ade1d3ffeAcjXSRhxJYwujm"},
                                                    {"title", "Mock title (fork #1)"},
                                                    {"usedMs", 1795167494439}}));
  use_keeper(desk, "claude-code-acp", RPC_REPLAY_AGENT,
             {kRecordings + "claude-code-acp-session-list.ndjson"});
  const Said claude = run(desk, {"sessions"});
  CHECK(claude.code == 0);
  CHECK(
      claude.out.starts_with("ID                                    LAST USED         "
                             "TITLE\n3626003a-6ee9-45bc-8469-eaa6fa677d1f  " +
                             local(1795167178) + "  TURN=a SCENARIO=hist\n97d6d0b2-"));
  use_keeper(desk, "gemini", RPC_REPLAY_AGENT, {kRecordings + "gemini-session-list.ndjson"});
  const Said gemini = run(desk, {"sessions"});
  CHECK(gemini.code == 1);
  CHECK(gemini.out.empty());
  CHECK(gemini.error ==
        "agent-doc: keeper tells no other program which sessions it keeps. With an id from its own "
        "program: " +
            kGoOn + "\n");
}

TEST_CASE(
    "sessions: nothing is left of an agent that does not want to end, nor of what it started") {
  const Desk desk;
  write_file(desk / "agent.sh",
             "trap '' INT TERM\ntail -f /dev/null & echo $! > pids; echo $$ >> pids\nread -r line; "
             "echo '" +
                 answer(1, kCanList) + "'\nread -r line; echo '" +
                 answer(2, R"({"sessions":[{"sessionId":"a"}]})") + "'\nwait\n");
  use_shell(desk, {desk / "agent.sh"});
  CHECK(run(desk, {"sessions"}).out == "ID  LAST USED  TITLE\na   ?\n");
  const std::vector<pid_t> pids = process_test::read_pids(desk / "pids");
  REQUIRE(pids.size() == 2);
  for (const pid_t pid : pids) CHECK_FALSE(process_test::is_running(pid));
}

TEST_CASE("sessions: an agent that cannot, fails, or has none is told as such") {
  const Desk desk;
  SUBCASE("nobody of that name") {
    const Said said = run(desk, {"sessions", "nobody"});
    CHECK(said.code == 5);
    CHECK(said.error ==
          "agent-doc: there is no agent called nobody: `agent-doc agents` lists all of them.\n");
  }
  SUBCASE("a dialect that has no such request is not even started") {
    use_keeper(desk, "claude", "/bin/sh", {"-c", "echo started > started"});
    const Said said = run(desk, {"sessions"});
    CHECK(said.code == 1);
    CHECK(said.error ==
          "agent-doc: keeper tells no other program which sessions it keeps. With an id from its "
          "own program: " +
              kGoOn + "\n");
    CHECK(desk.names().empty());
  }
  SUBCASE("the tour") {
    const Said said = run(desk, {"sessions", "tour"});
    CHECK(said.code == 1);
    CHECK(said.error ==
          "agent-doc: tour has no sessions but those of documents: `agent-doc log` lists them.\n");
  }
  SUBCASE("an agent whose sessions nobody can resume") {
    use_keeper(desk, "generic", "/bin/sh", {"-c", "true"});
    const Said said = run(desk, {"sessions"});
    CHECK(said.code == 1);
    CHECK(said.error == "agent-doc: keeper keeps no sessions that one could go on with.\n");
  }
  SUBCASE("a program that is not there") {
    use_keeper(desk, "opencode", "no-such-program", {});
    const Said said = run(desk, {"sessions"});
    CHECK(said.code == 5);
    CHECK(said.error ==
          "agent-doc: keeper: `no-such-program` was not found. Correct `command` in "
          "[agents.keeper] of agent-doc's config.toml.\n");
  }
  SUBCASE("one that ends") {
    use_shell(desk, {"-c", "echo no config >&2; exit 3"});
    const Said said = run(desk, {"sessions", "--json"});
    CHECK(said.code == 1);
    CHECK(said.out.empty());
    CHECK(said.error ==
          "agent-doc: keeper: The agent ended before it told its sessions (exit code 3): no "
          "config. `agent-doc doctor` shows whether it "
          "starts.\n");
  }
  SUBCASE("none in this folder") {
    use_script(desk, {answer(1, kCanList), answer(2, R"({"sessions":[]})")});
    const Said said = run(desk, {"sessions"});
    CHECK(said.code == 3);
    CHECK(said.error == "agent-doc: keeper keeps no session of the folder " + desk.docs() + "\n");
    CHECK(run(desk, {"sessions", "--json"}).code == 0);
  }
  SUBCASE("more than a list may have") {
    use_script(desk, {answer(1, kCanList),
                      answer(2, R"({"sessions":[{"sessionId":"a"}],"nextCursor":"n"})"),
                      answer(3, R"({"sessions":[{"sessionId":"a"}],"nextCursor":"n"})")});
    const Said said = run(desk, {"sessions"});
    CHECK(said.code == 0);
    CHECK(said.out == "ID  LAST USED  TITLE\na   ?\n");
    CHECK(said.error == "agent-doc: keeper has more sessions of this folder than are listed\n");
  }
}

TEST_CASE("new --resume: a document that goes on with a session") {
  const Desk desk;
  use_shell(desk, {"-c", "true"});
  const auto made = [&](const std::string& file) {
    const std::string text = read_file(desk / file);
    return text.substr(text.find('\n', 4));  // behind the identity
  };
  CHECK(
      run(desk, {"new", "a.md", "Where were we?", "--agent", "codex", "--resume", "01a1ffeb-c652"})
          .code == 0);
  CHECK(made("a.md") ==
        "\nagent: codex\nresume: 01a1ffeb-c652\n---\n\n## User\n\nWhere were we?\n");
  CHECK(run(desk, {"new", "b.md", "--resume", "12345"}).code == 0);
  CHECK(made("b.md") == "\nagent: keeper\nresume: \"12345\"\n---\n\n## User\n\n");
  const Said bad = run(desk, {"new", "c.md", "--resume", "a b"});
  CHECK(bad.code == 2);
  CHECK(bad.error ==
        "agent-doc: what stands behind --resume is no session's id: it may have letters, digits "
        "and -_.:/+=@~ in it. `agent-doc sessions "
        "keeper` "
        "lists them.\n");
  CHECK(run(desk, {"new", "c.md", "--agent", "tour", "--resume", "a b"}).error ==
        "agent-doc: what stands behind --resume is no session's id: it may have letters, digits "
        "and -_.:/+=@~ in it.\n");
  use_keeper(desk, "generic", "/bin/sh", {"-c", "true"});
  const Said never = run(desk, {"new", "c.md", "--resume", "a"});
  CHECK(never.code == 2);
  CHECK(never.error ==
        "agent-doc: keeper cannot go on with an earlier session. Leave --resume out.\n");
  CHECK_FALSE(std::filesystem::exists(desk / "c.md"));
}

TEST_CASE("a session is closed when its agent is ended, once, and before its standard input") {
  const Desk desk;
  const std::string thinks =
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1",)"
      R"("update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}}})";
  const std::vector<std::string> answers = {
      answer(1, kCanList), answer(2, "{}"),
      thinks + "\n" + answer(3, R"({"stopReason":"end_turn"})")};
  use_script(desk, answers, desk / "log");
  CHECK(run(desk, {"new", "a.md", "Hi.", "--resume", "s-1", "--run"}).code == 0);
  const std::string log = read_file(desk / "log");
  CHECK(log.find(R"("method":"session/resume")") != std::string::npos);
  CHECK(
      log.ends_with("\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/"
                    "close\",\"params\":{\"sessionId\":\"s-1\"}}\nend\n"));
}

}  // namespace agent_doc::e2e
