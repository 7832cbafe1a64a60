// What it is: the Agent Client Protocol, message by message: updates, and what a turn used.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "plugins/acp/acp_updates.hpp"
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
  CHECK(host.update(
            R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}})") ==
        Told{"message 1", "block 1#0 thinking", "thinking 1#0 'Hm'"});
  CHECK(host.text("a") == Told{"block 1#1 text", "text 1#1 'a'"});
  CHECK(host.text("a") == Told{"text 1#1 'a'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"Terminal","kind":"execute","rawInput":{},"status":"pending"})") ==
      Told{"message end 1 ", "tool t1 execute 'Terminal'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"`ls`","kind":"execute","rawInput":{"command":"ls"},"status":"pending"})") ==
      Told{"tool t1 execute '`ls`'"});
  CHECK(host.update(
                R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"})")
            .empty());
  CHECK(
      host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"})") ==
      Told{"tool end t1 error"});
  CHECK(
      host.update(
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","title":"again"})")
          .empty());
  CHECK(host.text("b") == Told{"message 2", "block 2#0 text", "text 2#0 'b'"});
  CHECK(
      host.update(
              R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"never shown"}})")
          .empty());
  CHECK(host.update(R"({"sessionUpdate":"available_commands_update","availableCommands":[]})")
            .empty());
  CHECK(host.update(R"({"sessionUpdate":"current_mode_update","currentModeId":"plan"})") ==
        Told{"notice 'mode: plan'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"plan","entries":[{"content":"one","status":"completed"},{"content":"two","status":"pending"},{"content":"three","status":"in_progress"}]})") ==
      Told{"notice 'plan (1 of 3 done): three'"});
  CHECK(host.update(
            R"({"sessionUpdate":"agent_message_chunk","content":{"type":"smell","data":"…"}})") ==
        Told{"unrecognised agent_message_chunk/smell"});
  CHECK(host.update(R"({"sessionUpdate":"hologram"})") ==
        Told{"unrecognised session/update/hologram"});
  CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "message end 2 ", "done ''"});
}

TEST_CASE("ACP: news of an earlier tool never ends the text that is being written") {
  Host host;
  host.begin_answer();
  host.update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"build","kind":"execute","status":"in_progress"})");
  host.text("While it builds, ");
  CHECK(
      host.update(
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"build, step 2","status":"in_progress"})")
          .empty());
  CHECK(host.update(
            R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"})") ==
        Told{"tool end t1"});
  CHECK(host.text("I explain.") == Told{"text 1#0 'I explain.'"});
}

TEST_CASE("ACP: a new message id is a new message") {
  Host host;
  host.begin_answer();
  CHECK(host.text("one", R"(,"messageId":"m1")") ==
        Told{"message 1", "block 1#0 text", "text 1#0 'one'"});
  CHECK(host.text("two", R"(,"messageId":"m2")") ==
        Told{"message end 1 ", "message 2", "block 2#0 text", "text 2#0 'two'"});
  CHECK(host.text("three", R"(,"messageId":"m1")") ==
        Told{"message end 2 ", "message 3", "block 3#0 text", "text 3#0 'three'"});
}

TEST_CASE("ACP: a message without an id is another one than the next that has one") {
  Host host;
  host.begin_answer();
  CHECK(host.text("one") == Told{"message 1", "block 1#0 text", "text 1#0 'one'"});
  CHECK(host.text("two", R"(,"messageId":"m1")") ==
        Told{"message end 1 ", "message 2", "block 2#0 text", "text 2#0 'two'"});
  CHECK(host.text("three") ==
        Told{"message end 2 ", "message 3", "block 3#0 text", "text 3#0 'three'"});
  CHECK(host.text(" four") == Told{"text 3#0 ' four'"});
}

TEST_CASE("ACP: links and embedded texts are written, pictures are named") {
  const auto text_of = [](const std::string& content) {
    Host host;
    host.begin_answer();
    std::string text;
    for (const std::string& event :
         host.update(R"({"sessionUpdate":"agent_message_chunk","content":)" + content + "}")) {
      if (event.starts_with("text ")) text += event.substr(event.find('\''));
      if (event.starts_with("unrecognised")) text += event;
    }
    return text;
  };
  CHECK(text_of(R"({"type":"resource_link","uri":"file:///w/a b.md","name":"a b.md"})") ==
        "'[a b.md](<file:///w/a b.md>)'");
  CHECK(
      text_of(
          R"({"type":"resource_link","uri":"file:///w/a.md","name":"a.md","title":"The [a]\nfile"})") ==
      R"('[The \[a\] file](<file:///w/a.md>)')");
  CHECK(text_of(R"({"type":"resource_link","uri":"x>\n<y"})") == "'[x> <y](<xy>)'");
  CHECK(text_of(R"({"type":"resource_link","name":"nowhere"})") == "'nowhere'");
  CHECK(text_of(R"({"type":"resource","resource":{"uri":"file:///w/a.md","text":"# A\n"}})") ==
        "'# A\n'");
  CHECK(
      text_of(
          R"({"type":"resource","resource":{"uri":"file:///w/a.bin","mimeType":"x/y","blob":"AAAA"}})") ==
      "'(a file: x/y, file:///w/a.bin)'");
  CHECK(text_of(R"({"type":"image","mimeType":"image/png","data":"AAAA"})") ==
        "'(an image: image/png)'");
  CHECK(text_of(R"({"type":"audio","data":"AAAA"})") == "'(a sound)'");
  CHECK(text_of(R"({"type":"resource"})") == "unrecognised agent_message_chunk/resource");

  Host host;
  host.begin_answer();
  host.text("See ");
  CHECK(
      host.update(
          R"({"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","uri":"u","name":"n"}})") ==
      Told{"text 1#0 '[n](<u>)'"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"m"}})") ==
      Told{"message end 1 ", "message 2", "block 2#0 text", "text 2#0 '(an image: m)'",
           "message end 2 "});
}

TEST_CASE("ACP: what is said after the answer is told as one text, when nothing more comes") {
  Host host;
  host.begin_answer();
  host.text("Done.");
  host.end("end_turn");
  host.written();
  CHECK(host.text("By ").empty());
  CHECK(host.written() == Told{barrier_request(4)});
  CHECK(host.text("the way").empty());
  CHECK(host.written().empty());
  SUBCASE("between two turns") {
    CHECK(host.refuse(4, -32601, "Method not found").empty());
    CHECK(host.written() == Told{barrier_request(5)});
    CHECK(host.refuse(5, -32601, "Method not found") ==
          Told{"snapshot after the turn#0 'By the way'"});
    CHECK(host.written().empty());
    CHECK(host.text("!").empty());
    CHECK(host.written() == Told{barrier_request(6)});
  }
  SUBCASE("while the next turn begins: behind it, for it is no part of it") {
    host.protocol->begin_turn({"two"}, host);
    host.events();
    CHECK(host.refuse(4, -32601, "Method not found").empty());
    CHECK(host.refuse(6, -32601, "Method not found").empty());
    host.text("Two.");
    const Told told = host.answer(5, R"({"stopReason":"end_turn"})");
    REQUIRE(told.size() == 4);
    CHECK(told[2] == "done ''");
    CHECK(told[3] == "snapshot after the turn#0 'By the way'");
  }
  SUBCASE("the agent ends") {
    CHECK(host.exit({0, 0, ""}) == Told{"snapshot after the turn#0 'By the way'"});
  }
}

TEST_CASE("ACP: claude-agent-acp streams what it says after the answer, and reports usage then") {
  Host host(Host::new_session(), "claude-agent-acp");
  const std::string usage = R"({"sessionUpdate":"usage_update","used":9,"size":100})";
  host.begin_answer();
  host.text("It runs.");
  host.end("end_turn");
  host.written();
  CHECK(host.update(usage).empty());
  CHECK(host.text("It has ").empty());
  CHECK(host.text("ended.").empty());
  CHECK(host.written().empty());
  SUBCASE("it is complete") {
    CHECK(host.update(usage) == Told{"snapshot after the turn#0 'It has ended.'"});
    CHECK(host.update(usage).empty());
    CHECK(host.text("Well.").empty());
    CHECK(host.update(usage) == Told{"snapshot after the turn#0 'Well.'"});
  }
  SUBCASE("the agent ends in the middle of it") {
    CHECK(host.exit({0, 0, ""}) == Told{"snapshot after the turn#0 'It has ended.'"});
  }
}

TEST_CASE("ACP: the rest of a turn that was stopped is not told") {
  Host host;
  host.begin_answer();
  host.protocol->cancel(host);
  host.end("cancelled");
  host.written();
  CHECK(host.text("… and so on").empty());
  CHECK(host.written().empty());
}

TEST_CASE("ACP: what is said after the answer has a limit") {
  Host host;
  host.begin_answer();
  host.end("end_turn");
  const std::string piece(kMaxLateText / 2, 'x');
  for (int count = 0; count < 4; ++count) host.text(piece);
  host.refuse(4, -32601, "Method not found");
  const Told told = host.refuse(5, -32601, "Method not found");
  REQUIRE(told.size() == 1);
  CHECK(told.front().size() < kMaxLateText + 200);
  CHECK(told.front().find("bytes more") != std::string::npos);
}

TEST_CASE("ACP: gemini's thoughts are whole, and its modes are not text") {
  Host host(Host::new_session(), "gemini");
  host.begin_answer();
  const auto thought = [&host](const std::string& text) {
    return host.update(
        R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":")" + text +
        R"("}})");
  };
  CHECK(thought("**First**\\nOne.") ==
        Told{"message 1", "block 1#0 thinking", "thinking 1#0 '**First**\nOne.'"});
  CHECK(thought("**Second**\\nTwo") ==
        Told{"thinking 1#0 '\n\n'", "thinking 1#0 '**Second**\nTwo'"});
  CHECK(thought("****\\n, and more.") == Told{"thinking 1#0 ', and more.'"});
  CHECK(host.text("[MODE_UPDATE] plan").empty());
}

TEST_CASE("ACP: what a turn used") {
  Host host;
  host.begin_answer();
  CHECK(
      host.update(
          R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":0.5,"currency":"USD"}})") ==
      Told{"usage 0 0 0 0 500000"});
  CHECK(
      host.update(
          R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":0.75,"currency":"USD"}})") ==
      Told{"usage 0 0 0 0 250000"});
  CHECK(
      host.update(
              R"({"sessionUpdate":"usage_update","used":9,"size":100,"cost":{"amount":9,"currency":"EUR"}})")
          .empty());
  const std::string something =
      R"({"sessionUpdate":"plan","entries":[]})";  // a turn without anything has failed
  CHECK(host.update(something).empty());
  CHECK(
      host.answer(
          3,
          R"({"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2,"cachedReadTokens":3,"cachedWriteTokens":4}})") ==
      Told{"usage 1 2 3 4 0", "done ''"});
  host.protocol->begin_turn({"two"}, host);
  host.events();
  CHECK(host.update(something).empty());
  CHECK(
      host.answer(
          4,
          R"({"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":6}}}})") ==
      Told{"usage 5 6 0 0 0", "done ''"});
}

}  // namespace agent_doc::plugins::acp_test
