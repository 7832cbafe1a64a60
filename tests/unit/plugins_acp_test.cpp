// What it is: the Agent Client Protocol, message by message: the handshake, sessions, settings, updates, questions, files and failures, with what no agent was
// recorded to say.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "plugins/acp.hpp"

#include "plugins/acp_login.hpp"
#include "plugins/failure.hpp"
#include "plugins/system_note.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {
namespace {

namespace json = boost::json;

using tests::Told;

constexpr std::string_view kAll =
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{},"resume":{}}}})";
constexpr std::string_view kLoadOnly = R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})";
constexpr std::string_view kNothing = R"({"protocolVersion":1})";

AgentSpec spec_of(const std::string& dialect) {
  return {"agent", dialect, "agent", {}, {}};
}

class Host : public tests::ProtocolHost {
 public:
  explicit Host(const LaunchRequest& request = new_session(), const std::string& dialect = "acp")
      : ProtocolHost(make_acp(spec_of(dialect))) {
    launch = protocol->launch(request);
  }

  static LaunchRequest new_session() {
    LaunchRequest request;
    request.cwd = "/w";
    return request;
  }
  static LaunchRequest old_session(SessionStart start) {
    LaunchRequest request = new_session();
    request.start = start;
    request.session_id = "old";
    return request;
  }

  Told answer(int id, std::string_view result) {
    return line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + std::string(result) + "}");
  }
  Told refuse(int id, int code, const std::string& message, const std::string& more = {}) {
    return line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":")" +
                message + R"(")" + more + "}}");
  }
  Told update(const std::string& update) {
    return line(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)" + update + "}}");
  }
  Told text(const std::string& text, const std::string& more = {}) {
    return update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" + text + R"("})" + more + "}");
  }
  /// A turn whose prompt was sent, as request 3.
  void begin_answer(std::string_view session = R"({"sessionId":"s"})") {
    begin();
    answer(1, kAll);
    answer(2, session);
    written();
    events();
  }
  Told end(std::string_view stop_reason) { return answer(3, R"({"stopReason":")" + std::string(stop_reason) + R"("})"); }

  Launch launch;
};

/// How a failed turn is told.
Told failed(FailureKind kind, std::string_view text) {
  return {"failure " + std::to_string(static_cast<int>(kind)) + " " + describe_failure(kind, text, spec_of("acp")).message, "failed ''"};
}

std::string request(int id, std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) + R"(","params":)" +
         std::string(params) + "}";
}

std::string prompt_request(int id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":")" + std::string(text) + R"("}]}})";
}

std::string first_prompt_request(int id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":)" +
         json::serialize(json::string(kSystemNote)) + R"(},{"type":"text","text":")" + std::string(text) + R"("}]}})";
}

std::string barrier_request(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"_agent-doc/barrier","params":{}})";
}

const std::string kQuestion =
    R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t1","title":"Write out.txt","kind":"edit","locations":[{"path":"/w/out.txt"}]},"options":[{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"b","name":"Always","kind":"allow_always"},{"optionId":"c","name":"No","kind":"reject_once"}]}})";

}  // namespace

TEST_CASE("ACP: how each preset is started") {
  const auto launch_of = [](const AgentSpec& spec) { return make_protocol(spec)->launch(Host::new_session()); };
  CHECK(launch_of({"gemini", "gemini", "gemini", {"--skip-trust"}, {}}).args == std::vector<std::string>{"--skip-trust", "--acp"});
  CHECK(launch_of({"opencode", "opencode", "opencode", {}, {}}).args == std::vector<std::string>{"acp"});
  CHECK(launch_of({"claude-code-acp", "claude-code-acp", "claude-code-acp", {}, {}}).args.empty());
  const AgentSpec own{"mine", "acp", "/opt/mine", {"serve", "--acp"}, {{"KEY", "value"}}};
  const Launch launch = launch_of(own);
  CHECK(launch.command == "/opt/mine");
  CHECK(launch.args == own.args);
  CHECK(launch.env == own.env);
  CHECK(launch.cwd == "/w");
  CHECK(launch.lifetime == ProcessLifetime::Session);
}

TEST_CASE("ACP: which agents are never asked for a fork") {
  CHECK_FALSE(make_acp(spec_of("gemini"))->session_support().fork);
  for (const char* dialect : {"opencode", "claude-code-acp", "acp"}) {
    CHECK(make_acp(spec_of(dialect))->session_support().fork);
    CHECK(make_acp(spec_of(dialect))->session_support().resume);
  }
}

TEST_CASE("ACP: the handshake, and a prompt that waits for it") {
  Host host;
  host.protocol->begin_turn({"one"}, host);
  const Told first = host.written();
  REQUIRE(first.size() == 1);
  const json::object initialize = json::parse(first.front()).as_object();
  CHECK(initialize.at("method") == "initialize");
  CHECK(initialize.at("params").at("protocolVersion") == 1);
  CHECK(json::serialize(initialize.at("params").at("clientCapabilities")) ==
        R"({"terminal":false,"auth":{"terminal":true},"fs":{"readTextFile":true,"writeTextFile":true}})");
  CHECK(host.answer(1, kNothing).empty());
  CHECK(host.written() == Told{request(2, "session/new", R"({"cwd":"/w","mcpServers":[]})")});
  CHECK(host.answer(2, R"({"sessionId":"s","models":{"currentModelId":"m"}})") == Told{"session s m"});
  CHECK(host.written() == Told{first_prompt_request(3, "one")});
  CHECK(host.text("Hi.") == Told{"message 1", "block 1#0 text", "text 1#0 'Hi.'"});
  CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "message end 1 ", "done ''"});
  host.protocol->begin_turn({"two"}, host);
  CHECK(host.written() == Told{prompt_request(4, "two")});
}

TEST_CASE("ACP: claude-code-acp is told by its system prompt") {
  Host host(Host::new_session(), "claude-code-acp");
  host.begin();
  host.answer(1, kNothing);
  CHECK(host.written() == Told{request(2, "session/new",
                                       R"({"cwd":"/w","mcpServers":[],"_meta":{"systemPrompt":{"append":)" +
                                           json::serialize(json::string(kSystemNote)) + "}}}")});
  host.answer(2, R"({"sessionId":"s"})");
  CHECK(host.written() == Told{prompt_request(3, "prompt")});
}

TEST_CASE("ACP: stopped before the prompt was sent, the turn ends at once and the next one uses the session") {
  Host host;
  host.protocol->begin_turn({"one"}, host);
  host.protocol->cancel(host);
  CHECK(host.events() == Told{"cancelled ''"});
  host.written();
  CHECK(host.answer(1, kNothing).empty());
  host.protocol->begin_turn({"two"}, host);
  host.written();
  CHECK(host.answer(2, R"({"sessionId":"s"})") == Told{"session s "});
  CHECK(host.written() == Told{first_prompt_request(3, "two")});
}

TEST_CASE("ACP: resume, else load, else nothing") {
  SUBCASE("resumed") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.written() == Told{request(2, "session/resume", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    CHECK(host.answer(2, "{}") == Told{"session old "});
    CHECK(
        host.written() ==
        Told{
            R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"old","prompt":[{"type":"text","text":"prompt"}]}})"});
  }
  SUBCASE("resume fails, load works") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kAll);
    host.written();
    CHECK(host.refuse(2, -32603, "Internal error").empty());
    CHECK(host.written() == Told{request(3, "session/load", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
  }
  SUBCASE("both fail: the agent is told to go, and the reason is its own") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kLoadOnly);
    host.written();
    const Told told =
        host.refuse(2, -32603, "Internal error", R"(,"data":{"details":"Invalid session identifier \"old\".\n  Searched everywhere."})");
    CHECK(told == failed(FailureKind::SessionUnknown, "Invalid session identifier \"old\""));
    CHECK(host.written() == Told{"(closed)", "(signal)"});
    host.protocol->begin_turn({"again"}, host);
    CHECK(host.events() == told);
  }
  SUBCASE("the agent has neither") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    CHECK(host.answer(1, kNothing) == failed(FailureKind::SessionUnknown, "The agent cannot go on with an earlier session"));
  }
}

TEST_CASE("ACP: a replay is swallowed, before the answer and after it, until it is over") {
  Host host(Host::old_session(SessionStart::Resume));
  const auto replay = [&host](const std::string& kind) {
    return host.line(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":")" + kind +
                     R"(","content":{"type":"text","text":"of old"},"toolCallId":"t"}}})");
  };
  host.begin();
  host.answer(1, kLoadOnly);
  host.written();
  CHECK(replay("user_message_chunk").empty());
  CHECK(host.answer(2, "{}").empty());
  CHECK(host.written() == Told{barrier_request(3)});
  CHECK(replay("agent_message_chunk").empty());
  CHECK(host.refuse(3, -32601, "Method not found").empty());
  CHECK(host.written() == Told{barrier_request(4)});
  CHECK(replay("tool_call").empty());
  CHECK(host.refuse(4, -32601, "Method not found").empty());
  CHECK(host.written() == Told{barrier_request(5)});
  CHECK(replay("available_commands_update").empty());
  CHECK(host.refuse(5, -32601, "Method not found") == Told{"session old "});
  CHECK(host.written().size() == 1);
  CHECK(replay("agent_message_chunk") == Told{"message 1", "block 1#0 text", "text 1#0 'of old'"});
}

TEST_CASE("ACP: fork where the agent has it") {
  SUBCASE("forked, with a replay") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.written() == Told{request(2, "session/fork", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    CHECK(host.answer(2, R"({"sessionId":"s"})").empty());
    CHECK(host.written() == Told{barrier_request(3)});
    CHECK(host.answer(3, "{}") == Told{"session s "});
    CHECK(host.written() == Told{prompt_request(4, "prompt")});
  }
  SUBCASE("not there") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    CHECK(host.answer(1, kLoadOnly) == failed(FailureKind::ForkUnsupported, "The agent cannot fork a session"));
    CHECK(host.written() == Told{"(closed)", "(signal)"});
  }
  SUBCASE("of a session that nobody knows") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.refuse(2, -32603, "Session not found") == failed(FailureKind::SessionUnknown, "Session not found"));
  }
}

TEST_CASE("ACP: not logged in, with the agent's own ways") {
  Host host;
  host.begin();
  host.answer(
      1,
      R"({"protocolVersion":1,"authMethods":[{"id":"a","name":"Log in with Us","description":"Run us login"},{"id":"b","name":"API key"}]})");
  CHECK(host.refuse(2, -32000, "Authentication required") ==
        failed(FailureKind::Auth, "Authentication required (Log in with Us: Run us login; API key)"));
}

TEST_CASE("ACP: ways to log in that a person can follow") {
  const auto ways = [](std::string_view methods) {
    const json::value value = json::parse(methods);
    return acp_ways_to_log_in(value.as_array(), "us --acp");
  };
  CHECK(ways("[]") == "");
  CHECK(ways(R"([{"name":"A","description":"d"},7,{"name":"B"},{"name":"C","type":"agent","description":"browser"}])") ==
        "A: d; B; C: browser");
  CHECK(ways(R"([{"name":"T","type":"terminal","description":"not told","args":["log in","--now"]}])") ==
        "T: run `us --acp 'log in' --now` in a terminal");
  CHECK(
      ways(R"([{"name":"T","type":"terminal","env":{"MODE":"it's"}},{"name":"U","type":"terminal","env":[{"name":"A","value":"1"},2]}])") ==
      R"(T: run `MODE='it'\''s' us --acp` in a terminal; U: run `A=1 us --acp` in a terminal)");
  CHECK(
      ways(
          R"([{"name":"K","type":"env_var","vars":[{"name":"US_KEY"},{"name":"US_ORG","optional":true},{"name":"US_URL"}],"link":"https://us.invalid"}])") ==
      "K: set US_KEY, US_URL in its environment (https://us.invalid)");
  CHECK(ways(R"([{"name":"K","type":"env_var","description":"d"}])") == "K: d");
  CHECK(
      ways(
          R"([{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"},{"name":"5"},{"name":"6"},{"name":"7"},{"name":"8"},{"name":"9"},{"name":"10"},{"name":"11"}])") ==
      "1; 2; 3; 4; 5; 6; 7; 8; 9; 10; …");
}

TEST_CASE("ACP: another version of the protocol") {
  Host host;
  host.begin();
  CHECK(host.answer(1, R"({"protocolVersion":2})") ==
        failed(FailureKind::Unknown,
               "The agent speaks version 2 of ACP, agent-doc speaks version 1: install a version of the agent that fits"));
}

TEST_CASE("ACP: models and modes are set before the prompt, in either way of the protocol") {
  LaunchRequest wanted = Host::new_session();
  wanted.model = "Large";
  wanted.permissions = PermissionPolicy::Plan;
  SUBCASE("models and modes") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(
        2,
        R"({"sessionId":"s","models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"Small"},{"modelId":"m2","name":"Large"}]},
                       "modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"Default"},{"id":"plan","name":"Plan"}]}})");
    CHECK(host.written() == Told{request(3, "session/set_model", R"({"modelId":"m2","sessionId":"s"})"),
                                 request(4, "session/set_mode", R"({"modeId":"plan","sessionId":"s"})")});
    CHECK(host.answer(3, "{}").empty());
    CHECK(host.answer(4, "null") == Told{"session s Large"});
    CHECK(host.written() == Told{first_prompt_request(5, "prompt")});
  }
  SUBCASE("config options, in groups too") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(2, R"({"sessionId":"s","configOptions":[
        {"id":"the-model","category":"model","type":"select","currentValue":"m1","options":[{"group":"g","name":"G","options":[{"value":"m2","name":"Large"}]}]},
        {"id":"the-mode","category":"mode","type":"select","currentValue":"build","options":[{"value":"build","name":"build"},{"value":"plan","name":"plan"}]}]})");
    CHECK(host.written() == Told{request(3, "session/set_config_option", R"({"configId":"the-model","value":"m2","sessionId":"s"})"),
                                 request(4, "session/set_config_option", R"({"configId":"the-mode","value":"plan","sessionId":"s"})")});
  }
  SUBCASE("as it is already") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(2, R"({"sessionId":"s","models":{"currentModelId":"m2","availableModels":[{"modelId":"m2","name":"Large"}]},
                       "modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"Plan"}]}})");
    CHECK(host.written() == Told{first_prompt_request(3, "prompt")});
  }
  SUBCASE("a model that the agent does not have") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    CHECK(host.answer(2, R"({"sessionId":"s","models":{"currentModelId":"m1","availableModels":[{"modelId":"m1"},{"modelId":"m3"}]}})") ==
          failed(FailureKind::Invalid, "The agent does not know the model \"Large\": it offers m1, m3"));
  }
  SUBCASE("a mode that the agent refuses") {
    wanted.model.clear();
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.answer(2, R"({"sessionId":"s","modes":{"currentModeId":"default","availableModes":[{"id":"default"},{"id":"plan"}]}})");
    CHECK(host.refuse(3, -32603, "Internal error: no plan today") ==
          failed(FailureKind::Invalid, "The agent does not take the model or the permissions that you want: no plan today"));
  }
  SUBCASE("no such mode: said, and writing is denied") {
    wanted.model.clear();
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    CHECK(host.answer(2, R"({"sessionId":"s"})") ==
          Told{"notice 'the agent has no mode for `permissions = \"plan\"`: what it asks is denied when it changes files'", "session s "});
    host.written();
    host.line(request(9, "fs/write_text_file", R"({"sessionId":"s","path":"/w/out.txt","content":"x"})"));
    CHECK(host.writes.empty());
    CHECK(
        host.written() ==
        Told{
            R"({"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the person's settings (permissions = \"plan\") let nothing be written"}})"});
  }
}

TEST_CASE("ACP: updates become events") {
  Host host;
  host.begin_answer();
  CHECK(host.text("").empty());
  CHECK(host.update(R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}})") ==
        Told{"message 1", "block 1#0 thinking", "thinking 1#0 'Hm'"});
  CHECK(host.text("a") == Told{"block 1#1 text", "text 1#1 'a'"});
  CHECK(host.text("a") == Told{"text 1#1 'a'"});
  CHECK(host.update(
            R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"Terminal","kind":"execute","rawInput":{},"status":"pending"})") ==
        Told{"message end 1 ", "tool t1 execute 'Terminal'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"`ls`","kind":"execute","rawInput":{"command":"ls"},"status":"pending"})") ==
      Told{"tool t1 execute '`ls`'"});
  CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"})").empty());
  CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"})") == Told{"tool end t1 error"});
  CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","title":"again"})").empty());
  CHECK(host.text("b") == Told{"message 2", "block 2#0 text", "text 2#0 'b'"});
  CHECK(host.update(R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"never shown"}})").empty());
  CHECK(host.update(R"({"sessionUpdate":"available_commands_update","availableCommands":[]})").empty());
  CHECK(host.update(R"({"sessionUpdate":"current_mode_update","currentModeId":"plan"})") == Told{"notice 'mode: plan'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"plan","entries":[{"content":"one","status":"completed"},{"content":"two","status":"pending"},{"content":"three","status":"in_progress"}]})") ==
      Told{"notice 'plan (1 of 3 done): three'"});
  CHECK(host.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"…"}})") ==
        Told{"unrecognised agent_message_chunk/image"});
  CHECK(host.update(R"({"sessionUpdate":"hologram"})") == Told{"unrecognised session/update/hologram"});
  CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "message end 2 ", "done ''"});
}

TEST_CASE("ACP: news of an earlier tool never ends the text that is being written") {
  Host host;
  host.begin_answer();
  host.update(R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"build","kind":"execute","status":"in_progress"})");
  host.text("While it builds, ");
  CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"build, step 2","status":"in_progress"})").empty());
  CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"})") == Told{"tool end t1"});
  CHECK(host.text("I explain.") == Told{"text 1#0 'I explain.'"});
}

TEST_CASE("ACP: a new message id is a new message") {
  Host host;
  host.begin_answer();
  CHECK(host.text("one", R"(,"messageId":"m1")") == Told{"message 1", "block 1#0 text", "text 1#0 'one'"});
  CHECK(host.text("two", R"(,"messageId":"m2")") == Told{"message end 1 ", "message 2", "block 2#0 text", "text 2#0 'two'"});
  CHECK(host.text("three", R"(,"messageId":"m1")") == Told{"message end 2 ", "message 3", "block 3#0 text", "text 3#0 'three'"});
}

TEST_CASE("ACP: gemini's thoughts are whole, and its modes are not text") {
  Host host(Host::new_session(), "gemini");
  host.begin_answer();
  const auto thought = [&host](const std::string& text) {
    return host.update(R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":")" + text + R"("}})");
  };
  CHECK(thought("**First**\\nOne.") == Told{"message 1", "block 1#0 thinking", "thinking 1#0 '**First**\nOne.'"});
  CHECK(thought("**Second**\\nTwo") == Told{"thinking 1#0 '\n\n'", "thinking 1#0 '**Second**\nTwo'"});
  CHECK(thought("****\\n, and more.") == Told{"thinking 1#0 ', and more.'"});
  CHECK(host.text("[MODE_UPDATE] plan").empty());
}

TEST_CASE("ACP: what a turn used") {
  Host host;
  host.begin_answer();
  CHECK(host.update(R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":0.5,"currency":"USD"}})") ==
        Told{"usage 0 0 0 0 500000"});
  CHECK(host.update(R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":0.75,"currency":"USD"}})") ==
        Told{"usage 0 0 0 0 250000"});
  CHECK(host.update(R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":9,"currency":"EUR"}})").empty());
  CHECK(host.answer(3,
                    R"({"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2,"cachedReadTokens":3,"cachedWriteTokens":4}})") ==
        Told{"usage 1 2 3 4 0", "done ''"});
  host.protocol->begin_turn({"two"}, host);
  host.events();
  CHECK(host.answer(4, R"({"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":6}}}})") ==
        Told{"usage 5 6 0 0 0", "done ''"});
}

TEST_CASE("ACP: permission: asked, allowed, denied, closed") {
  Host host;
  host.begin_answer();
  CHECK(host.line(kQuestion) == Told{"tool t1 edit 'Write out.txt: /w/out.txt'",
                                     "asked permission-1 edit 'Write out.txt: /w/out.txt' [a: Allow] [b: Always] [c: No]"});
  SUBCASE("allowed") {
    host.protocol->answer("permission-1", "a", host);
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"a"}}})"});
    CHECK(host.events().empty());
  }
  SUBCASE("denied: some agents never say that the tool is over") {
    host.protocol->answer("permission-1", "c", host);
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"c"}}})"});
    CHECK(host.events() == Told{"tool end t1 error"});
    CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"})").empty());
  }
  SUBCASE("closed, or an option that was never offered") {
    host.protocol->answer("permission-1", "z", host);
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    host.protocol->answer("permission-1", "a", host);
    CHECK(host.written().empty());
  }
  SUBCASE("the turn is stopped") {
    host.protocol->cancel(host);
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})",
                                 R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    CHECK(host.events() == Told{"withdrawn permission-1"});
    CHECK(host.line(kQuestion).empty());
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    CHECK(host.end("cancelled") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("the agent ends its turn or itself") {
    CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "withdrawn permission-1", "done ''"});
  }
  SUBCASE("the agent dies") {
    CHECK(host.exit({1, 0, "boom"}).front() == "withdrawn permission-1");
  }
}

TEST_CASE("ACP: permission by policy, and with nobody there") {
  const auto answer_of = [](PermissionPolicy policy, const std::string& question) {
    LaunchRequest wanted = Host::new_session();
    wanted.permissions = policy;
    Host host(wanted);
    host.begin_answer(R"({"sessionId":"s","modes":{"currentModeId":"plan","availableModes":[{"id":"plan"}]}})");
    host.line(question);
    const Told written = host.written();
    return written.empty() ? std::string("asked") : written.front();
  };
  const std::string denied = R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"c"}}})";
  std::string of_command = kQuestion;
  of_command.replace(of_command.find("\"edit\""), 6, "\"execute\"");
  CHECK(answer_of(PermissionPolicy::Ask, kQuestion) == "asked");
  CHECK(answer_of(PermissionPolicy::AcceptEdits, kQuestion) == "asked");
  CHECK(answer_of(PermissionPolicy::Deny, kQuestion) == denied);
  CHECK(answer_of(PermissionPolicy::Deny, of_command) == denied);
  CHECK(answer_of(PermissionPolicy::Plan, kQuestion) == denied);
  CHECK(answer_of(PermissionPolicy::Plan, of_command) == "asked");

  const std::string cancelled = R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})";
  CHECK(answer_of(PermissionPolicy::Ask,
                  R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"toolCall":{},"options":[]}})") == cancelled);
  CHECK(answer_of(PermissionPolicy::Ask, R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission"})") == cancelled);
  std::string many;
  for (int option = 0; option < 51; ++option) many += (option > 0 ? "," : "") + std::string(R"({"optionId":"a","kind":"allow_once"})");
  CHECK(answer_of(PermissionPolicy::Ask,
                  R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"options":[)" + many + "]}}") == cancelled);
  Host outside;
  outside.begin_answer();
  outside.end("end_turn");
  CHECK(outside.line(kQuestion).empty());
  CHECK(outside.written() == Told{cancelled});
}

TEST_CASE("ACP: files are read and written through the host") {
  Host host;
  host.begin_answer();
  host.line(request(5, "fs/read_text_file", R"({"sessionId":"s","path":"/w/a.txt","line":2,"limit":10})"));
  host.line(request(6, "fs/write_text_file", R"({"sessionId":"s","path":"/w/b.txt","content":"text\n"})"));
  REQUIRE(host.reads.size() == 1);
  REQUIRE(host.writes.size() == 1);
  CHECK(host.reads[0].path == "/w/a.txt");
  CHECK(host.reads[0].line == 2U);
  CHECK(host.reads[0].limit == 10U);
  CHECK(host.writes[0].path == "/w/b.txt");
  CHECK(host.writes[0].text == "text\n");
  host.protocol->file_answered(host.writes[0].id, {true, {}}, host);
  host.protocol->file_answered(host.reads[0].id, {true, "two\n"}, host);
  host.protocol->file_answered(host.reads[0].id, {true, "never"}, host);
  CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":6,"result":{}})", R"({"jsonrpc":"2.0","id":5,"result":{"content":"two\n"}})"});

  host.line(request(7, "fs/read_text_file", R"({"path":"/w/c.txt","line":-1,"limit":99999999999})"));
  CHECK_FALSE(host.reads[1].line.has_value());
  CHECK_FALSE(host.reads[1].limit.has_value());
  host.protocol->file_answered(host.reads[1].id, {false, "not allowed"}, host);
  host.line(request(8, "fs/read_text_file", R"({"path":"/w/d.txt"})"));
  host.protocol->file_answered(host.reads[2].id, {false, "no file /w/d.txt", true}, host);
  host.line(request(9, "fs/read_text_file", "{}"));
  host.line(request(10, "fs/write_text_file", R"({"path":"/w/d.txt"})"));
  CHECK(host.writes.size() == 1);
  CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"not allowed"}})",
                               R"({"jsonrpc":"2.0","id":8,"error":{"code":-32002,"message":"no file /w/d.txt"}})",
                               R"({"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"a path is missing"}})",
                               R"({"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"the content is missing"}})"});
  host.end("end_turn");
  host.line(request(11, "fs/write_text_file", R"({"path":"/w/b.txt","content":"late"})"));
  CHECK(host.writes.size() == 1);
  CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":11,"error":{"code":-32603,"message":"no turn runs: nothing is written"}})"});
}

TEST_CASE("ACP: gemini can create files: one that is not there reads empty") {
  Host host(Host::new_session(), "gemini");
  host.begin_answer();
  host.line(request(5, "fs/read_text_file", R"({"path":"/w/new.txt"})"));
  host.protocol->file_answered(host.reads[0].id, {false, "no such file", true}, host);
  host.line(request(6, "fs/read_text_file", R"({"path":"/etc/shadow"})"));
  host.protocol->file_answered(host.reads[1].id, {false, "not allowed"}, host);
  CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":5,"result":{"content":""}})",
                               R"({"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"not allowed"}})"});
}

TEST_CASE("ACP: failures have a kind, and the agent's own words without their wrapping") {
  const auto failure_of = [](int code, const std::string& message, const std::string& more = {}) {
    Host host;
    host.begin_answer();
    const Told told = host.refuse(3, code, message, more);
    REQUIRE(told.size() == 2);
    CHECK(told[1] == "failed ''");
    return told[0].substr(std::string_view("failure ").size());
  };
  const auto starts = [](FailureKind kind, const std::string& text) { return std::to_string(static_cast<int>(kind)) + " agent: " + text; };
  struct Case {
    int code;
    std::string message, more;
    FailureKind kind;
    std::string text;
  };
  const std::vector<Case> cases = {
      {400, R"({\"error\":{\"code\":400,\"message\":\"bad\"}})", "", FailureKind::Invalid, "bad."},
      {429, "Slow down", "", FailureKind::RateLimit, "Slow down."},
      {401, "No", "", FailureKind::Auth, "No."},
      {503, "Gone", "", FailureKind::Network, "Gone."},
      {-32000, "Authentication required", "", FailureKind::Auth, "Authentication required."},
      {-32603, R"(Internal error: API Error: 529 {\"type\":\"error\",\"error\":{\"message\":\"busy\"}})", "", FailureKind::RateLimit,
       "API Error: 529 busy."},
      {-32603, "Internal error", R"(,"data":{"details":"fetch failed"})", FailureKind::Network, "fetch failed."},
      {-32603, "Internal error", R"(,"data":"Invalid API key")", FailureKind::Auth, "Invalid API key."},
      {-32603, "Internal error: blocked", R"(,"data":{"errorName":"ContentFilterError"})", FailureKind::Refused, "blocked."},
      {-32603, "Internal error: cut", R"(,"data":{"errorName":"MessageOutputLengthError"})", FailureKind::MaxTokens, "cut."},
      {-32603, "Internal error: connect ECONNREFUSED 127.0.0.1:1", "", FailureKind::Network, "connect ECONNREFUSED 127.0.0.1:1."},
      {-32603, "Internal error", "", FailureKind::Unknown, "Internal error."},
      {-32603, "{oops", "", FailureKind::Unknown, "{oops."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.message);
    CHECK(failure_of(one.code, one.message, one.more).starts_with(starts(one.kind, one.text)));
  }
}

TEST_CASE("ACP: how a prompt ends") {
  const auto end_of = [](const std::string& stop_reason) {
    Host host;
    host.begin_answer();
    Told told = host.end(stop_reason);
    told.erase(told.begin());
    return told;
  };
  CHECK(end_of("end_turn") == Told{"done ''"});
  CHECK(end_of("something_new") == Told{"done ''"});
  CHECK(end_of("cancelled") == Told{"cancelled ''"});
  CHECK(end_of("refusal") == failed(FailureKind::Refused, "The model refused to answer"));
  CHECK(end_of("max_tokens") == failed(FailureKind::MaxTokens, "The answer reached the limit of its length"));
  CHECK(end_of("max_turn_requests") == failed(FailureKind::Unknown, "The agent reached its limit of rounds in one turn"));
}

TEST_CASE("ACP: any end after a stop is a cancelled turn") {
  Host host;
  host.begin_answer();
  host.protocol->cancel(host);
  SUBCASE("the agent had finished") {
    CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("an error") {
    CHECK(host.refuse(3, -32603, "aborted") == Told{"cancelled ''"});
  }
  SUBCASE("the process ends") {
    CHECK(host.exit({0, 15, ""}) == Told{"cancelled ''"});
  }
  CHECK(host.exit({0, 0, ""}).empty());
}

TEST_CASE("ACP: the end of the process ends a running turn in any stage") {
  const auto end_in = [](int answered) {
    Host host;
    host.begin();
    if (answered > 0) host.answer(1, kAll);
    if (answered > 1) host.answer(2, R"({"sessionId":"s"})");
    host.events();
    return host.exit({55, 0, "line one\nnot running in a trusted directory\n"});
  };
  for (const int answered : {0, 1, 2}) {
    CHECK(end_in(answered) ==
          failed(FailureKind::Crashed, "The agent ended before the turn did (exit code 55): line one\nnot running in a trusted directory"));
  }
}

TEST_CASE("ACP: nothing is left without an answer, and what is no message is counted") {
  Host host;
  host.begin_answer();
  CHECK(host.line(R"({"jsonrpc":"2.0","id":"x","method":"terminal/create","params":{}})") == Told{"unrecognised terminal/create"});
  CHECK(host.written() ==
        Told{R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"agent-doc does not know the method \"terminal/create\""}})"});
  CHECK(host.line(R"({"jsonrpc":"2.0","method":"x/y"})") == Told{"unrecognised x/y"});
  CHECK(host.line(R"({"jsonrpc":"2.0","method":"session/update"})") == Told{"unrecognised session/update without update"});
  CHECK(host.line("oops") == Told{"malformed oops"});
}

}  // namespace agent_doc::plugins
