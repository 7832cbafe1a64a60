// What it is: the dialects of codex, line by line: what they launch, write and make of single messages.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/codex.hpp"
#include "plugins/codex_exec.hpp"
#include "plugins/codex_failure.hpp"
#include "plugins/codex_questions.hpp"
#include "plugins/system_note.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::plugins {
namespace {

namespace json = boost::json;

using tests::ProtocolHost;
using tests::Told;

const AgentSpec kSpec{"codex", "codex", "codex", {}, {}};
const AgentSpec kExecSpec{"codex-exec", "codex-exec", "codex", {}, {}};

LaunchRequest start(SessionStart start, std::string session = {}) {
  LaunchRequest request;
  request.start = start;
  request.session_id = std::move(session);
  request.cwd = "/srv/proj";
  return request;
}

constexpr std::string_view kInitialized = R"({"id":1,"result":{"userAgent":"codex"}})";
constexpr std::string_view kThread = R"({"id":2,"result":{"thread":{"id":"T"},"model":"m"}})";
constexpr std::string_view kTurn = R"({"id":3,"result":{"turn":{"id":"t1","status":"inProgress"}}})";

/// app-server of one session.
class AppServer : public ProtocolHost {
 public:
  explicit AppServer(const LaunchRequest& request = start(SessionStart::New)) : ProtocolHost(make_codex(kSpec)) {
    static_cast<void>(protocol->launch(request));
  }
  /// A turn whose id is known.
  void begin_answer() {
    begin();
    for (const std::string_view text : {kInitialized, kThread, kTurn}) static_cast<void>(line(text));
    written();
  }
  Told notify(const std::string& method, const std::string& params) {
    return line(R"({"method":")" + method + R"(","params":{"threadId":"T","turnId":"t1",)" + params + "}}");
  }
  Told end(const std::string& status, const std::string& more = "") {
    return line(R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":")" + status + "\"" + more + "}}}");
  }
  void cancel() { protocol->cancel(*this); }
  void answer(const std::string& question, const std::string& option) { protocol->answer(question, option, *this); }
};

std::string turn_start(const std::string& prompt, int id = 3) {
  return R"({"id":)" + std::to_string(id) + R"(,"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":")" + prompt +
         R"(","text_elements":[]}]}})";
}

const std::string kInterrupt = R"({"id":4,"method":"turn/interrupt","params":{"threadId":"T","turnId":"t1"}})";

/// The parameters of the request that starts the thread, without the note on the document.
std::string thread_request(const LaunchRequest& request) {
  AppServer host(request);
  host.begin();
  static_cast<void>(host.line(kInitialized));
  const Told written = host.written();
  REQUIRE(written.size() == 2);
  CHECK(written[0] == R"({"method":"initialized"})");
  json::value message = json::parse(written[1]);
  json::object& params = message.at("params").as_object();
  CHECK(params.at("developerInstructions").as_string() == kSystemNote);
  params.erase("developerInstructions");
  return std::string(message.at("method").as_string()) + " " + json::serialize(params);
}

}  // namespace

TEST_CASE("codex: the command line, and what it says of itself") {
  const AgentSpec spec{"mine", "codex", "/opt/codex", {"-c", "x=1"}, {{"KEY", "value"}}};
  ProtocolHost host(make_codex(spec));
  const Launch launch = host.protocol->launch(start(SessionStart::Resume, "--dangerous"));
  CHECK(launch.command == "/opt/codex");
  CHECK(launch.args == std::vector<std::string>{"-c", "x=1", "app-server"});
  CHECK(launch.env == spec.env);
  CHECK(launch.cwd == "/srv/proj");
  CHECK(launch.lifetime == ProcessLifetime::Session);
  host.protocol->begin_turn({"prompt"}, host);
  const Told written = host.written();
  REQUIRE(written.size() == 1);
  const json::value initialize = json::parse(written[0]);
  CHECK(initialize.at("method") == "initialize");
  CHECK(initialize.at("params").at("clientInfo").at("name") == "agent-doc");
  CHECK(initialize.at("params").at("capabilities").at("experimentalApi") == false);
}

TEST_CASE("codex: how a thread is started") {
  LaunchRequest request = start(SessionStart::New);
  CHECK(thread_request(request) == R"(thread/start {"cwd":"/srv/proj"})");
  request.model = "m";
  CHECK(thread_request(request) == R"(thread/start {"cwd":"/srv/proj","model":"m"})");
  request.model.clear();
  request.permissions = PermissionPolicy::Deny;
  CHECK(thread_request(request) == R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"never","sandbox":"read-only"})");
  request.permissions = PermissionPolicy::Plan;
  CHECK(thread_request(request) == R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"never","sandbox":"read-only"})");
  request.permissions = PermissionPolicy::AcceptEdits;
  CHECK(thread_request(request) == R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"on-request","sandbox":"workspace-write"})");
  CHECK(thread_request(start(SessionStart::Resume, "S")) == R"(thread/resume {"threadId":"S","excludeTurns":true,"cwd":"/srv/proj"})");
  CHECK(thread_request(start(SessionStart::Fork, "S")) == R"(thread/fork {"threadId":"S","excludeTurns":true,"cwd":"/srv/proj"})");
}

TEST_CASE("codex: the prompt waits for the handshake, later prompts do not") {
  AppServer host;
  host.begin("one");
  CHECK(host.line(R"({"method":"configWarning","params":{"summary":"no bubblewrap"}})") == Told{"notice 'no bubblewrap'"});
  CHECK(host.line(kInitialized).empty());
  CHECK(host.line(R"({"method":"thread/started","params":{"thread":{"id":"T"}}})").empty());
  CHECK(host.written().size() == 2);
  CHECK(host.line(kThread).empty());
  CHECK(host.written() == Told{turn_start("one")});
  CHECK(host.line(kTurn) == Told{"session T m"});
  CHECK(host.end("completed") == Told{"done ''"});
  host.protocol->begin_turn({"two"}, host);
  CHECK(host.written() == Told{turn_start("two", 4)});
  CHECK(host.line(R"({"method":"turn/started","params":{"threadId":"T","turn":{"id":"t2"}}})") == Told{"session T m"});
  CHECK(host.line(R"({"id":4,"result":{"turn":{"id":"t2"}}})").empty());
  CHECK(host.line(R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t2","status":"completed"}}})") == Told{"done ''"});
}

TEST_CASE("codex: a thread that cannot be started") {
  struct Case {
    SessionStart start;
    std::string error;
    FailureKind kind;
  };
  const std::vector<Case> cases = {
      {SessionStart::Resume, "no rollout found for thread id S", FailureKind::SessionUnknown},
      {SessionStart::Resume, "invalid session id: x", FailureKind::SessionUnknown},
      {SessionStart::Resume, "config is broken", FailureKind::Unknown},
      {SessionStart::Fork, "no rollout found for thread id S", FailureKind::SessionUnknown},
      {SessionStart::Fork, "Invalid request: unknown variant `thread/fork`", FailureKind::ForkUnsupported},
      {SessionStart::New, "config is broken", FailureKind::Unknown},
  };
  for (const Case& test : cases) {
    CAPTURE(test.error);
    AppServer host(start(test.start, "S"));
    host.begin();
    static_cast<void>(host.line(kInitialized));
    const std::string failure =
        "failure " + std::to_string(static_cast<int>(test.kind)) + " " + describe_failure(test.kind, test.error, kSpec).message;
    CHECK(host.line(R"({"id":2,"error":{"code":-32600,"message":")" + test.error + R"("}})") == Told{failure, "failed ''"});
    host.written();
    host.protocol->begin_turn({"again"}, host);
    CHECK(host.written().size() == 1);  // it tries once more
    CHECK(host.line(R"({"id":3,"result":{"thread":{"id":"T"},"model":"m"}})").empty());
    CHECK(host.written() == Told{turn_start("again", 4)});
  }
}

TEST_CASE("codex: answers that say nothing end the turn") {
  AppServer host;
  host.begin();
  CHECK(host.line(R"({"id":1,"error":{"code":-32600,"message":"too old"}})") ==
        Told{"failure 9 codex: too old. Run again; `agent-doc doctor` shows whether the agent works.", "failed ''"});
  AppServer no_thread;
  no_thread.begin();
  static_cast<void>(no_thread.line(kInitialized));
  CHECK(no_thread.line(R"({"id":2,"result":{}})") ==
        Told{"failure 9 codex: The agent started no thread. Run again; `agent-doc doctor` shows whether the agent works.", "failed ''"});
  AppServer no_turn;
  no_turn.begin();
  for (const std::string_view text : {kInitialized, kThread}) static_cast<void>(no_turn.line(text));
  CHECK(no_turn.line(R"({"id":3,"error":{"code":-32600,"message":"thread not loaded"}})") ==
        Told{"failure 9 codex: thread not loaded. Run again; `agent-doc doctor` shows whether the agent works.", "failed ''"});
}

TEST_CASE("codex: stopping at any moment") {
  SUBCASE("before the handshake: nothing is sent to the model") {
    AppServer host;
    host.begin();
    host.cancel();
    CHECK(host.events().empty());
    CHECK(host.line(kInitialized) == Told{"cancelled ''"});
    CHECK(host.written() == Told{R"({"method":"initialized"})"});
  }
  SUBCASE("before the thread is there: nothing is sent to the model") {
    AppServer host;
    host.begin();
    static_cast<void>(host.line(kInitialized));
    host.written();
    host.cancel();
    CHECK(host.line(kThread) == Told{"cancelled ''"});
    CHECK(host.written().empty());
    host.protocol->begin_turn({"next"}, host);
    CHECK(host.written() == Told{turn_start("next")});
  }
  SUBCASE("before the turn has an id: as soon as it has one") {
    AppServer host;
    host.begin();
    for (const std::string_view text : {kInitialized, kThread}) static_cast<void>(host.line(text));
    host.written();
    host.cancel();
    CHECK(host.written().empty());
    CHECK(host.line(kTurn) == Told{"session T m"});
    CHECK(host.written() == Told{kInterrupt});
    CHECK(host.line(R"({"id":4,"result":{}})").empty());
    CHECK(host.end("interrupted") == Told{"cancelled ''"});
  }
  SUBCASE("while it answers, and it fails at that") {
    AppServer host;
    host.begin_answer();
    host.cancel();
    CHECK(host.written() == Told{kInterrupt});
    CHECK(host.end("failed", R"(,"error":{"message":"x"})") == Told{"cancelled ''"});
    host.cancel();
    CHECK(host.written().empty());
  }
  SUBCASE("while it asks: the question is cancelled, too") {
    AppServer host;
    host.begin_answer();
    static_cast<void>(host.line(
        R"({"id":"q","method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","command":"rm x"}})"));
    host.cancel();
    CHECK(host.events() == Told{"withdrawn \"q\""});
    CHECK(host.written() == Told{R"({"id":"q","result":{"decision":"cancel"}})", kInterrupt});
    CHECK(host.line(R"({"id":"r","method":"item/fileChange/requestApproval","params":{"threadId":"T","turnId":"t1"}})").empty());
    CHECK(host.written() == Told{R"({"id":"r","result":{"decision":"decline"}})"});
    CHECK(host.exit({0, 0, ""}) == Told{"cancelled ''"});
  }
}

TEST_CASE("codex: the process is gone") {
  AppServer host;
  host.begin();
  CHECK(host.exit({1, 0, "Error loading config.toml: bad"}) ==
        Told{"failure 8 codex: The agent ended before the turn did (exit code 1): Error loading config.toml: bad. `agent-doc doctor` shows "
             "whether it starts.",
             "failed ''"});
  AppServer told;
  told.begin_answer();
  static_cast<void>(told.notify("error", R"("willRetry":false,"error":{"message":"m","codexErrorInfo":"unauthorized"})"));
  CHECK(told.exit({0, 9, ""}) ==
        Told{"failure 0 codex: m. Run `codex login` in a terminal, or mend its API key; then run again.", "failed ''"});
  AppServer idle;
  idle.begin_answer();
  static_cast<void>(idle.end("completed"));
  CHECK(idle.exit({0, 0, ""}).empty());
}

TEST_CASE("codex: single items") {
  struct Case {
    std::string method;
    std::string params;
    Told events;
  };
  const std::vector<Case> cases = {
      {"item/agentMessage/delta", R"("itemId":"i","delta":"ha")", {"message i", "text i#0 'ha'"}},
      {"item/completed",
       R"("item":{"type":"agentMessage","id":"i","text":"ha"})",
       {"message i", "snapshot i#0 'ha'", "end i#0", "message end i "}},
      {"item/started", R"("item":{"type":"agentMessage","id":"i","text":"pre"})", {"message i", "block i#0 text", "snapshot i#0 'pre'"}},
      {"item/reasoning/summaryPartAdded", R"("itemId":"r","summaryIndex":1)", {"block r#1 thinking"}},
      {"item/reasoning/summaryPartAdded", R"("itemId":"r","summaryIndex":-1)", {"unrecognised item/reasoning/summaryPartAdded"}},
      {"item/reasoning/summaryTextDelta", R"("itemId":"r","summaryIndex":1,"delta":"hm")", {"message r", "thinking r#1 'hm'"}},
      {"item/reasoning/textDelta", R"("itemId":"r","contentIndex":0,"delta":"hm")", {"message r", "thinking r#100001 'hm'"}},
      {"item/reasoning/textDelta", R"("itemId":"r","contentIndex":999999999,"delta":"hm")", {"unrecognised item/reasoning/delta"}},
      {"item/completed",
       R"("item":{"type":"reasoning","id":"r","summary":["a","b"],"content":["c"]})",
       {"message r", "thought r#0 'a'", "thought r#1 'b'", "thought r#100001 'c'", "message end r "}},
      {"item/started",
       R"("item":{"type":"commandExecution","id":"c","command":"/bin/bash -lc 'echo hi'","commandActions":[{"command":"echo hi"}]})",
       {"tool c command 'echo hi'"}},
      {"item/started",
       R"("item":{"type":"commandExecution","id":"c","command":"a && b","commandActions":[{"command":"a"},{"command":"b"}]})",
       {"tool c command 'a && b'"}},
      {"item/completed",
       R"("item":{"type":"commandExecution","id":"c","command":"x","status":"declined"})",
       {"tool c command 'x'", "tool end c error"}},
      {"item/completed",
       R"("item":{"type":"fileChange","id":"f","changes":[{"path":"a"},{"path":"b"}],"status":"completed"})",
       {"tool f edit 'a, b'", "tool end f"}},
      {"item/started",
       R"("item":{"type":"mcpToolCall","id":"m","server":"files","tool":"read","arguments":{"name":"x"}})",
       {R"(tool m files.read '{"name":"x"}')"}},
      {"item/started", R"("item":{"type":"webSearch","id":"w","query":"q"})", {"tool w web search 'q'"}},
      {"item/started",
       R"("item":{"type":"collabAgentToolCall","id":"s","tool":"spawnAgent","prompt":"look"})",
       {"tool s sub-agent 'look'"}},
      {"item/started", R"("item":{"type":"contextCompaction","id":"x"})", {"notice 'shortening the session's history'"}},
      {"item/completed", R"("item":{"type":"contextCompaction","id":"x"})", {"notice 'the session's history was shortened'"}},
      {"item/completed", R"("item":{"type":"userMessage","id":"u"})", {}},
      {"item/started", R"("item":{"type":"new"})", {"unrecognised item/new"}},
      {"item/started", R"("item":7)", {"unrecognised item/started"}},
      {"turn/plan/updated", R"("plan":[{"step":"a","status":"completed"},{"step":"b","status":"inProgress"}])", {"notice 'plan: b'"}},
      {"model/rerouted", R"("toModel":"small")", {"notice 'answered by the model small'"}},
      {"account/rateLimits/updated", R"("rateLimits":{"rateLimitReachedType":null})", {}},
      {"account/rateLimits/updated", R"("rateLimits":{"rateLimitReachedType":"primary"})", {"notice 'rate limit reached'"}},
      {"mcpServer/startupStatus/updated", R"("status":"failed")", {"unrecognised mcpServer/startupStatus/updated"}},
      {"hook/started", R"("x":1)", {}},
  };
  for (const Case& test : cases) {
    CAPTURE(test.method);
    CAPTURE(test.params);
    AppServer host;
    host.begin_answer();
    CHECK(host.notify(test.method, test.params) == test.events);
  }
}

TEST_CASE("codex: a limit that is reached is told, and again when it fails a turn") {
  const auto limits = [](const std::string& id, int primary, int secondary, const std::string& reached) {
    const auto window = [](int used, const std::string& end) {
      return R"({"usedPercent":)" + std::to_string(used) + R"(,"windowDurationMins":300,"resetsAt":)" + end + "}";
    };
    return R"({"method":"account/rateLimits/updated","params":{"rateLimits":{"limitId":")" + id + R"(","primary":)" +
           window(primary, "1795181100") + R"(,"secondary":)" + window(secondary, "1795440300") + R"(,"rateLimitReachedType":)" + reached +
           "}}}";
  };
  const std::string failed = R"(,"error":{"message":"You've hit your usage limit.","codexErrorInfo":"usageLimitExceeded"})";
  const std::string failure = "failure 1 codex: You've hit your usage limit. Wait a while, then run again.";
  const std::string hours = "notice 'rate limit reached, it ends at 2026-11-20 13:25 UTC'";

  AppServer host;
  host.begin_answer();
  CHECK(host.line(limits("codex", 99, 40, "null")).empty());
  CHECK(host.end("failed", failed) == Told{failure, "failed ''"});
  CHECK(host.line(limits("codex", 100, 40, "null")) == Told{hours});
  CHECK(host.line(limits("other", 3, 4, "null")).empty());
  host.begin();
  CHECK(host.line(R"({"id":4,"error":{"code":1,"message":"usage limit"}})") ==
        Told{hours, "failure 1 codex: usage limit. Wait a while, then run again.", "failed ''"});
  CHECK(host.line(limits("codex", 100, 100, R"("rate_limit_reached")")) ==
        Told{"notice 'rate limit reached, it ends at 2026-11-23 13:25 UTC'"});
  CHECK(host.line(limits("codex", 3, 100, "null")) == Told{"notice 'rate limit reached, it ends at 2026-11-23 13:25 UTC'"});
  CHECK(host.line(limits("codex", 3, 4, R"("credits_depleted")")) == Told{"notice 'rate limit reached'"});
  CHECK(host.line(limits("codex", 3, 4, "null")).empty());
}

TEST_CASE("codex: what is retried gives up what was open, and comes as new items") {
  AppServer host;
  host.begin_answer();
  static_cast<void>(host.notify("item/agentMessage/delta", R"("itemId":"a","delta":"done")"));
  static_cast<void>(host.notify("item/completed", R"("item":{"type":"agentMessage","id":"a","text":"done"})"));
  static_cast<void>(host.notify("item/agentMessage/delta", R"("itemId":"b","delta":"half")"));
  CHECK(host.notify("error", R"("willRetry":true,"error":{"message":"Reconnecting... 1/5","additionalDetails":"connection lost"})") ==
        Told{"message end b  from 0", "notice 'retrying (1/5): connection lost'"});
  CHECK(host.notify("item/agentMessage/delta", R"("itemId":"c","delta":"half")") == Told{"message c", "text c#0 'half'"});
}

TEST_CASE("codex: a warning is no failure, and is a warning the first time") {
  struct Kinds final : AppServer {
    void emit(const AgentEvent& event) override {
      if (const auto* notice = std::get_if<Notice>(&event)) kinds.push_back(notice->kind);
      AppServer::emit(event);
    }
    std::vector<NoticeKind> kinds;
  };
  Kinds host;
  host.begin_answer();
  CHECK(host.notify("warning", R"("message":"old model")") == Told{"notice 'old model'"});
  CHECK(host.notify("warning", R"("message":"old model")") == Told{"notice 'old model'"});
  CHECK(host.kinds == std::vector<NoticeKind>{NoticeKind::Warning, NoticeKind::Status});
  CHECK(host.end("completed", R"(,"items":[{"type":"agentMessage","text":"Hi."},{"type":"x"}])") == Told{"done 'Hi.'"});
}

TEST_CASE("codex: sub-agents are threads of their own, and lanes of the turn") {
  AppServer host;
  host.begin_answer();
  CHECK(host.line(R"({"method":"item/agentMessage/delta","params":{"threadId":"S","turnId":"s1","itemId":"i","delta":"x"}})") ==
        Told{"message Si", "text S/i#0 'x'"});
  CHECK(host.line(R"({"method":"turn/completed","params":{"threadId":"S","turn":{"id":"s1","status":"failed"}}})").empty());
  CHECK(host.line(R"({"method":"error","params":{"threadId":"S","turnId":"s1","willRetry":true,"error":{"message":"x"}}})").empty());
  CHECK(
      host.line(
              R"({"method":"item/completed","params":{"threadId":"T","turnId":"t0","item":{"type":"agentMessage","id":"o","text":"late"}}})")
          .empty());
  CHECK(host.line(R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t0","status":"completed"}}})").empty());
  CHECK(host.end("completed") == Told{"done ''"});
}

TEST_CASE("codex: the tokens of a turn are what the thread's sums grew by") {
  const auto update = [](const std::string& turn, int input, int cached, int output, int last_input, int last_cached, int last_output) {
    const auto tokens = [](int in, int from_cache, int out) {
      return R"({"inputTokens":)" + std::to_string(in) + R"(,"cachedInputTokens":)" + std::to_string(from_cache) + R"(,"outputTokens":)" +
             std::to_string(out) + "}";
    };
    return R"({"method":"thread/tokenUsage/updated","params":{"threadId":"T","turnId":")" + turn + R"(","tokenUsage":{"total":)" +
           tokens(input, cached, output) + R"(,"last":)" + tokens(last_input, last_cached, last_output) + "}}}";
  };
  AppServer resumed(start(SessionStart::Resume, "T"));
  resumed.begin_answer();
  CHECK(resumed.line(update("old", 100, 40, 7, 50, 20, 3)).empty());
  CHECK(resumed.line(update("t1", 150, 60, 9, 50, 20, 2)) == Told{"usage 30 2 20 0 0"});
  CHECK(resumed.line(update("t1", 150, 60, 9, 50, 20, 2)).empty());
  AppServer silent(start(SessionStart::Resume, "T"));
  silent.begin_answer();
  CHECK(silent.line(update("t1", 150, 60, 9, 50, 20, 2)) == Told{"usage 30 2 20 0 0"});
  CHECK(silent.line(R"({"method":"thread/tokenUsage/updated","params":{"threadId":"T","turnId":"t1"}})") ==
        Told{"unrecognised thread/tokenUsage/updated"});
  CHECK(silent.line(update("t1", 2147483647, -5, 9, 0, 0, 0)) == Told{"usage 2147483557 0 0 0 0"});
}

TEST_CASE("codex: questions are asked one after the other, and answered as the agent wants it") {
  AppServer host;
  host.begin_answer();
  static_cast<void>(host.notify("item/started", R"("item":{"type":"fileChange","id":"f","changes":[{"path":"/srv/proj/a"}]})"));
  CHECK(
      host.line(
          R"({"id":0,"method":"item/fileChange/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"f","reason":"why"}})") ==
      Told{"asked 0 edit '/srv/proj/a\nIts reason: why' [accept: Allow once] [acceptForSession: Allow for this session] [decline: Deny]"});
  CHECK(host.line(R"({"id":1,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","command":"make",)"
                  R"("availableDecisions":["accept","acceptForSession",{"brandNew":{}},"cancel"]}})")
            .empty());
  CHECK(host.line(R"({"id":2,"method":"item/permissions/requestApproval","params":{"threadId":"T","turnId":"t1","reason":null,)"
                  R"("permissions":{"network":{"enabled":true},"fileSystem":null}}})")
            .empty());
  host.answer("1", "accept");
  CHECK(host.written().empty());
  host.answer("0", "acceptForSession");
  CHECK(host.written() == Told{R"({"id":0,"result":{"decision":"acceptForSession"}})"});
  CHECK(host.events() == Told{"asked 1 command 'make' [accept: Allow once] [acceptForSession: Allow for this session] [decline: Deny]"});
  CHECK(
      host.line(R"({"method":"serverRequest/resolved","params":{"threadId":"T","requestId":1}})") ==
      Told{
          "withdrawn 1",
          R"(asked 2 more permissions '{"network":{"enabled":true}}' [turn: Allow for this turn] [session: Allow for this session] [decline: Deny])"});
  host.answer("2", "turn");
  CHECK(host.written() == Told{R"({"id":2,"result":{"permissions":{"network":{"enabled":true}},"scope":"turn"}})"});
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
    CHECK(host.line(asked) ==
          Told{R"(asked 0 echo.say '{"text":"hi"}' [accept: Allow once] [session: Allow for this session] [decline: Deny])"});
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
    static_cast<void>(host.line(R"({"id":)" + std::to_string(id) + R"(,"method":"item/fileChange/requestApproval","params":{}})"));
  }
  CHECK(host.written().empty());
  CHECK(host.line(R"({"id":100,"method":"item/fileChange/requestApproval","params":{}})").empty());
  CHECK(host.written() == Told{R"({"id":100,"result":{"decision":"decline"}})"});
}

TEST_CASE("codex: requests that we do not know are refused") {
  AppServer host;
  host.begin_answer();
  CHECK(host.line(R"({"id":"x","method":"mcpServer/elicitation/request","params":{"threadId":"T","_meta":null}})") ==
        Told{"unrecognised mcpServer/elicitation/request"});
  CHECK(host.written() ==
        Told{R"({"id":"x","error":{"code":-32601,"message":"agent-doc does not know the method \"mcpServer/elicitation/request\""}})"});
}

TEST_CASE("codex: what went wrong, as a kind") {
  struct Case {
    std::string error;
    FailureKind kind;
    std::string told;  ///< begins with
  };
  const std::vector<Case> cases = {
      {R"({"message":"m","codexErrorInfo":"unauthorized"})", FailureKind::Auth, "codex: m. Run `codex login`"},
      {R"({"message":"m","codexErrorInfo":"usageLimitExceeded"})", FailureKind::RateLimit, "codex: m. Wait"},
      {R"({"message":"m","codexErrorInfo":"serverOverloaded"})", FailureKind::RateLimit, "codex: m. Wait"},
      {R"({"message":"m","codexErrorInfo":"internalServerError"})", FailureKind::Network, "codex: m. Check"},
      {R"({"message":"m","codexErrorInfo":"modelNotFound"})", FailureKind::Invalid, "codex: m. Check"},
      {R"({"message":"m","codexErrorInfo":"contextWindowExceeded"})", FailureKind::MaxTokens, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":"cyberPolicy"})", FailureKind::Refused, "codex: m. Change"},
      {R"({"message":"m","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":401}}})", FailureKind::Auth, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"responseTooManyFailedAttempts":{"httpStatusCode":429}}})", FailureKind::RateLimit,
       "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}}})", FailureKind::Network, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"brandNew":{}}})", FailureKind::Unknown, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{}})", FailureKind::Unknown, "codex: m. "},
      {R"({"message":"unexpected status 404 Not Found: no model","codexErrorInfo":"other"})", FailureKind::Invalid, "codex: unexpected"},
      {R"({"message":"unexpected status ??? x"})", FailureKind::Unknown, "codex: unexpected"},
      {R"({"message":"Missing environment variable: `KEY`."})", FailureKind::Auth, "codex: Missing environment variable: `KEY`. Run"},
      {R"({"message":"reason: max_output_tokens"})", FailureKind::MaxTokens, "codex: reason: max_output_tokens. The reply is cut"},
      {R"({"message":"{\"error\":{\"message\":\"bad\",\"type\":\"invalid_request_error\"}}"})", FailureKind::Invalid, "codex: bad. Check"},
      {R"({})", FailureKind::Unknown, "codex: "},
  };
  for (const Case& test : cases) {
    CAPTURE(test.error);
    const json::value error = json::parse(test.error);
    const AgentFailure failure = codex_failure_of_error(error.as_object(), kSpec);
    CHECK(failure.kind == test.kind);
    CHECK(failure.message.substr(0, test.told.size()) == test.told);
  }
}

TEST_CASE("codex: a retry in words") {
  CHECK(codex_retry_text("Reconnecting... 1/2", "x") == "retrying (1/2): x");
  CHECK(codex_retry_text("Reconnecting... 1/2 (lost (all))", "") == "retrying (1/2): lost (all)");
  CHECK(codex_retry_text("Reconnecting... waiting for network", "") == "retrying (waiting for network)");
  CHECK(codex_retry_text("Again", "") == "retrying: Again");
}

TEST_CASE("codex exec: the command line") {
  const AgentSpec spec{"mine", "codex-exec", "/opt/codex", {"-c", "x=1"}, {{"KEY", "value"}}};
  const auto args = [&spec](const LaunchRequest& request) {
    const Launch launch = make_codex_exec(spec)->launch(request);
    CHECK(launch.command == "/opt/codex");
    CHECK(launch.env == spec.env);
    CHECK(launch.cwd == "/srv/proj");
    CHECK(launch.lifetime == ProcessLifetime::Turn);
    std::string text;
    for (const std::string& arg : launch.args) {
      if (!arg.starts_with("developer_instructions=")) text += (text.empty() ? "" : " ") + arg;
    }
    return text;
  };
  LaunchRequest request = start(SessionStart::New);
  CHECK(args(request) == "-c x=1 exec --json --skip-git-repo-check -c -- -");
  request.model = "--yolo";
  request.permissions = PermissionPolicy::Plan;
  CHECK(args(request) == R"(-c x=1 exec --json --skip-git-repo-check --model=--yolo -c -c sandbox_mode="read-only" -- -)");
  request = start(SessionStart::Resume, "--dangerously-bypass-approvals-and-sandbox");
  request.permissions = PermissionPolicy::AcceptEdits;
  CHECK(args(request) ==
        "-c x=1 exec resume --json --skip-git-repo-check -c -c sandbox_mode=\"workspace-write\" -- "
        "--dangerously-bypass-approvals-and-sandbox -");
  CHECK(args(start(SessionStart::Fork, "S")) == "-c x=1 exec fork --json --skip-git-repo-check -c -- S -");
}

TEST_CASE("codex exec: single lines") {
  struct Case {
    std::string line;
    Told events;
  };
  const std::vector<Case> cases = {
      {R"({"type":"thread.started","thread_id":"T"})", {"session T "}},
      {R"({"type":"turn.started"})", {}},
      {R"({"type":"item.completed","item":{"id":"i","type":"error","message":"old model"}})", {"notice 'old model'"}},
      {R"({"type":"item.updated","item":{"id":"i","type":"todo_list","items":[{"text":"a","completed":true},{"text":"b","completed":false}]}})",
       {"notice 'plan, 1 of 2 done: b'"}},
      {R"({"type":"item.updated","item":{"id":"i","type":"command_execution"}})", {}},
      {R"({"type":"item.brand_new","item":{"id":"i","type":"command_execution"}})", {"unrecognised item.brand_new"}},
      {R"({"type":"item.completed"})", {"unrecognised item.completed"}},
      {R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Hi."}})",
       {"message i", "snapshot i#0 'Hi.'", "end i#0", "message end i "}},
      {R"x({"type":"error","message":"Reconnecting... 1/2 (lost)"})x", {"notice 'retrying (1/2): lost'"}},
      {R"({"type":"error","message":"stream disconnected"})", {}},
      {R"({"type":"turn.failed"})",
       {"failure 9 codex-exec: The turn failed. Run again; `agent-doc doctor` shows whether the agent works.", "failed ''"}},
      {R"({"type":"turn.completed","usage":{"input_tokens":23,"cached_input_tokens":5,"output_tokens":4}})",
       {"usage 18 4 5 0 0", "done ''"}},
      {"oops", {"malformed oops"}},
  };
  for (const Case& test : cases) {
    CAPTURE(test.line);
    ProtocolHost host(make_codex_exec(kExecSpec));
    static_cast<void>(host.protocol->launch(start(SessionStart::New)));
    host.protocol->begin_turn({"two\nlines"}, host);
    CHECK(host.written() == Told{"two\nlines", "(closed)"});
    CHECK(host.line(test.line) == test.events);
  }
}

TEST_CASE("codex exec: an error is the reason when the process ends without another") {
  ProtocolHost host(make_codex_exec(kExecSpec));
  static_cast<void>(host.protocol->launch(start(SessionStart::New)));
  host.begin();
  static_cast<void>(host.line(R"({"type":"error","message":"stream disconnected"})"));
  CHECK(host.exit({1, 0, "noise"}) ==
        Told{"failure 3 codex-exec: stream disconnected. Check the connection, then run again.", "failed ''"});
  CHECK(host.exit({1, 0, "noise"}).empty());
}

}  // namespace agent_doc::plugins
