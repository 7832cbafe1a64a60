// What it is: what is typed after a person asked for a run is not sent, and comes to stand below
// the reply (RunRequest::prompt_end).
// What it is not: what editors do with such keys (tests/editors).
#include "tests/unit/session_test.hpp"

namespace session_prompt_end_test {

using namespace agent_doc::session_test;

RunRequest until(std::size_t end) {
  RunRequest request;
  request.prompt_end = end;
  return request;
}

void answer_hi(SessionWorld& world) {
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Hi.");
  world.say_result("s-1");
  world.run_until_quiet();
}

TEST_CASE(
    "a run with a prompt's end: what stands behind it already is not sent, and goes below the "
    "reply") {
  for (const std::string& between :
       {std::string(), std::string("\n"), std::string("\n\n"), std::string(" \n")}) {
    SessionWorld world(kHead + "---\n\n## User\n\nHello?" + between + "Next");
    REQUIRE(std::holds_alternative<std::string>(
        world.session.run(until(world.editor.text().find("Next")))));
    REQUIRE(world.written.size() == 1);
    CHECK(world.written[0].find("Hello?") != std::string::npos);
    CHECK(world.written[0].find("Next") == std::string::npos);
    answer_hi(world);
    const std::string blank = between == " \n" ? " " : "";
    CHECK(world.editor.text() ==
          with_front_matter(
              "s-1", "\n## User\n\nHello?" + blank + "\n\n## Assistant\n\nHi.\n\n## User\n\nNext"));
  }
}

TEST_CASE("a run with a prompt's end: keys that come before the frame has landed go below it") {
  for (const bool at_end_of_line : {true, false}) {
    SessionWorld world(kHead + "---\n\n## User\n\nHello?" + (at_end_of_line ? "" : "\n"));
    REQUIRE(std::holds_alternative<std::string>(world.session.run(until(world.editor.size()))));
    for (const char* key : {"a", "b", "c"})
      world.type(world.editor.size(), world.editor.size(), key);
    answer_hi(world);
    CHECK(world.refused > 0);
    CHECK(world.editor.text() ==
          with_front_matter("s-1", "\n## User\n\nHello?\n\n## Assistant\n\nHi.\n\n## User\n\nabc"));
  }
}

TEST_CASE(
    "without a prompt's end, what is typed at the frame's place before the frame stays above it") {
  SessionWorld world(kHead + "---\n\n## User\n\nHello?");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.type(world.editor.size(), world.editor.size(), "abc");
  answer_hi(world);
  CHECK(world.editor.text() ==
        with_front_matter("s-1", "\n## User\n\nHello?abc\n\n## Assistant\n\nHi.\n\n## User\n\n"));
}

TEST_CASE(
    "a run with a prompt's end that other turns follow, or that is above the body, sends the open "
    "prompt") {
  const std::string text =
      kHead + "---\n\n## User\n\nOne\n\n## Assistant\n\nTwo\n\n## User\n\nThree\n";
  for (const std::size_t end : {text.find("One") + 3, std::size_t{4}}) {
    SessionWorld world(text);
    REQUIRE(std::holds_alternative<std::string>(world.session.run(until(end))));
    REQUIRE(world.written.size() == 1);
    CHECK(world.written[0].find("Three") != std::string::npos);
  }
}

TEST_CASE("a run with a prompt's end: with nothing above it there is nothing to send") {
  SessionWorld world(kHead + "---\n\n## User\n\nNext");
  CHECK(refused(world.session.run(until(world.editor.text().find("Next"))),
                RefusalKind::NothingToSend));
}

TEST_CASE("a frame that goes again leaves a blank line above what was typed below it") {
  for (const std::string& end :
       {std::string(), std::string("\n"), std::string("\n\n"), std::string("\n\n\n")}) {
    SessionWorld world(kHead + "---\n\n## User\n\nHello?" + end);
    REQUIRE(std::holds_alternative<std::string>(world.session.run(until(world.editor.size()))));
    world.run_until_quiet();
    world.type(world.editor.size(), world.editor.size(), "Next");
    world.exit({1, 0, "boom"});
    world.run_until_quiet();
    CHECK(last_state(world) == TurnState::Failed);
    CHECK(world.editor.text() ==
          kHead + "---\n\n## User\n\nHello?" + (end.size() < 2 ? "\n\n" : end) + "Next");
  }
}

TEST_CASE("a frame that goes again leaves nothing where nothing was typed") {
  for (const std::string& end : {std::string(), std::string("\n")}) {
    const std::string text = kHead + "---\n\n## User\n\nHello?" + end;
    SessionWorld world(text);
    REQUIRE(std::holds_alternative<std::string>(world.session.run(until(text.size()))));
    world.run_until_quiet();
    world.exit({1, 0, "boom"});
    world.run_until_quiet();
    CHECK(world.editor.text() == text);
  }
}

}  // namespace session_prompt_end_test
