// What it is: the claude dialect, frame by frame: what it launches, writes and makes of single
// lines.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/claude/claude.hpp"
#include "plugins/rate_limit.hpp"

#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::plugins {
namespace claude_test {

namespace json = boost::json;

using tests::Told;

class Host : public tests::ProtocolHost {
 public:
  explicit Host(const AgentSpec& spec = {"claude", "claude", "claude", {}, {}})
      : ProtocolHost(make_claude(spec)) {}

  /// A turn that already has its first line.
  void begin_answer() {
    begin();
    line(R"({"type":"system","subtype":"init","session_id":"s","model":"m","cwd":"/"})");
  }
};

constexpr std::string_view kSuccess =
    R"({"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","stop_reason":"end_turn","result":"Hi.","usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4},"total_cost_usd":0.0001})";

std::string question(const std::string& id, const std::string& more) {
  return R"({"type":"control_request","request_id":")" + id +
         R"(","request":{"subtype":"can_use_tool","tool_name":"Bash",)" + more + "}}";
}

bool contains(const std::vector<std::string>& args, std::string_view arg) {
  return std::find(args.begin(), args.end(), arg) != args.end();
}

TEST_CASE("the command line of claude") {
  const AgentSpec spec{"mine", "claude", "/opt/claude", {"--verbose-too"}, {{"KEY", "value"}}};
  const Launch launch = make_claude(spec)->launch({SessionStart::New, "", "", "/srv/proj"});
  CHECK(launch.command == "/opt/claude");
  CHECK(launch.cwd == "/srv/proj");
  CHECK(launch.env == spec.env);
  CHECK(launch.lifetime == ProcessLifetime::Session);
  const std::vector<std::string> start(launch.args.begin(), launch.args.begin() + 11);
  CHECK(start == std::vector<std::string>{"--verbose-too", "-p", "--input-format", "stream-json",
                                          "--output-format", "stream-json", "--verbose",
                                          "--include-partial-messages", "--permission-prompt-tool",
                                          "stdio", "--append-system-prompt"});
  CHECK(launch.args.size() == 12);

  const auto rest = [&spec](const LaunchRequest& request) {
    const std::vector<std::string> args = make_claude(spec)->launch(request).args;
    return std::vector<std::string>(args.begin() + 12, args.end());
  };
  CHECK(rest({SessionStart::Resume, "id-1", "opus", "/"}) ==
        std::vector<std::string>{"--model", "opus", "--resume", "id-1"});
  CHECK(rest({SessionStart::Fork, "id-1", "", "/"}) ==
        std::vector<std::string>{"--resume", "id-1", "--fork-session"});
  const auto mode = [&rest](PermissionPolicy policy) {
    return rest({SessionStart::New, "", "", "/", policy});
  };
  CHECK(mode(PermissionPolicy::Ask).empty());
  CHECK(mode(PermissionPolicy::Deny).empty());
  CHECK(mode(PermissionPolicy::AcceptEdits) ==
        std::vector<std::string>{"--permission-mode", "acceptEdits"});
  CHECK(mode(PermissionPolicy::Plan) == std::vector<std::string>{"--permission-mode", "plan"});
}

TEST_CASE("a value of a document that looks like an option never becomes one") {
  const Launch launch =
      Host().protocol->launch({SessionStart::Resume, "--dangerously-skip-permissions", "-x", "/"});
  CHECK(contains(launch.args, "--resume=--dangerously-skip-permissions"));
  CHECK(contains(launch.args, "--model=-x"));
  CHECK_FALSE(contains(launch.args, "--dangerously-skip-permissions"));
}

TEST_CASE("a turn is one user line") {
  Host host;
  host.protocol->begin_turn({"say \"hi\"\n\u6f22"}, host);
  CHECK(
      host.written() ==
      Told{
          R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"say \"hi\"\n)"
          "\u6f22"
          R"("}]}})"});
}

TEST_CASE("stream events become events") {
  Host host;
  host.begin_answer();
  const auto stream = [&host](const std::string& event, const std::string& more = "") {
    return host.line(R"({"event":)" + event + more + R"(,"type":"stream_event"})");
  };
  CHECK(
      stream(
          R"({"type":"message_start","message":{"id":"m1","content":[{"type":"text","text":"pre"}]}})") ==
      Told{"message m1", "snapshot m1#0 'pre'"});
  CHECK(
      stream(
          R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":"p"}})") ==
      Told{"block m1#1 text", "snapshot m1#1 'p'"});
  CHECK(
      stream(
          R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}})") ==
      Told{"text m1#1 'a'"});
  CHECK(stream(R"({"type":"content_block_stop","index":1})") == Told{"end m1#1"});
  CHECK(
      stream(
          R"({"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":""}})") ==
      Told{"block m1#2 thinking"});
  CHECK(
      stream(
          R"({"type":"content_block_delta","index":2,"delta":{"type":"thinking_delta","thinking":"hm"}})") ==
      Told{"thinking m1#2 'hm'"});
  CHECK(
      stream(
          R"({"type":"content_block_delta","index":2,"delta":{"type":"signature_delta","signature":"x"}})")
          .empty());
  CHECK(
      stream(
          R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"Bash","input":{}}})") ==
      Told{"block m1#3 tool", "tool t1 Bash ''"});
  CHECK(
      stream(
          R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}})") ==
      Told{"input m1#3 ''"});
  CHECK(stream(R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})").empty());
  CHECK(stream(R"({"type":"message_stop"})", R"(,"abandoned_blocks":{"from_block_index":2})") ==
        Told{"message end m1 tool_use from 2"});
  CHECK(stream(R"({"type":"ping"})").empty());
  CHECK(stream(R"({"type":"content_block_delta","index":-1,"delta":{}})") ==
        Told{"unrecognised stream_event/content_block_delta"});
  CHECK(stream(R"({"type":"content_block_stop","index":9223372036854775807})") ==
        Told{"unrecognised stream_event/content_block_stop"});
  CHECK(stream(R"({"type":"content_block_start","index":4,"content_block":{"type":"image"}})") ==
        Told{"unrecognised content_block_start/image"});
  CHECK(host.line(R"({"type":"stream_event"})") == Told{"unrecognised stream_event/"});
}

TEST_CASE("assistant lines: one block each or several, sub-agents in their lane, a tool once") {
  Host host;
  host.begin_answer();
  CHECK(
      host.line(
          R"({"type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm"}]}})") ==
      Told{"thought m1#-1 'hm'"});
  CHECK(
      host.line(
          R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"Bash","input":{"description":"d","command":"ls"}}]}})") ==
      Told{"snapshot m1#-1 'a'", "tool t1 Bash 'ls'"});
  CHECK(
      host.line(
              R"({"type":"assistant","message":{"id":"other","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}})")
          .empty());
  CHECK(
      host.line(
          R"({"type":"assistant","message":{"id":"other","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}})") ==
      Told{"snapshot m1#-1 'a'"});
  CHECK(
      host.line(
          R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}})") ==
      Told{"tool end t1 error"});
  CHECK(host.line(R"({"type":"user","message":{"content":"plain"}})").empty());
  CHECK(
      host.line(
          R"({"type":"assistant","parent_tool_use_id":"t1","message":{"id":"s","content":[{"type":"text","text":"sub"}]}})") ==
      Told{"snapshot t1/s#-1 'sub'"});
  CHECK(host.line(R"({"type":"assistant","message":{"id":"m1","content":[{"type":"image"}]}})") ==
        Told{"unrecognised assistant/image"});
  CHECK(host.line(R"({"type":"assistant"})") == Told{"unrecognised assistant/"});
}

TEST_CASE("a message that is still open when another comes was given up") {
  Host host;
  host.begin_answer();
  host.line(R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}}})");
  host.line(
      R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"whole"}]}})");
  CHECK(
      host.line(
              R"({"type":"assistant","parent_tool_use_id":"t","message":{"id":"s","content":[{"type":"text","text":"sub"}]}})")
          .size() == 1);
  CHECK(
      host.line(
          R"({"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"again"}]}})") ==
      Told{"message end m1  from 1", "snapshot m2#-1 'again'"});
}

TEST_CASE(
    "permission: questions are asked at once, and answered in any order with the original input") {
  Host host;
  host.begin_answer();
  CHECK(
      host.line(question(
          "q1",
          R"("input":{"command":"rm -r x","n":1},"permission_suggestions":[{"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"rm:*"}],"destination":"session"}])")) ==
      Told{"asked q1 Bash 'rm -r x' {n: 1} [allow: Allow once] [allow_always: Always allow "
           "Bash(rm:*)] [deny: Deny]"});
  CHECK(
      host.line(question(
          "q2",
          R"("input":{"file_path":"/a"},"permission_suggestions":[{"type":"setMode","mode":"acceptEdits"}])")) ==
      Told{"asked q2 Bash '/a' [allow: Allow once] [allow_wider: Allow, and all edits from now on "
           "(mode acceptEdits), wider] [deny: Deny]"});
  CHECK(host.line(question("q3", R"("input":{})")) ==
        Told{"asked q3 Bash '' [allow: Allow once] [deny: Deny]"});
  host.protocol->answer("q4", "allow", host);
  CHECK(host.written().empty());

  host.protocol->answer("q1", "allow_always", host);
  CHECK(
      host.written() ==
      Told{
          R"({"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"behavior":"allow","updatedInput":{"command":"rm -r x","n":1},"updatedPermissions":[{"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"rm:*"}],"destination":"session"}]}}})"});
  CHECK(host.events().empty());
  host.protocol->answer("q1", "allow", host);
  CHECK(host.written().empty());

  host.protocol->answer("q2", "allow", host);
  CHECK(
      host.written() ==
      Told{
          R"({"type":"control_response","response":{"subtype":"success","request_id":"q2","response":{"behavior":"allow","updatedInput":{"file_path":"/a"}}}})"});
  CHECK(host.events().empty());
  host.protocol->answer("q3", "something else", host);
  CHECK(host.written().front().find(R"("behavior":"deny")") != std::string::npos);
}

TEST_CASE("permission: denied, closed, withdrawn, cancelled, and nobody there") {
  Host host;
  host.begin_answer();
  host.line(question("q1", R"("input":{})"));
  host.protocol->answer("q1", "deny", host);
  CHECK(
      host.written() ==
      Told{
          R"({"type":"control_response","response":{"subtype":"success","request_id":"q1","response":{"behavior":"deny","message":"The person denied this."}}})"});
  host.line(question("q2", R"("input":{})"));
  host.protocol->answer("q2", "", host);
  CHECK(host.written().front().find("cancelled by the person") != std::string::npos);

  host.line(question("q3", R"("input":{})"));
  host.line(question("q4", R"("input":{})"));
  CHECK(host.line(R"({"type":"control_cancel_request","request_id":"q4"})") ==
        Told{"withdrawn q4"});
  CHECK(host.line(R"({"type":"control_cancel_request","request_id":"q3"})") ==
        Told{"withdrawn q3"});
  CHECK(host.line(R"({"type":"control_cancel_request","request_id":"q3"})").empty());

  host.line(question("q5", R"("input":{})"));
  host.line(question("q5b", R"("input":{})"));
  host.protocol->cancel(host);
  CHECK(host.events() ==
        Told{"withdrawn q5b", "withdrawn q5"});  // so that nobody is shown q5b in between
  const Told written = host.written();
  REQUIRE(written.size() == 3);
  CHECK(written[0].find(R"("request_id":"q5","response":{"behavior":"deny")") != std::string::npos);
  CHECK(written[1].find(R"("request_id":"q5b","response":{"behavior":"deny")") !=
        std::string::npos);
  CHECK(
      written[2] ==
      R"({"type":"control_request","request_id":"interrupt-1","request":{"subtype":"interrupt"}})");
  CHECK(host.line(question("q6", R"("input":{})")).empty());
  CHECK(host.written().front().find(R"("behavior":"deny")") != std::string::npos);
  host.line(
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"})");

  CHECK(host.line(question("q7", R"("input":{})")).empty());
  CHECK(host.written().front().find("there is nobody to ask") != std::string::npos);
}

TEST_CASE("questions with choices are asked in the reply, and a plan stays a plan") {
  const auto asked = [](PermissionPolicy policy, const std::string& tool) {
    Host host;
    host.protocol->launch({SessionStart::New, "", "", "/", policy});
    host.begin_answer();
    const std::string line =
        R"({"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":")" +
        tool + R"(","input":{}}})";
    const Told events = host.line(line);
    return events.empty() ? host.written().back() : events.front();
  };
  CHECK(
      asked(PermissionPolicy::Ask, "AskUserQuestion") ==
      R"({"type":"control_response","response":{"subtype":"success","request_id":"q","response":{"behavior":"deny","message":"There is no dialog for questions here: the person reads and answers in the document. Ask in your reply, and end your turn."}}})");
  CHECK(asked(PermissionPolicy::Plan, "ExitPlanMode").find("allows plans only") !=
        std::string::npos);
  CHECK(asked(PermissionPolicy::Ask, "ExitPlanMode").starts_with("asked q ExitPlanMode"));
}

TEST_CASE("no request of the agent is left without an answer") {
  Host host;
  CHECK(
      host.line(
          R"({"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback"}})") ==
      Told{"unrecognised control_request/hook_callback"});
  CHECK(
      host.written() ==
      Told{
          R"({"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"agent-doc does not know the request \"hook_callback\""}})"});
}

TEST_CASE("cancel asks with a new id each time, and any end of the turn is then cancelled") {
  for (
      const std::string_view result :
      {std::string_view(
           R"({"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"})"),
       kSuccess}) {
    Host host;
    host.protocol->cancel(host);
    CHECK(host.written().empty());
    host.begin_answer();
    host.protocol->cancel(host);
    host.protocol->cancel(host);
    const Told written = host.written();
    REQUIRE(written.size() == 2);
    CHECK(written[0] != written[1]);
    CHECK(host.line(result).back() == "cancelled ''");
    CHECK(host.exit({0, 0, ""}).empty());
  }
}

TEST_CASE("results end the turn once; others are statistics") {
  Host host;
  CHECK(host.line(kSuccess) == Told{"usage 1 2 3 4 100"});
  host.begin_answer();
  CHECK(host.line(kSuccess) == Told{"usage 1 2 3 4 0", "done 'Hi.'"});
  CHECK(host.line(kSuccess) == Told{"usage 1 2 3 4 0"});
  host.begin();
  CHECK(
      host.line(
          R"({"type":"result","subtype":"success","result":"old","origin":{"kind":"task-notification"}})") ==
      Told{"usage 0 0 0 0 0"});
  CHECK(
      host.line(
              R"({"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"})")
          .size() == 1);
  CHECK(
      host.line(
          R"({"type":"result","subtype":"success","result":"new","model_usage_since_last_result":{"a":{"inputTokens":1,"outputTokens":2,"costUSD":0.25},"b":{"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"costUSD":0.5}}})") ==
      Told{"usage 1 2 3 4 750000", "done 'new'"});
}

TEST_CASE("a turn goes on while its sub-agents work in the background") {
  Host host;
  host.begin_answer();
  CHECK(
      host.line(
          R"({"type":"system","subtype":"task_started","task_id":"a","description":"look","task_type":"local_agent","is_backgrounded":true})") ==
      Told{"notice 'sub-agent: look'"});
  host.line(
      R"({"type":"system","subtype":"task_started","task_id":"b","task_type":"local_agent","is_backgrounded":true})");
  host.line(
      R"({"type":"system","subtype":"task_started","task_id":"c","task_type":"local_agent"})");
  host.line(
      R"({"type":"system","subtype":"task_started","task_id":"d","task_type":"local_bash","is_backgrounded":true})");
  CHECK(host.line(kSuccess).back() == "notice 'waiting for 2 sub-agents'");
  host.line(
      R"({"type":"system","subtype":"task_updated","task_id":"a","patch":{"status":"running"}})");
  host.line(
      R"({"type":"system","subtype":"task_updated","task_id":"a","patch":{"status":"completed"}})");
  CHECK(host.line(kSuccess).back() == "notice 'waiting for 1 sub-agent'");
  host.line(
      R"({"type":"system","subtype":"task_notification","task_id":"b","status":"completed"})");
  CHECK(host.line(kSuccess).back() == "done 'Hi.'");

  host.begin_answer();
  host.line(
      R"({"type":"system","subtype":"task_started","task_id":"e","task_type":"local_agent","is_backgrounded":true})");
  host.line(kSuccess);
  CHECK(host.exit({0, 0, ""}) == Told{"done 'Hi.'"});

  host.begin_answer();
  host.line(
      R"({"type":"system","subtype":"task_started","task_id":"f","task_type":"local_agent","is_backgrounded":true})");
  host.line(R"({"type":"system","subtype":"background_tasks_changed","tasks":[]})");
  CHECK(host.line(kSuccess).back() == "done 'Hi.'");
}

TEST_CASE("failures have a kind and tell what to do") {
  struct Case {
    std::string error;  ///< fields of the assistant line
    std::string text;
    FailureKind kind;
    std::string advice;
  };
  const std::vector<Case> cases = {
      {R"("api_error_status":401)", "Invalid API key", FailureKind::Auth, "log in with /login"},
      {R"("api_error_status":403)", "Forbidden", FailureKind::Auth, "log in"},
      {R"("error":"authentication_failed")", "x", FailureKind::Auth, "log in"},
      {"", "Invalid API key · Please run /login", FailureKind::Auth, "log in"},
      {R"("api_error_status":429)", "API Error: 429", FailureKind::RateLimit, "Wait a while"},
      {R"("api_error_status":529)", "Overloaded", FailureKind::RateLimit, "Wait a while"},
      {R"("api_error_status":400)", "API Error: 400", FailureKind::Invalid, "Check the model"},
      {R"("api_error_status":404,"error":"unknown")", "model: nope", FailureKind::Invalid,
       "Check the model"},
      {R"("api_error_status":503)", "API Error: 503", FailureKind::RateLimit, "Wait a while"},
      {"", "API Error: Connection error.", FailureKind::Network, "Check the connection"},
      {R"("error":"max_output_tokens")", "API Error: exceeded the 32000 output token maximum",
       FailureKind::MaxTokens, "shorter answer"},
      {R"("error":null)", "API Error: violates our Usage Policy", FailureKind::Refused,
       "Change the prompt"},
      {"", "something new", FailureKind::Unknown, "Run again"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Host host;
    host.begin_answer();
    const std::string more = c.error.empty() ? "" : "," + c.error;
    CHECK(
        host.line(
                R"({"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":")" +
                c.text + R"("}]},"is_api_error_message":true)" + more + "}")
            .empty());
    const Told ended = host.line(
        R"({"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"same"})");
    REQUIRE(ended.size() == 3);
    CHECK(ended[1].starts_with("failure " + std::to_string(static_cast<int>(c.kind)) +
                               " claude: " + c.text));
    CHECK(ended[1].find(c.advice) != std::string::npos);
    CHECK(ended[2] == "failed ''");
  }
}

TEST_CASE("an error message that the agent got over is no failure, nor part of the reply") {
  Host host;
  host.begin_answer();
  CHECK(
      host.line(
              R"({"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]},"is_api_error_message":true})")
          .empty());
  CHECK(host.line(kSuccess).back() == "done 'Hi.'");
}

TEST_CASE("refusals, limits and errors in the result itself") {
  struct Case {
    std::string result;
    FailureKind kind;
    std::string text;
  };
  const std::vector<Case> cases = {
      {R"("subtype":"success","stop_reason":"refusal")", FailureKind::Refused, "The model refused"},
      {R"("subtype":"success","stop_reason":"max_tokens")", FailureKind::MaxTokens,
       "limit of its length"},
      {R"("subtype":"error_max_turns","is_error":false)", FailureKind::Unknown, "limit of rounds"},
      {R"("subtype":"error_max_budget_usd","is_error":true)", FailureKind::Unknown,
       "limit of costs"},
      {R"("subtype":"error_during_execution","is_error":true,"errors":["it broke"])",
       FailureKind::Unknown, "it broke"},
      {R"("subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: s"])",
       FailureKind::SessionUnknown, "found with session ID: s."},
      {R"("subtype":"success","is_error":true,"api_error_status":529,"result":"busy")",
       FailureKind::RateLimit, "busy"},
      {R"("subtype":"other","is_error":true)", FailureKind::Unknown, "(other)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.result);
    Host host;
    host.begin_answer();
    const Told ended = host.line(R"({"type":"result",)" + c.result + "}");
    REQUIRE(ended.size() == 3);
    CHECK(ended[1].starts_with("failure " + std::to_string(static_cast<int>(c.kind))));
    CHECK(ended[1].find(c.text) != std::string::npos);
    CHECK(ended[2] == "failed ''");
  }
}

TEST_CASE("the end of the process ends a running turn, with the last lines of standard error") {
  struct Case {
    ExitStatus status;
    FailureKind kind;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{1, 0, "warning\n\nError: --verbose is needed\n"},
       FailureKind::Crashed,
       "(exit code 1): warning\nError: --verbose is needed. `agent-doc doctor`"},
      {{0, 0, ""}, FailureKind::Crashed, "(exit code 0). `agent-doc doctor`"},
      {{0, 9, ""}, FailureKind::Crashed, "(signal 9)."},
      {{1, 0, "No conversation found with session ID: s"},
       FailureKind::SessionUnknown,
       "session ID: s."},
      {{1, 0, "Invalid API key · Please run /login"}, FailureKind::Auth, "log in"},
      {{1, 0, "1\n2\n3\n4\n5\n6\n"}, FailureKind::Crashed, ": 2\n3\n4\n5\n6."},
      {{1, 0, std::string(5000, 'x')}, FailureKind::Crashed, ": \u2026xxx"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.status.stderr_tail);
    Host host;
    host.begin_answer();
    const Told ended = host.exit(c.status);
    REQUIRE(ended.size() == 2);
    CHECK(ended[0].starts_with("failure " + std::to_string(static_cast<int>(c.kind)) +
                               " claude: The agent ended before the turn did"));
    CHECK(ended[0].find(c.text) != std::string::npos);
    CHECK(ended[1] == "failed ''");
    CHECK(host.exit(c.status).empty());
  }
}

TEST_CASE("notices replace the status") {
  Host host;
  host.begin_answer();
  CHECK(
      host.line(
          R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"error_status":429})") ==
      Told{"notice 'retrying (1/2): rate limit (429)'"});
  CHECK(
      host.line(
          R"({"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"error_status":null})") ==
      Told{"notice 'retrying (2/10): connection lost'"});
  CHECK(host.line(R"({"type":"system","subtype":"status","status":"compacting"})") ==
        Told{"notice 'shortening the session's history'"});
  CHECK(host.line(R"({"type":"system","subtype":"status","status":null})").empty());
  CHECK(host.line(R"({"type":"system","subtype":"thinking_tokens","estimated_tokens":12})") ==
        Told{"notice 'thinking (about 12 tokens)'"});
  CHECK(host.line(R"({"type":"system","subtype":"permission_denied","message":"Not here."})") ==
        Told{"notice 'denied: Not here.'"});
  CHECK(host.line(R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}})").empty());
  CHECK(
      host.line(
          R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795181100}})") ==
      Told{"notice 'rate limit reached, it ends at 2026-11-20 13:25 UTC'"});
  CHECK(host.line(R"({"type":"rate_limit_event"})") == Told{"unrecognised rate_limit_event"});
  CHECK(host.line(R"({"type":"system","subtype":"new"})") == Told{"unrecognised system/new"});
  CHECK(host.line(R"({"type":"keep_alive"})") == Told{"unrecognised keep_alive"});
  CHECK(host.line("{}") == Told{"unrecognised (no type)"});
  CHECK(host.line("oops") == Told{"malformed oops"});
}

TEST_CASE("the registry knows its dialects; the tour is the last and always there") {
  CHECK(dialects().back().name == "tour");
  CHECK(find_dialect("claude")->command == "claude");
  CHECK(find_dialect("nobody") == nullptr);
  const std::vector<AgentSpec> agents = built_in_agents("/opt/agent-doc");
  const auto with_program =
      std::count_if(dialects().begin(), dialects().end(),
                    [](const Dialect& dialect) { return !dialect.command.empty(); });
  REQUIRE(static_cast<std::ptrdiff_t>(agents.size()) == with_program);
  CHECK(agents.front().name == "claude");
  CHECK(agents.back().command == "/opt/agent-doc");
  const std::unique_ptr<AgentProtocol> tour = make_protocol(agents.back());
  REQUIRE(tour != nullptr);
  CHECK(tour->launch({}).args.front() == "tour-agent");
  CHECK(make_protocol({"x", "nobody", "x", {}, {}}) == nullptr);
}

TEST_CASE("a limit in words: when it ends, if that can be") {
  CHECK(limit_in_words(LimitState::Close, 1795181100) ==
        "close to the rate limit, it ends at 2026-11-20 13:25 UTC");
  CHECK(limit_in_words(LimitState::Reached, 951827696) ==
        "rate limit reached, it ends at 2000-02-29 12:34 UTC");
  for (const std::int64_t none : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1795181100000}})
    CHECK(limit_in_words(LimitState::Reached, none) == "rate limit reached");

  CHECK(with_limit_in_words("usage limit reached|1795181100") ==
        "usage limit reached, it ends at 2026-11-20 13:25 UTC");
  CHECK(with_limit_in_words("API Error: usage limit reached|1795181100 (x)") ==
        "API Error: usage limit reached, it ends at 2026-11-20 13:25 UTC (x)");
  for (const std::string_view same : {"usage limit reached|soon", "usage limit reached|",
                                      "usage limit reached|99999999999999999999", "limit reached"})
    CHECK(with_limit_in_words(same) == same);
}

}  // namespace claude_test
}  // namespace agent_doc::plugins
