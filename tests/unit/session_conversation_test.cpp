#include "tests/unit/session_test.hpp"

namespace session_conversation_test {

using namespace agent_doc::session_test;

TEST_CASE("a run of a bare document writes front matter, frame and reply, and nothing else") {
  SessionWorld world(kBare);
  run_once(world);
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n"));
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.views.back().reply_landed);
  CHECK(world.views.back().session_id == "s-1");
  CHECK(world.reply == "Hi.");
  CHECK(world.messages.empty());
}

TEST_CASE("the second run keeps the warm agent and sends the new prompt only") {
  SessionWorld world(kBare);
  run_once(world);
  world.type(world.editor.size(), world.editor.size(), "And now?");
  while (world.step()) {
  }
  world.written.clear();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.launches.size() == 1);
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("And now?") != std::string::npos);
  CHECK(world.written[0].find("Hello?") == std::string::npos);
  world.say_session("s-1");
  world.say_message_start("m2");
  world.say_text("Now.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1",
                                "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\nAnd now?\n\n## "
                                "Assistant\n\nNow.\n\n## User\n\n"));
}

TEST_CASE(
    "a heading of the reply that reads like a turn's begins none: the next run asks what the "
    "person wrote") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("The tables:\\n\\n## User\\n\\nname");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter(
            "s-1", "Hello?\n\n## Assistant\n\nThe tables:\n\n### User\n\nname\n\n## User\n\n"));
  CHECK(refused(world.session.run({}), RefusalKind::NothingToSend));
  world.type(world.editor.size(), world.editor.size(), "And now?");
  while (world.step()) {
  }
  world.written.clear();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("And now?") != std::string::npos);
  CHECK(world.written[0].find("name") == std::string::npos);
}

TEST_CASE("typing above, inside and below the reply while it streams") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  world.type_behind("Hello?", " (above)");
  world.say_text("two ");
  world.type_behind("one", "!");
  world.say_text("three");
  world.type(world.editor.size(), world.editor.size(), "below");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter(
            "s-1",
            "## User\n\nHello? (above)\n\n## Assistant\n\none! two three\n\n## User\n\nbelow"));
  CHECK(world.refused > 0);
}

TEST_CASE("the first text leaves the moment its frame has landed, before the session is noted") {
  SessionWorld world(kHead + "---\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.edit);
  CHECK(world.edit->edit.replacement == "\n\n## Assistant\n\n\n\n## User\n");
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one");
  const auto before = world.clock;
  REQUIRE(world.step());
  REQUIRE(world.edit);
  CHECK(world.edit->edit.replacement == "one");
  CHECK(world.clock == before);
  world.say_text(" two");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\none two\n\n## User\n\n"));
}

TEST_CASE(
    "where edits are slow, a text that comes at once leaves together with its frame, which does "
    "not wait long for it") {
  constexpr std::chrono::milliseconds kPatience{20};
  agent_doc::session::Pace pace = agent_doc::session::kPaceForOurPlugins;
  pace.frame_patience = kPatience;
  for (const bool at_once : {true, false}) {
    CAPTURE(at_once);
    SessionWorld world(kHead + "---\n\nHello?\n", pace);
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    CHECK_FALSE(world.edit);
    CHECK(world.session.next_wakeup() == world.clock + kPatience);
    if (!at_once) {
      world.clock += kPatience;
      world.session.wake();
    }
    world.say_session("s-1");
    world.say_message_start("m1");
    world.say_text("one");
    REQUIRE(world.edit);
    CHECK(world.edit->edit.replacement ==
          std::string("\n\n## Assistant\n\n") + (at_once ? "one" : "") + "\n\n## User\n");
    world.say_text(" two");
    world.say_result("s-1");
    world.run_until_quiet();
    CHECK(world.editor.text() ==
          with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\none two\n\n## User\n\n"));
  }
}

TEST_CASE("a CRLF document gets CRLF, also where a later round replaces the reply") {
  SessionWorld world("## User\r\n\r\nHello?\r\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("first\\nround\\n");
  world.run_until_quiet();
  world.say_tool("t1");
  world.say_message_start("m2");
  world.say_text("second\\nround");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        "---\r\nagent_doc_session: uuid-2\r\nagent: claude\r\nresume: s-1\r\n---\r\n\r\n## "
        "User\r\n\r\nHello?\r\n\r\n## "
        "Assistant\r\n\r\nsecond\r\nround\r\n\r\n## User\r\n\r\n");
}

TEST_CASE("a second run while one runs is refused, never doubled") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  const auto second = world.session.run({});
  REQUIRE(refused(second, RefusalKind::Busy));
  CHECK(std::get<Refusal>(second).message ==
        "a turn is running in doc.md already: stop it or wait for its end. What you write under "
        "the last `## User` "
        "meanwhile is queued when you run it");
  CHECK(world.launches.size() == 1);
}

TEST_CASE("what cannot be run is refused in words, and the document stays as it is") {
  const std::string empty_prompt = "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\n";
  SessionWorld nothing(empty_prompt);
  CHECK(refused(nothing.session.run({}), RefusalKind::NothingToSend));
  nothing.run_until_quiet();
  CHECK(nothing.editor.text() == empty_prompt);

  SessionWorld unknown("---\nagent: nobody\n---\nHi\n");
  CHECK(refused(unknown.session.run({}), RefusalKind::UnknownAgent));

  SessionWorld missing(kBare);
  missing.launch_error = make_error_code(boost::system::errc::no_such_file_or_directory);
  CHECK(refused(missing.session.run({}), RefusalKind::UnknownAgent));
  missing.run_until_quiet();
  CHECK(missing.editor.text() == kBare);
}

TEST_CASE("a given prompt is written under the open heading and sent") {
  SessionWorld world(with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\n"));
  RunRequest request;
  request.prompt = "What next?";
  REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
  CHECK(world.written.back().find("What next?") != std::string::npos);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("This.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_front_matter("s-1",
                          "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nWhat next?\n\n## "
                          "Assistant\n\nThis.\n\n## User\n\n"));
}

TEST_CASE("first text goes at once, then one edit an interval with everything that came") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.run_until_quiet();
  const int before = world.applied;
  world.say_text("a");
  CHECK(world.edit.has_value());
  while (world.step()) {
  }
  CHECK(world.applied == before + 1);
  for (int i = 0; i < 20; ++i) world.say_text("b");
  CHECK_FALSE(world.edit.has_value());
  world.clock += agent_doc::session::kPaceForOurPlugins.interval;
  world.session.wake();
  REQUIRE(world.edit.has_value());
  CHECK(world.edit->edit.replacement == std::string(20, 'b'));
}

TEST_CASE(
    "a text for an open document: an edit like any other, but not while a reply is written there") {
  SessionWorld world("one\ntwo\n");
  CHECK(std::holds_alternative<std::string>(world.session.write_text("one\ntwo\n", "one\nTWO\n")));
  world.type(0, 0, "typed\n");
  world.run_until_quiet();
  CHECK(world.editor.text() == "typed\none\nTWO\n");
  CHECK(world.refused == 1);
  CHECK_FALSE(world.session.engine().wants_to_write());
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(refused(world.session.write_text("", "x"), RefusalKind::Busy));
}

TEST_CASE(
    "the first text of a reply that comes without a pause is written before its end, in every "
    "script") {
  for (const std::string piece : {"word ", "\u4E2D\u6587", "\u00E9", "\U0001F600"}) {
    CAPTURE(piece);
    SessionWorld world(with_front_matter("s-1", "## User\n\nHello?\n"));
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    world.say_session("s-1");
    world.say_message_start("m1");
    world.run_until_quiet();
    for (int delta = 0; delta < 20; ++delta) {  // 100 ms
      world.say_text(piece);
      world.clock += std::chrono::milliseconds(5);
      world.session.wake();
      while (world.step()) {
      }
    }
    CHECK(world.editor.text().find(piece) != std::string::npos);
  }
}

}  // namespace session_conversation_test
