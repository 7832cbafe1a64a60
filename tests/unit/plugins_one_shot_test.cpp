// What it is: what the agents of one process per turn have in common, and what is special to
// gemini, opencode and cursor: command lines, prompts, events, and what their ends mean.
// What it is not: whole streams (tests/transcripts).
#include "plugins/failure_words.hpp"
#include "plugins/registry.hpp"
#include "plugins/system_note.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace plugins_one_shot_test {

namespace {

using namespace agent_doc::plugins;
using agent_doc::tests::ProtocolHost;
using Args = std::vector<std::string>;

AgentSpec agent(const std::string& dialect) {
  return {"mine", dialect, "/opt/program", {"--own", "arg"}, {{"KEY", "value"}}};
}

struct Host : ProtocolHost {
  explicit Host(const std::string& dialect, const LaunchRequest& request = {})
      : ProtocolHost(make_protocol(agent(dialect))) {
    launch = protocol->launch(request);
  }
  void emit(const AgentEvent& event) override {
    ProtocolHost::emit(event);
    log.push_back(events().back());
  }
  Host& begin(const std::string& prompt) {
    protocol->begin_turn({prompt}, *this);
    return *this;
  }
  Host& line(std::string_view line) {
    protocol->on_line(line, *this);
    return *this;
  }
  Host& exit(int code, std::string stderr_tail = {}) {
    protocol->on_exit({code, 0, std::move(stderr_tail)}, *this);
    return *this;
  }

  Launch launch;
  Args log;
};

Args args_of(const std::string& dialect, const LaunchRequest& request) {
  return Host(dialect, request).launch.args;
}

const std::string kNote = std::string(kSystemNote) + "\n\n";
const char* const kDialects[] = {"gemini-stream", "opencode-run", "cursor-agent"};

}  // namespace

TEST_CASE("one-shot: command lines") {
  const LaunchRequest plain{SessionStart::New, "", "", "/srv/proj"};
  CHECK(args_of("gemini-stream", plain) == Args{"--own", "arg", "--output-format", "stream-json"});
  CHECK(args_of("opencode-run", plain) ==
        Args{"--own", "arg", "run", "--format", "json", "--thinking"});
  CHECK(args_of("cursor-agent", plain) == Args{"--own", "arg", "--print", "--output-format",
                                               "stream-json", "--stream-partial-output"});
  LaunchRequest resume{SessionStart::Resume, "s-1", "small", "/srv/proj"};
  CHECK(args_of("gemini-stream", resume) == Args{"--own", "arg", "--output-format", "stream-json",
                                                 "--model", "small", "--resume", "s-1"});
  CHECK(args_of("opencode-run", resume) == Args{"--own", "arg", "run", "--format", "json",
                                                "--thinking", "--model", "small", "--session",
                                                "s-1"});
  CHECK(args_of("cursor-agent", resume) == Args{"--own", "arg", "--print", "--output-format",
                                                "stream-json", "--stream-partial-output", "--model",
                                                "small", "--resume", "s-1"});
  LaunchRequest fork{SessionStart::Fork, "s-1", "", "/"};
  CHECK(args_of("opencode-run", fork) == Args{"--own", "arg", "run", "--format", "json",
                                              "--thinking", "--session", "s-1", "--fork"});
  LaunchRequest careful{SessionStart::New, "", "", "/", PermissionPolicy::Plan};
  CHECK(args_of("gemini-stream", careful) ==
        Args{"--own", "arg", "--output-format", "stream-json", "--approval-mode", "plan"});
  CHECK(args_of("opencode-run", careful) ==
        Args{"--own", "arg", "run", "--format", "json", "--thinking", "--agent", "plan"});
  CHECK(args_of("cursor-agent", careful) == Args{"--own", "arg", "--print", "--output-format",
                                                 "stream-json", "--stream-partial-output", "--mode",
                                                 "plan"});
  careful.permissions = PermissionPolicy::AcceptEdits;
  CHECK(args_of("gemini-stream", careful) ==
        Args{"--own", "arg", "--output-format", "stream-json", "--approval-mode", "auto_edit"});
  for (const char* dialect : kDialects) {
    CAPTURE(dialect);
    const Host host(dialect, plain);
    CHECK(host.launch.command == "/opt/program");
    CHECK(host.launch.cwd == "/srv/proj");
    CHECK(host.launch.env.at("KEY") == "value");
    CHECK(host.launch.lifetime == ProcessLifetime::Turn);
    CHECK_FALSE(host.launch.prompt_file.has_value());
    CHECK(host.protocol->session_support().resume);
    CHECK(host.protocol->session_support().fork == (std::string_view(dialect) == "opencode-run"));
  }
}

TEST_CASE("one-shot: what a document says never becomes an option, nor a prompt an argument") {
  const LaunchRequest hostile{SessionStart::Resume,  "--dangerously", "-x", "/",
                              PermissionPolicy::Ask, "PROMPT"};
  for (const char* dialect : kDialects) {
    CAPTURE(dialect);
    for (const std::string& arg : args_of(dialect, hostile)) {
      CHECK(arg != "-x");
      CHECK(arg != "--dangerously");
      CHECK(arg.find("PROMPT") == std::string::npos);
    }
  }
}

TEST_CASE(
    "one-shot: the prompt goes to standard input and nothing after it; a new session is told where "
    "it writes") {
  for (const char* dialect : kDialects) {
    CAPTURE(dialect);
    Host fresh(dialect);
    fresh.begin("Two\nlines");
    CHECK(fresh.written() == Args{kNote + "Two\nlines", "(closed)"});
    CHECK(fresh.log == Args{});
    Host resumed(dialect, {SessionStart::Resume, "s-1", "", "/"});
    resumed.begin("Two\nlines");
    CHECK(resumed.written() == Args{"Two\nlines", "(closed)"});
  }
}

TEST_CASE(
    "one-shot: the end of the process is the end of the turn, once; questions are not answered") {
  for (const char* dialect : kDialects) {
    CAPTURE(dialect);
    Host host(dialect);
    host.exit(0);
    CHECK(host.log == Args{});
    host.begin("x").exit(3, "It broke.\n").exit(3);
    CHECK(host.log == Args{"failure 8 mine: The agent ended before the turn did (exit code 3): It "
                           "broke. `agent-doc doctor` shows whether it starts.",
                           "failed ''"});
    Host stopped(dialect);
    stopped.begin("x");
    stopped.protocol->answer("p", "allow", stopped);
    stopped.protocol->cancel(stopped);
    stopped.exit(1);
    CHECK(stopped.written().back() == "(signal)");
    CHECK(stopped.log == Args{"cancelled ''"});
    stopped.protocol->cancel(stopped);
    CHECK(stopped.written() == Args{});
  }
}

TEST_CASE("gemini: events") {
  Host host("gemini-stream");
  CHECK(host.launch.env.at("GEMINI_CLI_NO_RELAUNCH") == "true");
  host.begin("x")
      .line(R"({"type":"init","session_id":"s-1","model":"auto"})")
      .line(R"({"type":"message","role":"user","content":"x"})")
      .line(R"({"type":"message","role":"assistant","content":"One ","delta":true})")
      .line(R"({"type":"new_kind"})")
      .line(R"({"type":"message","role":"assistant","content":"text.","delta":true})")
      .line(
          R"({"type":"tool_use","tool_name":"read_file","tool_id":"t1","parameters":{"file_path":"a.txt"}})")
      .line(R"({"type":"tool_result","tool_id":"t1","status":"error"})")
      .line(R"({"type":"error","severity":"warning","message":"Loop detected"})")
      .line(R"({"type":"message","role":"assistant","content":"A whole one."})")
      .line(R"({"type":"message","role":"assistant","content":"Next","delta":true})")
      .line(
          R"({"type":"result","status":"success","stats":{"input_tokens":20,"input":15,"output_tokens":7,"cached":5}})")
      .line("{broken")
      .exit(0);
  CHECK(host.log == Args{"session s-1 auto", "text 1#0 'One '", "unrecognised new_kind",
                         "text 1#0 'text.'", "tool t1 read_file 'a.txt'", "tool end t1 error",
                         "notice 'Loop detected'", "snapshot 2#0 'A whole one.'", "text 3#0 'Next'",
                         "usage 15 7 5 0 0", "malformed {broken", "done ''"});
}

TEST_CASE("gemini: what its exit codes and error texts mean") {
  const auto ending = [](std::string_view last_line, int code, const std::string& stderr_tail) {
    Host host("gemini-stream");
    host.begin("x");
    if (!last_line.empty()) host.line(last_line);
    host.log.clear();
    host.exit(code, stderr_tail);
    REQUIRE(host.log.size() == 2);
    CHECK(host.log.back() == "failed ''");
    return host.log.front();
  };
  const std::string noise =
      "Warning: Basic terminal detected.\nRipgrep is not available.\n[STARTUP] Phase\n    at f "
      "(file.js:1)\n";
  CHECK(
      ending(
          R"({"type":"result","status":"error","error":{"message":"[API Error: {\"error\":{\"code\":404,\"message\":\"no such model\"}}]"}})",
          404 % 256, noise) ==
      "failure 2 mine: no such model. Check the model and the prompt, then run again.");
  CHECK(
      ending(R"({"type":"result","status":"error","error":{"message":"[API Error: busy]\nWait."}})",
             173, noise) == "failure 1 mine: busy. Wait a while, then run again.");
  CHECK(ending(
            R"({"type":"result","status":"error","error":{"message":"[API Error: fetch failed]"}})",
            1, noise) == "failure 3 mine: fetch failed. Check the connection, then run again.");
  CHECK(ending(R"({"type":"result","status":"error"})", 0, noise) ==
        "failure 9 mine: The turn ended with an error. Run again; `agent-doc doctor` shows whether "
        "the agent works.");
  CHECK(ending("", 41, noise + "Please set an Auth method\n") ==
        "failure 0 mine: The agent ended before the turn did (exit code 41): Please set an Auth "
        "method. Start `gemini` in a terminal and "
        "log in with /auth, or "
        "mend its API key; then run again.");
  CHECK(ending("", 42, noise + "Unknown argument: own\n").starts_with("failure 2 mine: "));
  CHECK(ending("", 42, noise + "Error resuming session: Invalid session identifier \"x\".\n")
            .starts_with("failure 6 mine: "));
  CHECK(ending("", 55, noise + "not running in a trusted directory") ==
        "failure 2 mine: gemini does not work in a folder that it does not trust. Start `gemini` "
        "there once and trust it, or give it `args "
        "= [\"--skip-trust\"]` "
        "in [agents.mine] of agent-doc's config.toml; then run again.");
  CHECK(ending("", 0, noise) ==
        "failure 8 mine: The agent ended before the turn did (exit code 0). `agent-doc doctor` "
        "shows whether it starts.");
}

TEST_CASE("opencode: parts are blocks of their message; usage by step; the exit code decides") {
  Host host("opencode-run");
  host.begin("x")
      .line(R"({"type":"step_start","sessionID":"ses_1","part":{"id":"p0","messageID":"m1"}})")
      .line(
          R"({"type":"reasoning","sessionID":"ses_1","part":{"id":"p1","messageID":"m1","text":"Hm."}})")
      .line(R"({"type":"text","sessionID":"ses_1","part":{"id":"p2","messageID":"m1","text":"A"}})")
      .line(
          R"({"type":"text","sessionID":"ses_1","part":{"id":"p2","messageID":"m1","text":"A and more"}})")
      .line(
          R"({"type":"tool_use","sessionID":"ses_1","part":{"tool":"bash","callID":"c1","state":{"status":"error","input":{"command":"ls"}}}})")
      .line(
          R"({"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":3,"output":4,"reasoning":2,"cache":{"read":1,"write":6}},"cost":0.000026}})")
      .line(R"({"type":"later","sessionID":"ses_1","part":{}})")
      .exit(0);
  CHECK(host.log == Args{"session ses_1 ", "message m1", "thought m1#0 'Hm.'", "snapshot m1#1 'A'",
                         "snapshot m1#1 'A and more'", "tool c1 bash 'ls'", "tool end c1 error",
                         "usage 3 6 1 6 26", "unrecognised later", "done ''"});

  const auto ending = [](const Args& lines, int code, const std::string& stderr_tail) {
    Host failing("opencode-run");
    failing.begin("x");
    for (const std::string& line : lines) failing.line(line);
    failing.log.clear();
    failing.exit(code, stderr_tail);
    return failing.log.front();
  };
  CHECK(
      ending(
          {R"({"type":"error","error":{"name":"ProviderAuthError","data":{"message":"no key"}}})"},
          1, "") ==
      "failure 0 mine: no key. Log in with `opencode auth login`, or mend its API key; then run "
      "again.");
  CHECK(
      ending(
          {R"({"type":"error","error":{"name":"ContentFilterError","data":{"message":"blocked"}}})"},
          1, "")
          .starts_with("failure 4 mine: blocked."));
  CHECK(ending({R"({"type":"error","error":{"name":"MessageOutputLengthError","data":{}}})"}, 1, "")
            .starts_with("failure 5 "));
  CHECK(
      ending(
          {R"({"type":"error","error":{"name":"UnknownError","data":{"message":"Unexpected server error"}}})"},
          1, "")
          .starts_with("failure 9 "));
  CHECK(ending({R"({"type":"step_finish","part":{"reason":"length"}})"}, 0, "")
            .starts_with("failure 5 mine: The answer reached the limit"));
  CHECK(ending({R"({"type":"step_finish","part":{"reason":"tool-calls"}})"}, 0, "")
            .starts_with("failure 8 "));
  CHECK(ending({}, 0, "").starts_with("failure 8 "));
  CHECK(ending({}, 1, "Error: Session not found").starts_with("failure 6 "));
}

TEST_CASE("cursor: a delta, the text before a tool call, the text at the end") {
  const auto says = [](const std::string& text, const std::string& more) {
    return R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":")" +
           text + "\"}]}" + more + "}";
  };
  Host host("cursor-agent");
  host.begin("x")
      .line(R"({"type":"system","subtype":"init","session_id":"s","model":"Auto","cwd":"/w"})")
      .line(R"({"type":"thinking","subtype":"delta","text":"Hm"})")
      .line(R"({"type":"thinking","subtype":"completed"})")
      .line(says("A ", R"(,"timestamp_ms":1)"))
      .line(says("b", R"(,"timestamp_ms":2)"))
      .line(says("A b", R"(,"timestamp_ms":3,"model_call_id":"mc")"))
      .line(
          R"({"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"shellToolCall":{"args":{"command":"ls"}}}})")
      .line(
          R"({"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"shellToolCall":{"args":{},"result":{"success":{}}}}})")
      .line(says("C", R"(,"timestamp_ms":4)"))
      .line(says("A bC", ""))
      .line(
          R"({"type":"result","subtype":"success","is_error":false,"result":"A bC","session_id":"s"})")
      .exit(0);
  CHECK(host.log == Args{"session s Auto", "thinking 1#0 'Hm'", "text 1#1 'A '", "text 1#1 'b'",
                         "snapshot 1#1 'A b'", "tool c shell 'ls'", "tool end c", "text 2#1 'C'",
                         "done 'A bC'"});
}

TEST_CASE("the kind of a failure, from a status or from words") {
  CHECK(kind_of_status(401) == FailureKind::Auth);
  CHECK(kind_of_status(429) == FailureKind::RateLimit);
  CHECK(kind_of_status(404) == FailureKind::Invalid);
  CHECK(kind_of_status(503) == FailureKind::RateLimit);
  CHECK(kind_of_status(200) == FailureKind::Unknown);
  CHECK(kind_of_words("Error: Not Logged In") == FailureKind::Auth);
  CHECK(kind_of_words("429 Too Many Requests") == FailureKind::RateLimit);
  CHECK(kind_of_words("connect ECONNREFUSED 127.0.0.1:1") == FailureKind::Network);
  CHECK(kind_of_words("it broke") == FailureKind::Unknown);
}

}  // namespace plugins_one_shot_test
