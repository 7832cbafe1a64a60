// What it is: the dialect `generic`: the command line that the configuration describes, plain text,
// and what is told from JSON lines that nobody described.
// What it is not: real streams of known agents read by it (tests/transcripts/one_shot_test.cpp).
#include "plugins/registry.hpp"
#include "plugins/system_note.hpp"
#include "tests/unit/protocol_host.hpp"
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace plugins_generic_test {

namespace {

using namespace agent_doc::plugins;
using agent_doc::tests::ProtocolHost;
using Args = std::vector<std::string>;
using Format = GenericAgent::Format;
using TextMode = GenericAgent::TextMode;

AgentSpec agent(const Args& args, GenericAgent generic = {}) {
  AgentSpec spec{"mine", "generic", "/opt/program", args, {}};
  spec.generic = std::move(generic);
  return spec;
}

/// A turn of the agent, with the reply as it stands.
struct Host : ProtocolHost {
  explicit Host(const AgentSpec& spec, const LaunchRequest& request = {})
      : ProtocolHost(make_protocol(spec)),
        reply(agent_doc::turn::Rounds::All, agent_doc::turn::Thinking::None, document) {
    launch = protocol->launch(request);
  }
  void emit(const AgentEvent& event) override {
    ProtocolHost::emit(event);
    log.push_back(events().back());
    reply.on_event(event);
  }
  Host& begin() {
    protocol->begin_turn({"The prompt"}, *this);
    return *this;
  }
  Host& lines(const Args& all) {
    for (const std::string& line : all) protocol->on_line(line, *this);
    return *this;
  }
  Host& exit(int code, std::string stderr_tail = {}) {
    protocol->on_exit({code, 0, std::move(stderr_tail)}, *this);
    reply.finish();
    return *this;
  }

  Launch launch;
  Args log;
  agent_doc::turn::EditedText document;
  agent_doc::turn::Reply reply;
};

Args args_of(const AgentSpec& spec, const LaunchRequest& request) {
  return Host(spec, request).launch.args;
}

std::string text_of(const Args& lines, GenericAgent generic = {}) {
  Host host(agent({}, std::move(generic)));
  host.begin().lines(lines).exit(0);
  CHECK(host.log.back().starts_with("done "));
  return host.document.text();
}

const LaunchRequest kNew{SessionStart::New, "", "", "/w"};
const LaunchRequest kResume{SessionStart::Resume, "s-1", "small", "/w"};

}  // namespace

TEST_CASE("generic: placeholders are filled in, or left out with their option") {
  const AgentSpec spec = agent(
      {"chat", "--model", "{model}", "--id={session_id}", "--json", "-s", "{session_id}", "-"});
  CHECK(args_of(spec, kNew) == Args{"chat", "--json", "-"});
  CHECK(args_of(spec, kResume) ==
        Args{"chat", "--model", "small", "--id=s-1", "--json", "-s", "s-1", "-"});
  CHECK(args_of(agent({"{model}", "x"}), kNew) == Args{"x"});
  CHECK(args_of(agent({"ask", "{model}"}), kNew) == Args{"ask"});
}

TEST_CASE("generic: resuming and forking have arguments of their own") {
  GenericAgent generic;
  generic.resume_args = {"resume", "{session_id}"};
  generic.fork_args = {"fork", "{session_id}"};
  const AgentSpec spec = agent({"exec"}, generic);
  CHECK(args_of(spec, kNew) == Args{"exec"});
  CHECK(args_of(spec, kResume) == Args{"exec", "resume", "s-1"});
  CHECK(args_of(spec, {SessionStart::Fork, "s-1", "", "/w"}) == Args{"exec", "fork", "s-1"});

  const auto support = [](const Args& args, const Args& resume, const Args& fork,
                          Format format = Format::Ndjson) {
    GenericAgent one;
    one.format = format;
    one.resume_args = resume;
    one.fork_args = fork;
    const SessionSupport can = Host(agent(args, one)).protocol->session_support();
    return std::pair(can.resume, can.fork);
  };
  CHECK(support({}, {}, {}) == std::pair(false, false));
  CHECK(support({"{session_id}"}, {}, {}) == std::pair(true, false));
  CHECK(support({"{session_id}"}, {}, {"--fork"}) == std::pair(true, true));
  CHECK(support({}, {"-r", "{session_id}"}, {}) == std::pair(true, false));
  CHECK(support({}, {"--last"}, {"--last"}) == std::pair(false, false));
  CHECK(support({}, {}, {"-f", "{session_id}"}) == std::pair(false, true));
  CHECK(support({"{session_id}"}, {}, {}, Format::Text) == std::pair(false, false));
}

TEST_CASE("generic: a value that looks like an option stays a value, or is not given at all") {
  const LaunchRequest hostile{SessionStart::Resume, "-id", "--yolo", "/w"};
  CHECK(args_of(agent({"--model", "{model}", "--id={session_id}"}), hostile) ==
        Args{"--model=--yolo", "--id=-id"});
  Host host(agent({"{model}", "-s", "{session_id}"}), hostile);
  CHECK(host.launch.args == Args{"-s"});
  host.begin();
  CHECK(host.written() == Args{"", "(closed)", "(signal)"});
  host.exit(0);
  CHECK(
      host.log.front().starts_with("failure 2 mine: \"-id\" looks like an option of the program"));
  CHECK(host.log.back() == "failed ''");
}

TEST_CASE("generic: the prompt goes to standard input, or into a file") {
  const std::string prompt = std::string(kSystemNote) + "\n\nThe prompt";
  Host by_stdin(agent({}), {SessionStart::New, "", "", "/w", PermissionPolicy::Ask, "The prompt"});
  CHECK_FALSE(by_stdin.launch.prompt_file.has_value());
  by_stdin.begin();
  CHECK(by_stdin.written() == Args{prompt, "(closed)"});
  Host by_file(agent({"--file", "{prompt_file}"}),
               {SessionStart::New, "", "", "/w", PermissionPolicy::Ask, "The prompt"});
  CHECK(by_file.launch.args == Args{"--file", "{prompt_file}"});
  CHECK(by_file.launch.prompt_file == prompt);
  by_file.begin();
  CHECK(by_file.written() == Args{"(closed)"});
}

TEST_CASE("generic text: all lines are the reply, and the exit code decides") {
  GenericAgent text;
  text.format = Format::Text;
  Host host(agent({}, text), {SessionStart::New, "", "small", "/w"});
  host.begin().lines({"# Title", "", "  {\"not\": \"read\"}", "\x1b[31mred\x1b[0m", ""}).exit(0);
  CHECK(host.document.text() == "# Title\n\n  {\"not\": \"read\"}\nred");
  CHECK(host.log.front() == "session  small");
  CHECK(host.log.back() == "done ''");
  Host failing(agent({}, text));
  failing.begin().lines({"Half"}).exit(2, "no such model\n");
  CHECK(failing.document.text() == "Half");
  CHECK(failing.log.back() == "failed ''");
  CHECK(failing.log[1] ==
        "failure 8 mine: The agent ended before the turn did (exit code 2): no such model. "
        "`agent-doc doctor` shows whether it starts.");
}

TEST_CASE("generic text: what stands in the pipe is text, also without a line") {
  GenericAgent text;
  text.format = Format::Text;
  Host host(agent({}, text));
  CHECK(host.launch.output == OutputForm::Text);
  CHECK(Host(agent({})).launch.output == OutputForm::Lines);
  host.begin();
  for (const std::string_view piece :
       {"fifty", " words \x1b[3", "1mred\x1b", "[0m and\r", "\n more"}) {
    host.protocol->on_output(piece, host);
    if (piece == "fifty") CHECK(host.document.text() == "fifty");
  }
  host.exit(0);
  CHECK(host.document.text() == "fifty words red and\n more");
  CHECK(host.log.back() == "done ''");
}

TEST_CASE(
    "generic: nothing at all is a failure, and so is nothing that is text; what was printed is "
    "handed over for the log") {
  const auto ending = [](Format format, const Args& lines) {
    GenericAgent generic;
    generic.format = format;
    Host host(agent({}, generic));
    host.begin().lines(lines).exit(0);
    REQUIRE(host.log.size() >= 2);
    CHECK(host.log.back() == "failed ''");
    return host.log[host.log.size() - 2];
  };
  CHECK(ending(Format::Text, {}).starts_with("failure 9 mine: it ended well but printed nothing."));
  CHECK(ending(Format::Text, {"", "  "})
            .starts_with("failure 9 mine: it ended well but printed nothing."));
  CHECK(ending(Format::Ndjson, {}).starts_with("failure 9 mine: it ended without a line of JSON."));
  CHECK(ending(Format::Ndjson, {R"({"event":"start"})", R"({"event":"done"})"})
            .starts_with("failure 9 mine: its 2 lines held no text;"));
  Host host(agent({}));
  host.begin()
      .lines({"loading", R"({"type":"surprise","body":"x"})", R"({"text":"Hello"})", "later"})
      .exit(0);
  CHECK(host.log == Args{"notice 'loading'", "printed 'loading'", "unrecognised surprise",
                         R"(printed '{"type":"surprise","body":"x"}')", "text 1#1 'Hello'",
                         "notice 'later'", "done ''"});
  Host tools(agent({}));
  tools.begin().lines({R"({"type":"tool_call","id":"t","name":"ls"})"}).exit(0);
  CHECK(tools.log.back() == "done ''");
}

TEST_CASE(
    "generic text: a failure that is told on standard output only is told as one, and is not the "
    "reply") {
  GenericAgent text;
  text.format = Format::Text;
  Host host(agent({}, text));
  host.begin().lines({"Error: invalid x-api-key"}).exit(1);
  CHECK(
      host.log[host.log.size() - 2].starts_with("failure 0 mine: The agent ended before the turn "
                                                "did (exit code 1): Error: invalid x-api-key."));
}

TEST_CASE("generic: where the text is, and whether it is new") {
  // Deltas, in the fields of many agents.
  CHECK(text_of({R"({"type":"text_delta","text":"He"})",
                 R"({"type":"text_delta","text":"llo"})"}) == "Hello");
  CHECK(text_of({R"({"event":"content.chunk","content":"He"})",
                 R"({"event":"content.chunk","content":"llo"})"}) == "Hello");
  CHECK(text_of({R"({"delta":{"content":"He"}})", R"({"delta":{"content":"llo"}})"}) == "Hello");
  CHECK(
      text_of(
          {R"({"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"He"}}]})",
           R"({"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"llo"}}]})",
           R"({"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"}) ==
      "Hello");
  CHECK(text_of({R"({"response":"He","done":false})", R"({"response":"llo","done":true})"}) ==
        "Hello");
  CHECK(
      text_of(
          {R"(data: {"type":"message_chunk","message":{"role":"assistant","content":[{"type":"text","text":"He"},{"type":"tool_use","text":"no"}]}})",
           R"(data: {"type":"message_chunk","output":"llo"})"}) == "Hello");
  // What repeats is kept.
  CHECK(text_of({R"({"text":"ha"})", R"({"text":"ha"})", R"({"text":"ha"})"}) == "hahaha");
  CHECK(text_of({R"({"text":"a\n"})", R"({"text":"  "})", R"({"text":"    "})",
                 R"({"text":"      b"})"}) == "a\n            b");
  // Growing texts are taken for the whole at the third one, and put right.
  CHECK(text_of({R"({"text":"H"})", R"({"text":"Hel"})", R"({"text":"Hello"})",
                 R"({"text":"Hello, you"})"}) == "Hello, you");
  CHECK(text_of({R"({"type":"message.update","message_id":"a","text":"One"})",
                 R"({"type":"message.update","message_id":"b","text":"Two"})",
                 R"({"type":"message.update","message_id":"a","text":"One x"})",
                 R"({"type":"message.update","message_id":"b","text":"Two y"})",
                 R"({"type":"message.update","message_id":"a","text":"One x z"})",
                 R"({"type":"message.update","message_id":"b","text":"Two y w"})"}) ==
        "One x z\n\nTwo y w");
  // A field that is called delta is one, however it grows.
  CHECK(text_of({R"({"delta":"="})", R"({"delta":"=="})", R"({"delta":"==="})"}) == "======");
}

TEST_CASE("generic: whole texts at the end of a message and of the turn") {
  const Args deltas = {R"({"type":"text_delta","text":"He"})",
                       R"({"type":"text_delta","text":"llo"})"};
  const auto with = [&deltas](const Args& more) {
    Args all = deltas;
    all.insert(all.end(), more.begin(), more.end());
    return text_of(all);
  };
  CHECK(with({R"({"type":"message_stop"})", R"({"type":"done"})"}) == "Hello");
  CHECK(with({R"({"type":"message.completed","text":"Hello"})",
              R"({"type":"item.completed","item":{"text":"Hello"}})",
              R"({"type":"result","result":"Hello"})"}) == "Hello");
  CHECK(with({R"({"type":"message.completed","text":"Jello"})"}) == "Jello");
  CHECK(with({R"({"type":"result","result":"Hello, whole"})"}) == "Hello, whole");
  CHECK(with({R"({"type":"message.completed","text":"Hello"})",
              R"({"type":"text_delta","text":"Again"})",
              R"({"type":"result","result":"HelloAgain"})"}) == "Hello\n\nAgain");
  CHECK(text_of(
            {R"({"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"One"}})",
             R"({"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"One"}})",
             R"({"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Two"}})",
             R"({"type":"turn.completed","error":null})"}) == "One\n\nTwo");
  CHECK(text_of({R"({"type":"message.completed","text":"One"})",
                 R"({"type":"message.completed","text":"Two"})"}) == "One\n\nTwo");
  CHECK(text_of({R"({"type":"result","result":"Only here"})"}) == "Only here");
}

TEST_CASE("generic: what is no text of the agent") {
  CHECK(
      text_of({R"({"type":"message","role":"user","content":"The prompt"})",
               R"({"type":"user","message":{"content":"The prompt"}})",
               R"({"type":"system","message":"hello"})", R"({"type":"thinking_delta","text":"Hm"})",
               R"({"type":"message","content":[{"type":"thinking","thinking":"Hm"}]})",
               R"({"type":"tool_result","content":"listing"})",
               R"({"type":"message","message":{"role":"tool","content":"listing"}})", "loading …",
               R"({"text":"Hello"})"}) == "Hello");
  Host host(agent({}));
  host.begin()
      .lines(
          {R"({"text":"One"})",
           R"({"type":"tool_call.started","tool_call_id":"t","tool_name":"ls","input":{"path":"/x"}})",
           R"({"type":"tool_call.completed","tool_call_id":"t"})", R"({"text":"Two"})",
           R"({"type":"surprise"})", "loading …", "{broken",
           R"({"type":"end","usage":{"prompt_tokens":3,"completion_tokens":4}})"})
      .exit(0);
  CHECK(host.document.text() == "One\n\nTwo");
  CHECK(host.log == Args{"text 1#1 'One'", "tool t ls '/x'", "tool end t", "text 2#1 'Two'",
                         "unrecognised surprise", "notice 'loading …'", "malformed {broken",
                         "usage 3 4 0 0 0", "done ''"});
}

TEST_CASE(
    "generic: a turn of which nothing was understood fails, names the field, and shows the first "
    "line") {
  const auto ending = [](const Args& lines) {
    Host host(agent({}));
    host.begin().lines(lines).exit(0);
    return host.log[host.log.size() - 2] + " | " + host.log.back();
  };
  CHECK(ending({R"({"type":"init","session_id":"s"})", R"({"type":"reply.piece","body":"Hello"})",
                R"({"type":"reply.piece","body":"you"})"}) ==
        "failure 9 mine: it gave no text that was understood. 2 lines were not understood, the "
        "first: "
        "{\"type\":\"reply.piece\",\"body\":\"Hello\"}\n"
        "Say where its text is, by `text_field = \"…\"` in [agents.mine] of config.toml; "
        "`agent-doc doctor mine --explain` shows what each "
        "line was "
        "taken for. Run again; `agent-doc doctor` shows whether the agent works. | failed ''");
  CHECK(ending({R"({"event":"done","body":"Hello"})"})
            .find("the first: {\"event\":\"done\",\"body\":\"Hello\"}") != std::string::npos);
  CHECK(ending({R"({"x":")" + std::string(5000, 'x') + R"("})"}).find("xxx… (4708 bytes more)") !=
        std::string::npos);
}

TEST_CASE("generic: the configuration says where the text is, and what it is") {
  GenericAgent generic;
  generic.text_field = "answer.part";
  CHECK(text_of({R"({"answer":{"part":"He"},"text":"no"})", R"({"text":"no"})",
                 R"({"answer":{"part":"llo"}})"},
                generic) == "Hello");
  generic.text_field = "t";
  generic.text_mode = TextMode::Snapshots;
  CHECK(text_of({R"({"t":"H"})", R"({"t":"Hello"})"}, generic) == "Hello");
  generic.text_mode = TextMode::Deltas;
  CHECK(text_of({R"({"t":"="})", R"({"t":"=="})", R"({"t":"==="})"}, generic) == "======");
  generic.text_mode = TextMode::Messages;
  CHECK(text_of({R"({"t":"One"})", R"({"t":"Two"})"}, generic) == "One\n\nTwo");
}

TEST_CASE(
    "generic: the session is taken where it is given, and only by an agent that can go on with "
    "it") {
  const auto session_of = [](GenericAgent generic, const std::string& line) {
    Host host(agent({}, std::move(generic)));
    host.begin().lines({line, line}).exit(0);
    std::string told;
    for (const std::string& event : host.log)
      told += event.starts_with("session") ? event + ";" : "";
    return told;
  };
  GenericAgent generic;
  generic.resume_args = {"-r", "{session_id}"};
  CHECK(session_of(generic, R"({"type":"init","session_id":"s-1","model":"small"})") ==
        "session s-1 small;");
  CHECK(session_of(generic, R"({"type":"start","threadId":"t-1"})") == "session t-1 ;");
  CHECK(session_of(generic, R"({"type":"start","meta":{"session":"s-1"}})").empty());
  generic.session_id_field = "meta.session";
  CHECK(session_of(generic, R"({"type":"start","meta":{"session":"s-1"},"session_id":"other"})") ==
        "session s-1 ;");
  CHECK(session_of({}, R"({"type":"init","session_id":"s-1"})").empty());
}

TEST_CASE("generic: failures") {
  const auto ending = [](const Args& lines, int code, const std::string& stderr_tail = {}) {
    Host host(agent({}));
    host.begin().lines(lines).exit(code, stderr_tail);
    return host.log.size() < 2 ? host.log.back()
                               : host.log[host.log.size() - 2] + " | " + host.log.back();
  };
  CHECK(ending({R"({"type":"error","message":"rate limit reached"})"}, 0) ==
        "failure 1 mine: rate limit reached. Wait a while, then run again. | failed ''");
  CHECK(ending({R"({"type":"turn.failed","error":{"message":"fetch failed"}})"}, 1)
            .starts_with("failure 3 mine: fetch failed."));
  CHECK(ending({R"({"type":"result","is_error":true,"result":"It broke"})"}, 0)
            .starts_with("failure 9 mine: It broke."));
  CHECK(ending({R"({"type":"error","message":"hiccup"})", R"({"text":"Hello"})"}, 0) ==
        "text 1#1 'Hello' | done ''");
  CHECK(
      ending({R"({"text":"Hello"})", R"({"type":"done"})", R"({"type":"error","message":"late"})"},
             0) == "text 1#1 'Hello' | done ''");
  CHECK(ending({R"({"text":"Hello"})"}, 3, "it broke")
            .starts_with(
                "failure 8 mine: The agent ended before the turn did (exit code 3): it broke."));
  CHECK(ending({"plain text", "and more"}, 0)
            .starts_with("failure 9 mine: it ended without a line of JSON. If it prints plain "
                         "text, set `format = \"text\"`"));
}

}  // namespace plugins_generic_test
