// What it is: the Agent Client Protocol, message by message: updates, and what a turn used.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "tests/unit/acp_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::acp_test {

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

}  // namespace agent_doc::plugins::acp_test
