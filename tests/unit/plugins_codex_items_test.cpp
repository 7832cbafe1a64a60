// What it is: the dialect codex, line by line: the items of a turn, retries, warnings, sub-agents,
// tokens.
// What it is not: the recordings of the real program (tests/transcripts).
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::plugins::codex_test {

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
      {"item/started",
       R"("item":{"type":"agentMessage","id":"i","text":"pre"})",
       {"message i", "block i#0 text", "snapshot i#0 'pre'"}},
      {"item/reasoning/summaryPartAdded",
       R"("itemId":"r","summaryIndex":1)",
       {"block r#1 thinking"}},
      {"item/reasoning/summaryPartAdded",
       R"("itemId":"r","summaryIndex":-1)",
       {"unrecognised item/reasoning/summaryPartAdded"}},
      {"item/reasoning/summaryTextDelta",
       R"("itemId":"r","summaryIndex":1,"delta":"hm")",
       {"message r", "thinking r#1 'hm'"}},
      {"item/reasoning/textDelta",
       R"("itemId":"r","contentIndex":0,"delta":"hm")",
       {"message r", "thinking r#100001 'hm'"}},
      {"item/reasoning/textDelta",
       R"("itemId":"r","contentIndex":999999999,"delta":"hm")",
       {"unrecognised item/reasoning/delta"}},
      {"item/completed",
       R"("item":{"type":"reasoning","id":"r","summary":["a","b"],"content":["c"]})",
       {"message r", "thought r#0 'a'", "thought r#1 'b'", "thought r#100001 'c'",
        "message end r "}},
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
      {"item/started",
       R"("item":{"type":"webSearch","id":"w","query":"q"})",
       {"tool w web search 'q'"}},
      {"item/started",
       R"("item":{"type":"collabAgentToolCall","id":"s","tool":"spawnAgent","prompt":"look"})",
       {"tool s sub-agent 'look'"}},
      {"item/started",
       R"("item":{"type":"contextCompaction","id":"x"})",
       {"notice 'shortening the session's history'"}},
      {"item/completed",
       R"("item":{"type":"contextCompaction","id":"x"})",
       {"notice 'the session's history was shortened'"}},
      {"item/completed", R"("item":{"type":"userMessage","id":"u"})", {}},
      {"item/started", R"("item":{"type":"new"})", {"unrecognised item/new"}},
      {"item/started", R"("item":7)", {"unrecognised item/started"}},
      {"turn/plan/updated",
       R"("plan":[{"step":"a","status":"completed"},{"step":"b","status":"inProgress"}])",
       {"notice 'plan: b'"}},
      {"model/rerouted", R"("toModel":"small")", {"notice 'answered by the model small'"}},
      {"account/rateLimits/updated", R"("rateLimits":{"rateLimitReachedType":null})", {}},
      {"account/rateLimits/updated",
       R"("rateLimits":{"rateLimitReachedType":"primary"})",
       {"notice 'rate limit reached'"}},
      {"mcpServer/startupStatus/updated",
       R"("status":"failed")",
       {"unrecognised mcpServer/startupStatus/updated"}},
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
  const auto limits = [](const std::string& id, int primary, int secondary,
                         const std::string& reached) {
    const auto window = [](int used, const std::string& end) {
      return R"({"usedPercent":)" + std::to_string(used) +
             R"(,"windowDurationMins":300,"resetsAt":)" + end + "}";
    };
    return R"({"method":"account/rateLimits/updated","params":{"rateLimits":{"limitId":")" + id +
           R"(","primary":)" + window(primary, "1795181100") + R"(,"secondary":)" +
           window(secondary, "1795440300") + R"(,"rateLimitReachedType":)" + reached + "}}}";
  };
  const std::string failed =
      R"(,"error":{"message":"You've hit your usage limit.","codexErrorInfo":"usageLimitExceeded"})";
  const std::string failure =
      "failure 1 codex: You've hit your usage limit. Wait a while, then run again.";
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
  CHECK(host.line(limits("codex", 3, 100, "null")) ==
        Told{"notice 'rate limit reached, it ends at 2026-11-23 13:25 UTC'"});
  CHECK(host.line(limits("codex", 3, 4, R"("credits_depleted")")) ==
        Told{"notice 'rate limit reached'"});
  CHECK(host.line(limits("codex", 3, 4, "null")).empty());
}

TEST_CASE("codex: what is retried gives up what was open, and comes as new items") {
  AppServer host;
  host.begin_answer();
  static_cast<void>(host.notify("item/agentMessage/delta", R"("itemId":"a","delta":"done")"));
  static_cast<void>(
      host.notify("item/completed", R"("item":{"type":"agentMessage","id":"a","text":"done"})"));
  static_cast<void>(host.notify("item/agentMessage/delta", R"("itemId":"b","delta":"half")"));
  CHECK(
      host.notify(
          "error",
          R"("willRetry":true,"error":{"message":"Reconnecting... 1/5","additionalDetails":"connection lost"})") ==
      Told{"message end b  from 0", "notice 'retrying (1/5): connection lost'"});
  CHECK(host.notify("item/agentMessage/delta", R"("itemId":"c","delta":"half")") ==
        Told{"message c", "text c#0 'half'"});
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
  CHECK(host.end("completed", R"(,"items":[{"type":"agentMessage","text":"Hi."},{"type":"x"}])") ==
        Told{"done 'Hi.'"});
}

TEST_CASE("codex: sub-agents are threads of their own, and lanes of the turn") {
  AppServer host;
  host.begin_answer();
  CHECK(
      host.line(
          R"({"method":"item/agentMessage/delta","params":{"threadId":"S","turnId":"s1","itemId":"i","delta":"x"}})") ==
      Told{"message Si", "text S/i#0 'x'"});
  CHECK(
      host.line(
              R"({"method":"turn/completed","params":{"threadId":"S","turn":{"id":"s1","status":"failed"}}})")
          .empty());
  CHECK(
      host.line(
              R"({"method":"error","params":{"threadId":"S","turnId":"s1","willRetry":true,"error":{"message":"x"}}})")
          .empty());
  CHECK(
      host.line(
              R"({"method":"item/completed","params":{"threadId":"T","turnId":"t0","item":{"type":"agentMessage","id":"o","text":"late"}}})")
          .empty());
  CHECK(
      host.line(
              R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t0","status":"completed"}}})")
          .empty());
  CHECK(host.end("completed") == Told{"done ''"});
}

TEST_CASE("codex: the tokens of a turn are what the thread's sums grew by") {
  const auto update = [](const std::string& turn, int input, int cached, int output, int last_input,
                         int last_cached, int last_output) {
    const auto tokens = [](int in, int from_cache, int out) {
      return R"({"inputTokens":)" + std::to_string(in) + R"(,"cachedInputTokens":)" +
             std::to_string(from_cache) + R"(,"outputTokens":)" + std::to_string(out) + "}";
    };
    return R"({"method":"thread/tokenUsage/updated","params":{"threadId":"T","turnId":")" + turn +
           R"(","tokenUsage":{"total":)" + tokens(input, cached, output) + R"(,"last":)" +
           tokens(last_input, last_cached, last_output) + "}}}";
  };
  AppServer resumed(start(SessionStart::Resume, "T"));
  resumed.begin_answer();
  CHECK(resumed.line(update("old", 100, 40, 7, 50, 20, 3)).empty());
  CHECK(resumed.line(update("t1", 150, 60, 9, 50, 20, 2)) == Told{"usage 30 2 20 0 0"});
  CHECK(resumed.line(update("t1", 150, 60, 9, 50, 20, 2)).empty());
  AppServer silent(start(SessionStart::Resume, "T"));
  silent.begin_answer();
  CHECK(silent.line(update("t1", 150, 60, 9, 50, 20, 2)) == Told{"usage 30 2 20 0 0"});
  CHECK(silent.line(
            R"({"method":"thread/tokenUsage/updated","params":{"threadId":"T","turnId":"t1"}})") ==
        Told{"unrecognised thread/tokenUsage/updated"});
  CHECK(silent.line(update("t1", 2147483647, -5, 9, 0, 0, 0)) == Told{"usage 2147483557 0 0 0 0"});
}

}  // namespace agent_doc::plugins::codex_test
