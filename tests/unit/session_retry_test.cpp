#include "tests/fakes/session_world.hpp"

#include <doctest/doctest.h>

namespace session_retry_test {

using agent_doc::fakes::SessionWorld;
using agent_doc::session::Outcome;
using agent_doc::session::Refusal;
using agent_doc::session::RefusalKind;
using agent_doc::turn::TurnState;

const std::string kFrontMatter =
    "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\n";

void answer(SessionWorld& world, const std::string& message, const std::string& text) {
  world.say_session("s-1");
  world.say_message_start(message);
  world.say_text(text);
  world.say_result("s-1");
  world.run_until_quiet();
}

/// It is answered by "One.\nTwo.".
void ask(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  answer(world, "m1", "One.\\nTwo.");
}

void retry(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
}

std::string refusal_of(const Outcome<std::string>& outcome) {
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal == nullptr ? std::string() : refusal->message;
}

TEST_CASE("retry runs the same prompt again, and its reply takes the place of the last one") {
  SessionWorld world("Hello?\n");
  ask(world);
  world.written.clear();
  retry(world);
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("Hello?") != std::string::npos);
  answer(world, "m2", "Three.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nThree.\n\n## User\n\n");
  CHECK(world.views.back().state == TurnState::Done);
  CHECK(world.views.back().reply_landed);
  CHECK(world.messages.empty());
}

TEST_CASE("a retry can be retried") {
  SessionWorld world("Hello?\n");
  ask(world);
  for (const char* text : {"Three.", "Four, longer than the others.", "One."}) {
    retry(world);
    answer(world, text, text);
    CHECK(world.editor.text() ==
          kFrontMatter + "Hello?\n\n## Assistant\n\n" + text + "\n\n## User\n\n");
  }
}

TEST_CASE("the last reply stands until the new one has text") {
  SessionWorld world("Hello?\n");
  ask(world);
  retry(world);
  world.run_until_quiet();
  const std::string before = kFrontMatter + "Hello?\n\n## Assistant\n\nOne.\nTwo.\n\n## User\n\n";
  CHECK(world.editor.text() == before);
  world.say_session("s-1");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == before);
  CHECK(world.views.back().reply_landed);
  retry(world);
  answer(world, "m3", "Three.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nThree.\n\n## User\n\n");
}

TEST_CASE("what a person typed below, above and meanwhile stays") {
  SessionWorld world("Hello?\n");
  ask(world);
  world.type_behind("## User\n\n", "My next question");
  world.type(kFrontMatter.size(), kFrontMatter.size(), "Well. ");
  while (world.step()) {
  }
  retry(world);
  world.say_session("s-1");
  world.say_message_start("m2");
  world.say_text("Three.\\n");
  world.run_until_quiet();
  world.type_behind("Three.", " (my note)");
  world.say_text("Four.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(
      world.editor.text() ==
      kFrontMatter +
          "Well. Hello?\n\n## Assistant\n\nThree. (my note)\nFour.\n\n## User\n\nMy next question");
}

TEST_CASE("the prompt is what stands above the reply now") {
  SessionWorld world("Hello?\n");
  ask(world);
  world.type(world.editor.text().find("Hello?"), world.editor.text().find("Hello?") + 5,
             "Good evening");
  while (world.step()) {
  }
  world.written.clear();
  retry(world);
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("Good evening?") != std::string::npos);
}

TEST_CASE("a reply that a person changed is not replaced") {
  SessionWorld world("Hello?\n");
  ask(world);
  world.type_behind("One.", " Not quite.");
  while (world.step()) {
  }
  const std::string before = world.editor.text();
  CHECK(refusal_of(world.session.retry()) ==
        "the last reply in doc.md was edited, so it is not replaced: ask again under the last `## "
        "User` heading");
  world.run_until_quiet();
  CHECK(world.editor.text() == before);
}

TEST_CASE("a reply that a person changed and changed back is the agent's") {
  SessionWorld world("Hello?\n");
  ask(world);
  const std::size_t at = world.editor.text().find("Two.");
  world.type(at, at + 4, "");
  world.type(at, at, "Two.");
  while (world.step()) {
  }
  retry(world);
  answer(world, "m2", "Three.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nThree.\n\n## User\n\n");
}

TEST_CASE("the heading of the reply is gone: no retry") {
  SessionWorld world("Hello?\n");
  ask(world);
  const std::size_t at = world.editor.text().find("## Assistant");
  world.type(at, at + 12, "Text");
  while (world.step()) {
  }
  CHECK(refusal_of(world.session.retry()) ==
        "the last reply has no `## Assistant` heading any more, so its prompt cannot be told: run "
        "again below it");
}

TEST_CASE("a turn without a reply is run again") {
  SessionWorld world("Hello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.exit({1, 0, "broken"});
  world.run_until_quiet();
  REQUIRE(world.views.back().state == TurnState::Failed);
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
  answer(world, "m1", "One.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nOne.\n\n## User\n\n");
}

TEST_CASE("a prompt that came with the command is sent again") {
  SessionWorld world("");
  agent_doc::session::RunRequest request;
  request.prompt = "What is this?";
  REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
  answer(world, "m1", "One.");
  world.written.clear();
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("What is this?") != std::string::npos);
  answer(world, "m2", "Two.");
  CHECK(world.editor.text() ==
        kFrontMatter + "What is this?\n\n## Assistant\n\nTwo.\n\n## User\n\n");
}

TEST_CASE("retry keeps the line ends of the document") {
  SessionWorld world("Hello?\r\n");
  ask(world);
  retry(world);
  answer(world, "m2", "Three.\\nFour.");
  CHECK(world.editor.text() ==
        "---\r\nagent_doc_session: uuid-2\r\nagent: claude\r\nresume: "
        "s-1\r\n---\r\n\r\nHello?\r\n\r\n## Assistant\r\n\r\n"
        "Three.\r\nFour.\r\n\r\n## User\r\n\r\n");
}

TEST_CASE("refused while a turn runs, and when nothing was run") {
  SessionWorld world("Hello?\n");
  CHECK(refusal_of(world.session.retry()) ==
        "nothing was run in doc.md since agent-doc started: write a prompt and run it");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(refusal_of(world.session.retry()) ==
        "a turn is running in doc.md: stop it or wait for its end");
}

TEST_CASE("turns are found by where their replies stand, also when the text moves") {
  SessionWorld world("Hello?\n");
  ask(world);
  world.type_behind("## User\n\n", "More?");
  while (world.step()) {
  }
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  answer(world, "m2", "Three.");
  world.type(kFrontMatter.size(), kFrontMatter.size(), "A line above.\n");
  while (world.step()) {
  }
  const std::string& text = world.editor.text();
  const auto turn_of = [&](std::string_view reply) {
    const auto view = world.session.turn_at(text.find(reply), text.find(reply));
    return view ? view->turn : std::string();
  };
  CHECK(turn_of("One.") == "uuid-1");
  CHECK(turn_of("Three.") == "uuid-3");
  CHECK(turn_of("A line above.") == "");
}

}  // namespace session_retry_test
