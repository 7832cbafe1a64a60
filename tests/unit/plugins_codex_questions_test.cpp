// What it is: the dialect codex, line by line: its questions and other requests.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/codex/codex_questions.hpp"

#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::codex_test {

TEST_CASE("codex: questions are asked at once, and answered in any order as the agent wants it") {
  AppServer host;
  host.begin_answer();
  static_cast<void>(
      host.notify("item/started",
                  R"("item":{"type":"fileChange","id":"f","changes":[{"path":"/srv/proj/a"}]})"));
  CHECK(
      host.line(
          R"({"id":0,"method":"item/fileChange/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"f","reason":"why"}})") ==
      Told{"asked 0 edit '' {/srv/proj/a: } {its reason: why} [accept: Allow once] "
           "[acceptForSession: Allow for this session] [decline: "
           "Deny]"});
  CHECK(
      host.line(
          R"({"id":1,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","command":"make",)"
          R"("availableDecisions":["accept","acceptForSession",{"brandNew":{}},"cancel"]}})") ==
      Told{"asked 1 command 'make' [accept: Allow once] [acceptForSession: Allow for this session] "
           "[decline: Deny]"});
  CHECK(
      host.line(
          R"({"id":2,"method":"item/permissions/requestApproval","params":{"threadId":"T","turnId":"t1","reason":null,)"
          R"("permissions":{"network":{"enabled":true},"fileSystem":null}}})") ==
      Told{
          R"(asked 2 more permissions '{"network":{"enabled":true}}' [turn: Allow for this turn] [session: Allow for this session, wider] [decline: Deny])"});
  host.answer("3", "accept");
  CHECK(host.written().empty());
  host.answer("0", "acceptForSession");
  CHECK(host.written() == Told{R"({"id":0,"result":{"decision":"acceptForSession"}})"});
  CHECK(host.events().empty());
  CHECK(
      host.line(R"({"method":"serverRequest/resolved","params":{"threadId":"T","requestId":1}})") ==
      Told{"withdrawn 1"});
  host.answer("1", "accept");
  CHECK(host.written().empty());
  host.answer("2", "turn");
  CHECK(host.written() ==
        Told{R"({"id":2,"result":{"permissions":{"network":{"enabled":true}},"scope":"turn"}})"});
}

TEST_CASE("codex: the call of a tool of an MCP server is a question, too") {
  const std::string asked =
      R"({"id":0,"method":"mcpServer/elicitation/request","params":{"threadId":"T","turnId":"t1","serverName":"echo","mode":"form",)"
      R"("_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"],"tool_name":"say",)"
      R"("tool_params":{"text":"hi"}},"message":"Allow?","requestedSchema":{"type":"object","properties":{}}}})";
  struct Case {
    std::string option;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"accept", R"({"action":"accept","content":{},"_meta":null})"},
      {"session", R"({"action":"accept","content":{},"_meta":{"persist":"session"}})"},
      {"decline", R"({"action":"decline","content":null,"_meta":null})"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.option);
    AppServer host;
    host.begin_answer();
    CHECK(
        host.line(asked) ==
        Told{
            R"(asked 0 echo.say '' {text: hi} [accept: Allow once] [session: Allow for this session] [decline: Deny])"});
    host.answer("0", test.option);
    CHECK(host.written() == Told{R"({"id":0,"result":)" + test.result + "}"});
  }
}

TEST_CASE("codex: what was not offered is denied") {
  for (const char* option : {"", "acceptForSession", "cancel", "nonsense"}) {
    CAPTURE(option);
    AppServer host;
    host.begin_answer();
    static_cast<void>(host.line(
        R"({"id":7,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","command":"x","availableDecisions":["accept"]}})"));
    host.answer("7", option);
    CHECK(host.written() == Told{R"({"id":7,"result":{"decision":"decline"}})"});
  }
}

TEST_CASE("codex: questions without end are denied from the hundredth on") {
  AppServer host;
  host.begin_answer();
  for (std::size_t id = 0; id < kMaxCodexQuestions; ++id) {
    static_cast<void>(host.line(R"({"id":)" + std::to_string(id) +
                                R"(,"method":"item/fileChange/requestApproval","params":{}})"));
  }
  CHECK(host.written().empty());
  CHECK(host.line(R"({"id":100,"method":"item/fileChange/requestApproval","params":{}})").empty());
  CHECK(host.written() == Told{R"({"id":100,"result":{"decision":"decline"}})"});
}

TEST_CASE("codex: requests that we do not know are refused") {
  AppServer host;
  host.begin_answer();
  CHECK(
      host.line(
          R"({"id":"x","method":"mcpServer/elicitation/request","params":{"threadId":"T","_meta":null}})") ==
      Told{"unrecognised mcpServer/elicitation/request"});
  CHECK(
      host.written() ==
      Told{
          R"({"id":"x","error":{"code":-32601,"message":"agent-doc does not know the method \"mcpServer/elicitation/request\""}})"});
}

}  // namespace agent_doc::plugins::codex_test
