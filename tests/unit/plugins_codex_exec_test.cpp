// What it is: the dialect codex-exec, line by line: what it launches and makes of single messages.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/codex/codex_exec.hpp"

#include "plugins/system_note.hpp"
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::codex_test {

const AgentSpec kExecSpec{"codex-exec", "codex-exec", "codex", {}, {}};

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
  CHECK(
      args(request) ==
      R"(-c x=1 exec --json --skip-git-repo-check --model=--yolo -c -c sandbox_mode="read-only" -- -)");
  request = start(SessionStart::Resume, "--dangerously-bypass-approvals-and-sandbox");
  request.permissions = PermissionPolicy::AcceptEdits;
  CHECK(args(request) ==
        "-c x=1 exec resume --json --skip-git-repo-check -c -c sandbox_mode=\"workspace-write\" -- "
        "--dangerously-bypass-approvals-and-sandbox -");
  CHECK(args(start(SessionStart::Fork, "S")) ==
        "-c x=1 exec fork --json --skip-git-repo-check -c -- S -");
}

TEST_CASE("codex exec: single lines") {
  struct Case {
    std::string line;
    Told events;
  };
  const std::vector<Case> cases = {
      {R"({"type":"thread.started","thread_id":"T"})", {"session T "}},
      {R"({"type":"turn.started"})", {}},
      {R"({"type":"item.completed","item":{"id":"i","type":"error","message":"old model"}})",
       {"notice 'old model'"}},
      {R"({"type":"item.updated","item":{"id":"i","type":"todo_list","items":[{"text":"a","completed":true},{"text":"b","completed":false}]}})",
       {"notice 'plan, 1 of 2 done: b'"}},
      {R"({"type":"item.updated","item":{"id":"i","type":"command_execution"}})", {}},
      {R"({"type":"item.brand_new","item":{"id":"i","type":"command_execution"}})",
       {"unrecognised item.brand_new"}},
      {R"({"type":"item.completed"})", {"unrecognised item.completed"}},
      {R"({"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Hi."}})",
       {"message i", "snapshot i#0 'Hi.'", "end i#0", "message end i "}},
      {R"x({"type":"error","message":"Reconnecting... 1/2 (lost)"})x",
       {"notice 'retrying (1/2): lost'"}},
      {R"({"type":"error","message":"stream disconnected"})", {}},
      {R"({"type":"turn.failed"})",
       {"failure 9 codex-exec: The turn failed. Run again; `agent-doc doctor` shows whether the "
        "agent works.",
        "failed ''"}},
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
        Told{"failure 3 codex-exec: stream disconnected. Check the connection, then run again.",
             "failed ''"});
  CHECK(host.exit({1, 0, "noise"}).empty());
}

}  // namespace agent_doc::plugins::codex_test
