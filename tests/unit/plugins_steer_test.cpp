// What it is: what is said to claude and codex in the middle of a turn, by lines as the real
// programs write them (claude 2.1.328, codex 0.169.0): when it is heard, when it is not, and what a
// stop makes of it.
// What it is not: what a document makes of it (session_steer_test.cpp).
#include "plugins/claude/claude.hpp"
#include "plugins/version_number.hpp"
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace agent_doc::plugins {
namespace steer_test {

using tests::Told;

const std::string kId = "11111111-1111-4111-8111-111111111111";
const std::string kSaid =
    R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"two"}]},"uuid":")" +
    kId + "\"}";
const std::string kDrop =
    R"({"type":"control_request","request_id":"drop-11111111-1111-4111-8111-111111111111","request":{"subtype":"cancel_async_message","message_uuid":"11111111-1111-4111-8111-111111111111"}})";
const std::string kUsage = "usage 0 0 0 0 0";

std::string interruption(int number) {
  return R"({"type":"control_request","request_id":"interrupt-)" + std::to_string(number) +
         R"(","request":{"subtype":"interrupt"}})";
}

class Claude : public tests::ProtocolHost {
 public:
  explicit Claude(const std::string& version = "2.1.328")
      : ProtocolHost(make_claude({"claude", "claude", "claude", {}, {}})) {
    begin();
    init(version);
  }
  Told init(const std::string& version = "2.1.328") {
    return line(
        R"({"type":"system","subtype":"init","cwd":"/w","session_id":"s","model":"m","claude_code_version":")" +
        version + "\"}");
  }
  Told steer() {
    protocol->steer({"two", kId}, *this);
    return written();
  }
  Told lifecycle(const std::string& state, const std::string& id = kId) {
    return line(R"({"type":"command_lifecycle","command_uuid":")" + id + R"(","state":")" + state +
                R"(","uuid":"055c0349-09b5-4979-b406-7d4b4fe0daee","session_id":"s"})");
  }
  Told delta(const std::string& text) {
    return line(
        R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
        text + R"("}},"parent_tool_use_id":null})");
  }
  Told message(const std::string& id) {
    return line(
        R"({"type":"stream_event","event":{"type":"message_start","message":{"id":")" + id +
        R"(","role":"assistant","content":[]}},"session_id":"s","parent_tool_use_id":null})");
  }
  Told message_end() {
    return line(
        R"({"type":"stream_event","event":{"type":"message_stop"},"parent_tool_use_id":null})");
  }
  Told result(const std::string& text) {
    return line(
        R"({"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":")" +
        text + "\"}");
  }
  Told aborted() {
    return line(
        R"({"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"})");
  }
  Told drop_answer(const std::string& what) {
    return line(
        R"({"type":"control_response","response":{"subtype":"success","request_id":"drop-)" + kId +
        R"(","response":{"cancelled":)" + what + "}}}");
  }
};

TEST_CASE("steer: claude reads it between two rounds of its turn") {
  Claude claude;
  CHECK(claude.protocol->can_steer());
  CHECK(claude.message("m1") == Told{"message m1"});
  CHECK(claude.delta("I am going to sleep.") == Told{"text m1#0 'I am going to sleep.'"});
  CHECK(claude.message_end() == Told{"message end m1 "});
  CHECK(claude.steer() == Told{kSaid});
  CHECK(claude.lifecycle("queued").empty());
  CHECK(
      claude.line(
          R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"slept","is_error":false}]}})") ==
      Told{"tool end t1"});
  CHECK(claude.lifecycle("started", "another").empty());
  CHECK(claude.lifecycle("started") == Told{"heard ''"});
  CHECK(claude.message("m2") == Told{"message m2"});
  CHECK(claude.delta("Slept.") == Told{"text m2#0 'Slept.'"});
  CHECK(claude.lifecycle("completed").empty());
  CHECK(claude.result("Slept.") == Told{kUsage, "done 'Slept.'"});
  CHECK_FALSE(claude.protocol->can_steer());
}

TEST_CASE("steer: without another round claude reads it after its turn, as one of its own") {
  Claude claude;
  claude.message("m1");
  claude.steer();
  claude.lifecycle("queued");
  CHECK(claude.result("tick") == Told{kUsage, "heard 'tick'"});
  CHECK(claude.lifecycle("started").empty());
  CHECK(claude.init() == Told{"session s m"});
  CHECK(claude.message("m2") == Told{"message m2"});
  CHECK(claude.result("tock") == Told{kUsage, "done 'tock'"});
  CHECK(claude.lifecycle("completed").empty());
  CHECK(claude.written().empty());
}

TEST_CASE("steer: claude reads it after a turn that failed, too") {
  Claude claude;
  claude.steer();
  const Told told = claude.line(
      R"({"type":"result","subtype":"success","is_error":true,"terminal_reason":"completed","result":"API Error: 529 overloaded"})");
  REQUIRE(told.size() == 3);
  CHECK(told[1].starts_with("failure "));
  CHECK(told[2] == "heard ''");
  CHECK(claude.result("tock") == Told{kUsage, "done 'tock'"});
}

TEST_CASE("steer: claude that waits for its sub-agents reads it at once") {
  Claude claude;
  claude.message("m1");
  claude.line(
      R"({"type":"system","subtype":"task_started","task_id":"b1","task_type":"local_agent","is_backgrounded":true,"description":"look"})");
  CHECK(claude.result("Wait.") == Told{kUsage, "notice 'waiting for 1 sub-agent'"});
  CHECK(claude.protocol->can_steer());
  claude.steer();
  CHECK(claude.lifecycle("started") == Told{"heard 'Wait.'"});
  claude.line(
      R"({"type":"system","subtype":"task_notification","task_id":"b1","status":"completed"})");
  CHECK(claude.result("Two.") == Told{kUsage, "done 'Two.'"});
}

TEST_CASE("steer: a stop lets claude drop first what it has not read, then interrupts") {
  Claude claude;
  claude.message("m1");
  claude.steer();
  claude.lifecycle("queued");
  claude.protocol->cancel(claude);
  CHECK(claude.written() == Told{kDrop});
  CHECK_FALSE(claude.protocol->can_steer());
  SUBCASE("it does") {
    CHECK(claude.lifecycle("cancelled").empty());
    CHECK(claude.drop_answer("true").empty());
    CHECK(claude.written() == Told{interruption(1)});
    CHECK(claude.aborted() == Told{kUsage, "cancelled ''"});
  }
  SUBCASE("it does not know how to") {
    claude.line(R"({"type":"control_response","response":{"subtype":"error","request_id":"drop-)" +
                kId + R"(","error":"unknown"}})");
    CHECK(claude.written() == Told{interruption(1)});
    CHECK(claude.aborted() == Told{kUsage, "cancelled ''"});
  }
  SUBCASE("it has just read it") {
    CHECK(claude.lifecycle("started").empty());
    CHECK(claude.drop_answer("false").empty());
    CHECK(claude.written() == Told{interruption(1)});
    CHECK(claude.aborted() == Told{kUsage, "cancelled ''"});
  }
  CHECK(claude.written().empty());
  claude.begin("three");
  CHECK(claude.init() == Told{"session s m"});
  CHECK(claude.result("3.") == Told{kUsage, "done '3.'"});
}

TEST_CASE("steer: what claude answers to something said in a stopped turn reaches no other turn") {
  Claude claude;
  claude.message("m1");
  claude.steer();
  claude.protocol->cancel(claude);
  claude.written();
  CHECK(claude.result("too late to stop") == Told{kUsage, "cancelled ''"});
  CHECK(claude.lifecycle("started").empty());
  CHECK(claude.written() == Told{interruption(1)});
  CHECK(claude.drop_answer("false").empty());
  claude.message("m2");
  CHECK(claude.delta("nobody asked").empty());
  claude.begin("three");
  CHECK(claude.delta("nobody asked").empty());
  CHECK(claude.aborted() == Told{kUsage});
  CHECK(claude.message("m3") == Told{"message m3"});
  CHECK(claude.result("3.") == Told{kUsage, "done '3.'"});
}

TEST_CASE("steer: what claude drops by itself is not heard, and its turn goes on") {
  Claude claude;
  claude.steer();
  claude.lifecycle("queued");
  CHECK(claude.lifecycle("cancelled") == Told{"not heard"});
  CHECK(claude.protocol->can_steer());
  CHECK(claude.result("Hi.") == Told{kUsage, "done 'Hi.'"});
}

TEST_CASE("steer: claude ends before it reads it") {
  Claude claude;
  claude.steer();
  const Told told = claude.exit({1, 0, "no power"});
  REQUIRE(told.size() == 2);
  CHECK(told[0].starts_with("failure "));
  CHECK(told[1] == "failed ''");
}

TEST_CASE("steer: only a claude that tells when it reads a text is said anything") {
  CHECK(Claude("2.1.328").protocol->can_steer());
  CHECK(Claude("2.2.0").protocol->can_steer());
  CHECK(Claude("3").protocol->can_steer());
  CHECK_FALSE(Claude("2.1.327 (Claude Code)").protocol->can_steer());
  CHECK_FALSE(Claude("1.9.900").protocol->can_steer());
  CHECK_FALSE(Claude("").protocol->can_steer());
  CHECK_FALSE(Claude("newest").protocol->can_steer());
}

TEST_CASE("steer: versions as agents tell them") {
  CHECK(version_number("2.1.328 (x)") == VersionNumber{2, 1, 328});
  CHECK(version_number("0.142") == VersionNumber{0, 142, 0});
  CHECK(version_number("v1") < VersionNumber{0, 0, 0});
  CHECK(version_number("1.99999999999.2") == VersionNumber{1, 0, 0});
}

class Codex : public codex_test::AppServer {
 public:
  Codex() { begin_answer(); }
  Told steer(const std::string& text = "two") {
    protocol->steer({text, kId}, *this);
    return written();
  }
  Told user(const std::string& text) {
    return notify(
        "item/started",
        R"("item":{"type":"userMessage","id":"u","clientId":null,"content":[{"type":"text","text":")" +
            text + R"(","text_elements":[]}]})");
  }
  Told message(const std::string& id) {
    return notify("item/started",
                  R"("item":{"type":"agentMessage","id":")" + id + R"(","text":""})");
  }
  Told delta(const std::string& id, const std::string& text) {
    return notify("item/agentMessage/delta", R"("itemId":")" + id + R"(","delta":")" + text + "\"");
  }
};

const std::string kTurnSteer =
    R"({"id":4,"method":"turn/steer","params":{"threadId":"T","input":[{"type":"text","text":"two","text_elements":[]}],"expectedTurnId":"t1"}})";

TEST_CASE("steer: codex breaks off its message, and what came of it so far is all of it") {
  Codex codex;
  CHECK(codex.protocol->can_steer());
  CHECK(codex.user("prompt").empty());
  codex.message("m1");
  CHECK(codex.delta("m1", "tick 0") == Told{"text m1#0 'tick 0'"});
  CHECK(codex.steer() == Told{kTurnSteer});
  CHECK(codex.line(R"({"id":4,"result":{"turnId":"t1"}})").empty());
  CHECK(codex.user("two") == Told{"heard ''"});
  CHECK(codex.delta("m1", " tick 1").empty());
  CHECK(codex
            .notify("item/completed",
                    R"("item":{"type":"agentMessage","id":"m1","text":"tick 0 tick 1"})")
            .empty());
  CHECK(codex.message("m2") == Told{"message m2", "block m2#0 text"});
  CHECK(codex.delta("m2", "Two.") == Told{"text m2#0 'Two.'"});
  CHECK(codex.end("completed", R"(,"items":[{"type":"agentMessage","text":"tick 0"}])") ==
        Told{"done ''"});
  CHECK_FALSE(codex.protocol->can_steer());
}

TEST_CASE("steer: codex reads it when its tool has ended") {
  Codex codex;
  codex.user("prompt");
  codex.notify("item/started",
               R"("item":{"type":"commandExecution","id":"c1","command":"sleep 3"})");
  codex.steer();
  CHECK(codex.notify("item/completed",
                     R"("item":{"type":"commandExecution","id":"c1","command":"sleep 3"})") ==
        Told{"tool end c1"});
  CHECK(codex.user("two") == Told{"heard ''"});
  CHECK(codex.user("two").empty());
}

TEST_CASE("steer: codex repeats the prompt first, also when the same is said again") {
  Codex codex;
  codex.steer("prompt");
  CHECK(codex.user("prompt").empty());
  CHECK(codex.user("prompt") == Told{"heard ''"});
}

TEST_CASE("steer: codex refuses what comes too late") {
  Codex codex;
  codex.user("prompt");
  codex.steer();
  const std::string refusal =
      R"({"error":{"code":-32600,"message":"no active turn to steer"},"id":4})";
  SUBCASE("before it tells the end of its turn") {
    CHECK(codex.line(refusal) == Told{"not heard"});
    CHECK(codex.end("completed") == Told{"done ''"});
  }
  SUBCASE("after that") {
    CHECK(codex.end("completed") == Told{"done ''"});
    CHECK(codex.line(refusal).empty());
  }
  SUBCASE("in a turn that is stopped") {
    codex.cancel();
    CHECK(codex.line(refusal).empty());
    CHECK(codex.user("two").empty());
    CHECK(codex.end("interrupted") == Told{"cancelled ''"});
  }
}

TEST_CASE("steer: only a codex that is known to repeat what it reads is said anything") {
  const auto can = [](const std::string& user_agent) {
    codex_test::AppServer codex;
    codex.begin();
    codex.line(R"({"id":1,"result":{"userAgent":")" + user_agent + R"("}})");
    codex.line(codex_test::kThread);
    CHECK_FALSE(codex.protocol->can_steer());  // its turn is not known yet
    codex.line(codex_test::kTurn);
    return codex.protocol->can_steer();
  };
  CHECK(can("agent-doc/0.169.0 (x)"));
  CHECK(can("agent-doc/1.0"));
  CHECK_FALSE(can("agent-doc/0.168.9"));
  CHECK_FALSE(can("codex"));
}

}  // namespace steer_test
}  // namespace agent_doc::plugins
