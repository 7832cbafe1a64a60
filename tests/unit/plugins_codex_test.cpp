// What it is: the dialect codex, line by line: what it launches, its handshake and its thread,
// prompts and stops.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/codex/codex.hpp"

#include "plugins/failure.hpp"
#include "plugins/system_note.hpp"
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::codex_test {

namespace json = boost::json;

/// The parameters of the request that starts the thread, without the note on the document.
inline std::string thread_request(const LaunchRequest& request) {
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
  CHECK(thread_request(request) ==
        R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"never","sandbox":"read-only"})");
  request.permissions = PermissionPolicy::Plan;
  CHECK(thread_request(request) ==
        R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"never","sandbox":"read-only"})");
  request.permissions = PermissionPolicy::AcceptEdits;
  CHECK(
      thread_request(request) ==
      R"(thread/start {"cwd":"/srv/proj","approvalPolicy":"on-request","sandbox":"workspace-write"})");
  CHECK(thread_request(start(SessionStart::Resume, "S")) ==
        R"(thread/resume {"threadId":"S","excludeTurns":true,"cwd":"/srv/proj"})");
  CHECK(thread_request(start(SessionStart::Fork, "S")) ==
        R"(thread/fork {"threadId":"S","excludeTurns":true,"cwd":"/srv/proj"})");
}

TEST_CASE("codex: the old turns are left out only where the version takes that") {
  const auto is_sent = [](const std::string& user_agent) {
    AppServer host(start(SessionStart::Resume, "S"));
    host.begin();
    static_cast<void>(host.line(R"({"id":1,"result":{"userAgent":")" + user_agent + R"("}})"));
    return host.written().back().find("excludeTurns") != std::string::npos;
  };
  for (const char* version : {"agent-doc/0.142.0 (x)", "a/0.169.0", "a/1.0.0", "a/0.142"}) {
    CAPTURE(version);
    CHECK(is_sent(version));
  }
  for (const char* version : {"a/0.131.0", "a/0.141.3 (x)", "a/0.99.0", "codex", "", "a/",
                              "a/x.200", "a/0.99999999999"}) {
    CAPTURE(version);
    CHECK_FALSE(is_sent(version));
  }
}

TEST_CASE("codex: a turn that ends because a question got a no has failed, and nobody stopped it") {
  AppServer host;
  host.begin_answer();
  static_cast<void>(host.line(
      R"({"id":9,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"i","command":"ls"}})"));
  SUBCASE("denied") {
    host.answer("9", "decline");
    CHECK(host.end("interrupted") ==
          Told{"failure " + std::to_string(static_cast<int>(FailureKind::Refused)) + " " +
                   describe_denied_end(kSpec).message,
               "failed ''"});
  }
  SUBCASE("allowed") {
    host.answer("9", "accept");
    CHECK(host.end("interrupted") == Told{"cancelled ''"});
  }
  SUBCASE("denied, and stopped") {
    host.answer("9", "decline");
    host.cancel();
    CHECK(host.end("interrupted") == Told{"cancelled ''"});
  }
}

TEST_CASE("codex: the prompt waits for the handshake, later prompts do not") {
  AppServer host;
  host.begin("one");
  CHECK(host.line(R"({"method":"configWarning","params":{"summary":"no bubblewrap"}})") ==
        Told{"notice 'no bubblewrap'"});
  CHECK(host.line(kInitialized).empty());
  CHECK(host.line(R"({"method":"thread/started","params":{"thread":{"id":"T"}}})").empty());
  CHECK(host.written().size() == 2);
  CHECK(host.line(kThread).empty());
  CHECK(host.written() == Told{turn_start("one")});
  CHECK(host.line(kTurn) == Told{"session T m"});
  CHECK(host.end("completed") == Told{"done ''"});
  host.protocol->begin_turn({"two"}, host);
  CHECK(host.written() == Told{turn_start("two", 4)});
  CHECK(host.line(R"({"method":"turn/started","params":{"threadId":"T","turn":{"id":"t2"}}})") ==
        Told{"session T m"});
  CHECK(host.line(R"({"id":4,"result":{"turn":{"id":"t2"}}})").empty());
  CHECK(
      host.line(
          R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t2","status":"completed"}}})") ==
      Told{"done ''"});
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
      {SessionStart::Resume, "config is broken", FailureKind::SessionUnknown},
      {SessionStart::Resume, "Invalid request: thread/resume is not for you",
       FailureKind::SessionUnknown},
      {SessionStart::Fork, "no rollout found for thread id S", FailureKind::SessionUnknown},
      {SessionStart::Fork, "Invalid request: unknown variant `thread/fork`",
       FailureKind::ForkUnsupported},
      {SessionStart::New, "config is broken", FailureKind::Unknown},
  };
  for (const Case& test : cases) {
    CAPTURE(test.error);
    AppServer host(start(test.start, "S"));
    host.begin();
    static_cast<void>(host.line(kInitialized));
    const std::string failure = "failure " + std::to_string(static_cast<int>(test.kind)) + " " +
                                describe_failure(test.kind, test.error, kSpec).message;
    CHECK(host.line(R"({"id":2,"error":{"code":-32600,"message":")" + test.error + R"("}})") ==
          Told{failure, "failed ''"});
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
  CHECK(
      host.line(R"({"id":1,"error":{"code":-32600,"message":"too old"}})") ==
      Told{"failure 9 codex: too old. Run again; `agent-doc doctor` shows whether the agent works.",
           "failed ''"});
  AppServer no_thread;
  no_thread.begin();
  static_cast<void>(no_thread.line(kInitialized));
  CHECK(no_thread.line(R"({"id":2,"result":{}})") ==
        Told{"failure 9 codex: The agent started no thread. Run again; `agent-doc doctor` shows "
             "whether the agent works.",
             "failed ''"});
  AppServer no_turn;
  no_turn.begin();
  for (const std::string_view text : {kInitialized, kThread}) static_cast<void>(no_turn.line(text));
  CHECK(no_turn.line(R"({"id":3,"error":{"code":-32600,"message":"thread not loaded"}})") ==
        Told{"failure 9 codex: thread not loaded. Run again; `agent-doc doctor` shows whether the "
             "agent works.",
             "failed ''"});
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
    CHECK(
        host.line(
                R"({"id":"r","method":"item/fileChange/requestApproval","params":{"threadId":"T","turnId":"t1"}})")
            .empty());
    CHECK(host.written() == Told{R"({"id":"r","result":{"decision":"decline"}})"});
    CHECK(host.exit({0, 0, ""}) == Told{"cancelled ''"});
  }
}

TEST_CASE("codex: the process is gone") {
  AppServer host;
  host.begin();
  CHECK(host.exit({1, 0, "Error loading config.toml: bad"}) ==
        Told{"failure 8 codex: The agent ended before the turn did (exit code 1): Error loading "
             "config.toml: bad. `agent-doc doctor` shows "
             "whether it starts.",
             "failed ''"});
  AppServer told;
  told.begin_answer();
  static_cast<void>(told.notify(
      "error", R"("willRetry":false,"error":{"message":"m","codexErrorInfo":"unauthorized"})"));
  CHECK(told.exit({0, 9, ""}) == Told{"failure 0 codex: m. Run `codex login` in a terminal, or "
                                      "mend its API key; then run again.",
                                      "failed ''"});
  AppServer idle;
  idle.begin_answer();
  static_cast<void>(idle.end("completed"));
  CHECK(idle.exit({0, 0, ""}).empty());
}

}  // namespace agent_doc::plugins::codex_test
