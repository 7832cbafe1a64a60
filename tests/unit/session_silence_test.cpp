// What it is: an agent that says nothing: what stands in the status then, and where what it wrote
// on standard error goes.
// What it is not: the pipe of standard error (process_launcher_test.cpp).
#include "server/session/silence.hpp"

#include "tests/unit/session_test.hpp"

namespace session_silence_test {

using namespace agent_doc::session_test;
using agent_doc::session::Silence;
using agent_doc::session::TimePoint;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE(
    "silence: the last line of standard error stands in the status after 5 s, and goes when the "
    "agent speaks") {
  const TimePoint begin{std::chrono::hours{1}};
  Silence silence(begin);
  CHECK_FALSE(silence.wakeup());
  silence.error_output("Attempt 1 failed\nAttem");
  CHECK(silence.wakeup() == begin + seconds{5});
  silence.wake(begin + milliseconds{4999});
  CHECK(silence.status().empty());
  silence.wake(begin + seconds{5});
  CHECK(silence.status() == "Attem");
  CHECK_FALSE(silence.wakeup());
  silence.error_output("pt 2 failed: 503\n\n");
  CHECK(silence.wakeup() == begin + seconds{6});
  silence.wake(begin + milliseconds{5500});
  CHECK(silence.status() == "Attem");
  silence.wake(begin + seconds{6});
  CHECK(silence.status() == "Attempt 2 failed: 503");
  silence.heard(begin + seconds{7});
  CHECK(silence.status().empty());
  CHECK_FALSE(silence.wakeup());
  CHECK(silence.written_in_silence() == "Attempt 1 failed\nAttempt 2 failed: 503");
  silence.settled();
  CHECK(silence.written_in_silence().empty());
  silence.error_output("again\n");
  CHECK(silence.wakeup() == begin + seconds{12});
  CHECK(silence.written_in_silence() == "again");
  CHECK(silence.written() == "Attempt 1 failed\nAttempt 2 failed: 503\n\nagain");
}

TEST_CASE(
    "silence: standard error is hostile: colours go, the rest that cannot be seen is marked, and "
    "it is bounded") {
  Silence silence(TimePoint{});
  silence.error_output(
      "one\n\x1b[31mretry\x1b[0m \xE2\x80\xAE"
      "cod\xFF\rnow \x1b]0;title\x07in 5 s");
  silence.wake(TimePoint{} + seconds{5});
  CHECK(silence.status() == "now in 5 s");
  CHECK(silence.written() == "one\nretry <U+202E>cod\uFFFD\nnow in 5 s");
  for (int line = 0; line < 10'000; ++line)
    silence.error_output("line " + std::to_string(line) + "\n");
  CHECK(silence.written().size() <= 2 * agent_doc::session::kMaxErrorOutput);
  CHECK(silence.written().ends_with("line 9999"));
  CHECK(silence.written_in_silence() == "line 9995\nline 9996\nline 9997\nline 9998\nline 9999");
  silence.error_output(std::string(100'000, 'x'));
  CHECK(silence.written().size() <= 3 * agent_doc::session::kMaxErrorOutput);
  silence.wake(TimePoint{} + seconds{20});
  CHECK(silence.status().size() <= 200);
}

TEST_CASE(
    "a turn waits for the model once its prompt is sent, and shows what the agent writes on "
    "standard error") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.views.back().phase == agent_doc::turn::Phase::Asked);
  CHECK(world.views.back().status == "waiting for the model");
  world.observer->on_stderr("503 from the service, retrying\n");
  CHECK(world.session.next_wakeup().has_value());
  world.run_until_quiet(seconds{4});
  CHECK(world.views.back().status == "waiting for the model");
  world.run_until_quiet(seconds{5});
  CHECK(world.views.back().status == "503 from the service, retrying");
  CHECK(world.views.back().phase == agent_doc::turn::Phase::Asked);
  world.say_session("s-1");
  CHECK(world.views.back().status == "waiting for the model");
  world.say_message_start("m1");
  world.say_text("Hi.");
  world.run_until_quiet();
  CHECK(world.views.back().status == "writing");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.recorded.turns.begin()->second.printed.empty());
}

TEST_CASE("what was written in the silence goes into a failure, and into the log") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.observer->on_stderr("before\n");
  world.say(R"({"type":"system","subtype":"status","status":"x","session_id":"s-1"})");
  world.observer->on_stderr("attempt 3: 503\n");
  world.say(
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it gave up"],"session_id":"s-1"})");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.views.back().failure.ends_with("\nIt wrote last: attempt 3: 503"));
  CHECK(world.recorded.turns.begin()->second.printed ==
        std::vector<std::string>{"before\nattempt 3: 503"});
}

TEST_CASE(
    "what was written in the silence is told when the turn is stopped, and kept when the process "
    "dies") {
  for (const bool stops : {true, false}) {
    CAPTURE(stops);
    SessionWorld world(kBare);
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    world.observer->on_stderr("attempt 3: \x1b[31m503\x1b[0m\n");
    if (stops) CHECK(world.session.stop());
    world.messages.clear();
    world.exit({1, 0, stops ? "" : "attempt 3: 503\n"});
    world.run_until_quiet();
    CHECK(last_state(world) == (stops ? TurnState::Cancelled : TurnState::Failed));
    CHECK(world.recorded.turns.begin()->second.printed ==
          std::vector<std::string>{"attempt 3: 503"});
    REQUIRE(world.messages.size() == 1);
    const std::string& told = world.messages[0];
    CHECK(told.find("attempt 3: 503") != std::string::npos);
    CHECK(told.find("attempt 3: 503") == told.rfind("attempt 3: 503"));
  }
}

TEST_CASE(
    "lines that nobody understood are kept for the log of a turn without an answer, and only of "
    "such a one") {
  for (const bool answers : {true, false}) {
    CAPTURE(answers);
    SessionWorld world(kBare);
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    world.say_session("s-1");
    world.say("Please \xE2\x80\xAElog in");
    if (answers) {
      world.say_message_start("m1");
      world.say_text("Hi.");
    }
    world.say_result("s-1");
    world.run_until_quiet();
    const auto& printed = world.recorded.turns.begin()->second.printed;
    CHECK(printed == (answers ? std::vector<std::string>{}
                              : std::vector<std::string>{"Please <U+202E>log in\n"}));
  }
}

}  // namespace session_silence_test
