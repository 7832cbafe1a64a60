// What it is: the dialect `generic`, mode auto: a table of the shapes of streams that nobody
// described, and the text that each must give.
// What it is not: the configuration and the failures of such an agent (plugins_generic_test.cpp),
// real streams (tests/transcripts/generic_test.cpp).
#include "plugins/registry.hpp"
#include "tests/unit/protocol_host.hpp"
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace plugins_generic_shapes_test {

namespace {

using agent_doc::tests::ProtocolHost;
using Lines = std::vector<std::string>;

/// A turn of an agent of which nothing is configured, with its reply.
struct Host : ProtocolHost {
  Host()
      : ProtocolHost(
            agent_doc::plugins::make_protocol({"mine", "generic", "/opt/program", {}, {}})),
        reply(agent_doc::turn::Rounds::All, agent_doc::turn::Thinking::None, document) {
    protocol->launch({});
    protocol->begin_turn({"The prompt"}, *this);
  }
  void emit(const agent_doc::plugins::AgentEvent& event) override {
    ProtocolHost::emit(event);
    reply.on_event(event);
  }
  std::string text_of(const Lines& lines) {
    for (const std::string& line : lines) protocol->on_line(line, *this);
    protocol->on_exit({}, *this);
    reply.finish();
    return document.text();
  }

  agent_doc::turn::EditedText document;
  agent_doc::turn::Reply reply;
};

struct Case {
  const char* what;
  Lines lines;
  std::string text;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"a name is no text",
       {R"({"event":"start"})", R"({"delta":"Hello"})", R"({"event":"done"})"},
       "Hello"},
      {"states",
       {R"({"type":"status","message":"loading"})", R"({"status":"loading","message":"the model"})",
        R"({"type":"progress","message":"50 %"})", R"({"type":"info","text":"ready"})",
        R"({"text":"Hello"})"},
       "Hello"},
      {"a log",
       {R"({"level":"info","message":"started"})", R"({"severity":"WARN","msg":"slow"})",
        R"({"level":"error","message":"retrying"})", R"({"text":"Hello"})"},
       "Hello"},
      {"an echoed prompt",
       {R"({"type":"user_message","text":"The prompt"})",
        R"({"event":"user.input","content":"The prompt"})",
        R"({"type":"message","role":"user","content":"The prompt"})", R"({"text":"Hello"})"},
       "Hello"},
      {"two whole messages",
       {R"({"type":"message","content":"One"})", R"({"type":"message","content":"Two"})"},
       "One\n\nTwo"},
      {"two of an assistant",
       {R"({"role":"assistant","content":"One"})", R"({"role":"assistant","content":"Two"})"},
       "One\n\nTwo"},
      {"two with ids",
       {R"({"type":"message","id":"a","text":"One"})",
        R"({"type":"message","id":"b","text":"One and two"})"},
       "One\n\nOne and two"},
      {"one that grows",
       {R"({"type":"message","content":"H"})", R"({"type":"message","content":"Hello"})"},
       "Hello"},
      {"one that comes twice",
       {R"({"type":"message","content":"Hello"})", R"({"type":"message","content":"Hello"})"},
       "Hello"},
      {"partial: true is not said to be new",
       {R"({"text":"H","partial":true})", R"({"text":"He","partial":true})",
        R"({"text":"Hell","partial":true})", R"({"text":"Hello","partial":true})"},
       "Hello"},
      {"partial: true, and the whole without it",
       {R"({"type":"assistant","text":"He","partial":true})",
        R"({"type":"assistant","text":"Hell","partial":true})",
        R"({"type":"assistant","text":"Hello"})"},
       "Hello"},
      {"Gemini's own",
       {R"({"candidates":[{"content":{"parts":[{"text":"Let me see","thought":true}],"role":"model"},"index":0}]})",
        R"({"candidates":[{"content":{"parts":[{"text":"He"}],"role":"model"},"index":0}]})",
        R"({"candidates":[{"content":{"parts":[{"text":"l"},{"text":"lo"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{}})"},
       "Hello"},
      {"llama.cpp",
       {R"({"index":0,"content":" ","stop":false})", R"({"content":"  ","stop":false})",
        R"({"content":"   x","stop":false})",
        R"({"content":"","stop":true,"model":"m","prompt":"The prompt","generation_settings":{"seed":1}})"},
       "      x"},
      {"a token", {R"({"token":"He"})", R"({"token":"llo"})"}, "Hello"},
      {"text-generation-inference",
       {R"({"token":{"id":1,"text":"He","special":false},"generated_text":null})",
        R"({"token":{"id":2,"text":"llo","special":false},"generated_text":null})",
        R"({"token":{"id":3,"text":"</s>","special":true},"generated_text":"Hello"})"},
       "Hello"},
      {"ollama's chat",
       {R"({"message":{"role":"assistant","content":"He"},"done":false})",
        R"({"message":{"role":"assistant","content":"llo"},"done":false})",
        R"({"message":{"role":"assistant","content":""},"done":true})"},
       "Hello"},
      {"claude's wire: pieces and the whole",
       {R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","content":[]}}})",
        R"({"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}})",
        R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}})",
        R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Hello"}]}})",
        R"({"type":"stream_event","event":{"type":"content_block_stop","index":0}})",
        R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"World"}]}})",
        R"({"type":"result","result":"World"})"},
       "HelloWorld"},
      {"an error that is an item",
       {R"({"type":"item.completed","item":{"id":"i","type":"error","message":"no metadata"}})",
        R"({"text":"Hello"})"},
       "Hello"},
      {"claude's wire: whole messages, several blocks under one id",
       {R"({"type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"Hm"}]}})",
        R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"One."}]}})",
        R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]}})",
        R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"listing"}]}})",
        R"({"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Two."}]}})",
        R"({"type":"result","subtype":"success","is_error":false,"result":"Two."})"},
       "One.\n\nTwo."},
      {"claude's wire: an error in the place of a message",
       {R"({"type":"assistant","error":"rate_limit","is_api_error_message":true,"message":{"id":"e","model":"<synthetic>","content":[{"type":"text","text":"API Error: 429"}]}})",
        R"({"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Hello"}]}})"},
       "Hello"},
      {"several blocks of one message, each whole",
       {R"({"type":"block.completed","message_id":"m","text":"One. "})",
        R"({"type":"block.completed","message_id":"m","text":"Two. "})",
        R"({"type":"message.completed","message_id":"m","text":"One. Two. "})"},
       "One. Two. "},
      {"several blocks of one message, each streamed and then whole",
       {R"({"type":"text.delta","message_id":"m","text":"On"})",
        R"({"type":"text.delta","message_id":"m","text":"e. "})",
        R"({"type":"text.completed","message_id":"m","text":"One. "})",
        R"({"type":"text.delta","message_id":"m","text":"Two"})",
        R"({"type":"text.completed","message_id":"m","text":"Two."})"},
       "One. Two."},
      {"echoes by any name that has `user` in it",
       {R"({"type":"userprompt","text":"The prompt"})",
        R"({"type":"chat_user","content":"The prompt"})",
        R"({"type":"prompt","text":"The prompt"})", R"({"event":"USER_INPUT","text":"The prompt"})",
        R"({"author":"end-user","text":"The prompt"})",
        R"({"message":{"author":{"role":"user"},"content":"The prompt"}})",
        R"({"type":"event","data":{"type":"superuser_message","text":"The prompt"}})",
        R"({"text":"Hello"})"},
       "Hello"},
      {"logs with a number for a level, or their words inside",
       {R"({"level":30,"time":1,"pid":2,"msg":"started"})",
        R"({"timestamp":"t","level":"INFO","fields":{"message":"started"},"target":"a"})",
        R"({"level":"warning","event":"slow","logger":"x"})",
        R"({"level":"error","message":"failed once","error":"timeout"})", R"({"text":"Hello"})"},
       "Hello"},
      {"partial: false may be the whole",
       {R"({"text":"H","partial":true})", R"({"text":"He","partial":true})",
        R"({"text":"Hello","partial":false})"},
       "Hello"},
      {"partial: false may be the last piece",
       {R"({"text":"He","partial":true})", R"({"text":"l","partial":true})",
        R"({"text":"lo","partial":false})"},
       "Hello"},
      {"partial: false may be the whole of pieces",
       {R"({"text":"He","partial":true})", R"({"text":"llo","partial":true})",
        R"({"text":"Hello","partial":false})"},
       "Hello"},
      {"ids at the top name messages",
       {R"({"type":"text","id":"a","text":"He"})", R"({"type":"text","id":"a","text":"llo"})",
        R"({"type":"text","id":"b","text":"World"})"},
       "Hello\n\nWorld"},
      {"ids at the top name messages, also of new text",
       {R"({"type":"delta","id":"a","delta":"He"})", R"({"type":"delta","id":"a","delta":"llo"})",
        R"({"type":"delta","id":"b","delta":"World"})"},
       "Hello\n\nWorld"},
      {"ids at the top name lines",
       {R"({"type":"delta","id":"e-1","delta":"He"})", R"({"type":"delta","id":"e-2","delta":"l"})",
        R"({"type":"delta","id":"e-3","delta":"lo"})"},
       "Hello"},
      {"numbers at the top count lines",
       {R"({"id":"1","text":"He"})", R"({"id":"2","text":"l"})", R"({"id":"3","text":"lo"})"},
       "Hello"},
      {"cursor's wire: pieces, the whole before a tool, and all at the end",
       {R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I "}]},"timestamp_ms":1})",
        R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"run."}]},"timestamp_ms":2})",
        R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I run."}]},"model_call_id":"c","timestamp_ms":3})",
        R"({"type":"tool_call","subtype":"started","call_id":"t"})",
        R"({"type":"tool_call","subtype":"completed","call_id":"t"})",
        R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"It ran."}]},"timestamp_ms":4})",
        R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I run.It ran."}]}})",
        R"({"type":"result","subtype":"success","is_error":false,"result":"I run.It ran."})"},
       "I run.\n\nIt ran."},
  };
  return kCases;
}

}  // namespace

TEST_CASE("generic shapes: every one gives its text, and ends well") {
  CHECK(cases().size() >= 28);
  for (const Case& one : cases()) {
    CAPTURE(one.what);
    Host host;
    CHECK(host.text_of(one.lines) == one.text);
    CHECK(host.events().back().starts_with("done "));
  }
}

TEST_CASE("generic shapes: an error that is an item is told, and ends nothing") {
  Host host;
  CHECK(
      host.line(
              R"({"type":"item.completed","item":{"id":"i","type":"error","message":"no metadata"}})")
          .front() == "notice 'no metadata'");
  CHECK(host.text_of({R"({"text":"Hello"})"}) == "Hello");
}

}  // namespace plugins_generic_shapes_test
