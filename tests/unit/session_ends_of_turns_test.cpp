#include "tests/unit/session_test.hpp"

namespace session_ends_of_turns_test {

using namespace agent_doc::session_test;

TEST_CASE("a turn that fails before any text takes its frame back") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\n\n\n## User\n\n"));
  world.exit({1, 0, "boom"});
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n"));
  CHECK(last_state(world) == TurnState::Failed);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("boom") != std::string::npos);
}

TEST_CASE("… but not when somebody wrote into it") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.run_until_quiet();
  world.type(world.editor.size(), world.editor.size(), "next");
  world.type_behind("## Assistant", " mine");
  world.exit({1, 0, "boom"});
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant mine\n\n\n\n## User\n\nnext"));
}

TEST_CASE("stop asks the agent, keeps what came, and escalates when the agent does not listen") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("half a ");
  world.run_until_quiet();
  world.written.clear();
  CHECK(world.session.stop());
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("interrupt") != std::string::npos);
  world.clock += std::chrono::milliseconds{2000};
  world.session.wake();
  CHECK(world.written.back() == "<stop>");
  world.exit({0, 9, ""});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Cancelled);
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nhalf a \n\n## User\n\n"));
  CHECK_FALSE(world.session.stop());
}

TEST_CASE("permission: one question at a time, never allowed by default, cancelled on stop") {
  SessionWorld world(kBare);
  const auto run = world.session.run({});
  REQUIRE(std::holds_alternative<std::string>(run));
  const std::string turn = std::get<std::string>(run);
  world.say_session("s-1");
  world.say_permission("p1");
  world.say_permission("p2");
  CHECK(world.asked == std::vector<std::string>{"p1"});
  CHECK(last_state(world) == TurnState::Waiting);
  CHECK_FALSE(world.session.answer(turn, "p2", {}));
  CHECK_FALSE(world.session.answer(turn, "p1", "not an option"));
  world.written.clear();
  const std::string deny = [&] {
    for (const auto& option : world.views.back().permission->options) {
      if (option.kind == agent_doc::plugins::OptionKind::Deny) return option.id;
    }
    return std::string();
  }();
  CHECK(world.session.answer(turn, "p1", deny));
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("\"deny\"") != std::string::npos);
  CHECK(world.asked == std::vector<std::string>{"p1", "p2"});
  CHECK(world.withdrawn == std::vector<std::string>{"p1"});
  world.written.clear();
  CHECK(world.session.stop());
  CHECK(world.withdrawn == std::vector<std::string>{"p1", "p2"});
  REQUIRE(world.written.size() >= 2);
  CHECK(world.written[0].find("\"allow\"") == std::string::npos);
}

TEST_CASE(
    "permission: when the document is closed every question is answered no, also those that wait") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_permission("p1");
  world.say_permission("p2");
  world.written.clear();
  world.session.did_close();
  CHECK(world.asked == std::vector<std::string>{"p1"});
  CHECK(world.withdrawn == std::vector<std::string>{"p1"});
  REQUIRE(world.written.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(world.written[i].find("\"request_id\":\"p" + std::to_string(i + 1) + "\"") !=
          std::string::npos);
    CHECK(world.written[i].find("\"behavior\":\"deny\"") != std::string::npos);
  }
}

TEST_CASE("undo of the reply pauses it; going on writes the rest and never what was undone") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  const std::size_t at = world.editor.text().find("one ");
  world.type(at, at + 4, "");
  world.say_text("two ");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "## User\n\nHello?\n\n## Assistant\n\n\n\n## User\n\n"));
  REQUIRE(world.messages.size() == 1);
  CHECK(std::holds_alternative<std::string>(world.session.continue_reply()));
  world.say_text("three");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1",
                                "## User\n\nHello?\n\n## Assistant\n\ntwo three\n\n## User\n\n"));
}

TEST_CASE("a deleted region is left alone; the whole reply can be put at the end") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  const std::size_t at = world.editor.text().find("\n\n## Assistant");
  world.type(at, world.editor.size(), "\n");
  world.say_text("two");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n"));
  CHECK(world.reply == "one two");
  CHECK(std::holds_alternative<std::string>(world.session.continue_reply()));
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1",
                                "## User\n\nHello?\n\n## Assistant\n\none two\n\n## User\n\n"));
}

TEST_CASE("a read-only editor: the edits stop, the person is told, the reply is kept") {
  SessionWorld world(kBare);
  world.refuse_edits = true;
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("kept");
  world.say_result("s-1");
  world.run_until_quiet(std::chrono::hours{1});
  CHECK(world.editor.text() == kBare);
  CHECK(world.refused == agent_doc::sync::kMaxRefusalsAtOneVersion);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("read-only") != std::string::npos);
  CHECK(world.reply == "kept");
  world.refuse_edits = false;
  world.type(0, 0, "!");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "!Hello?\n\n## Assistant\n\nkept\n\n## User\n\n"));
}

TEST_CASE("closing the document in mid-turn keeps the turn; opening it again goes on") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  world.session.did_close();
  world.say_text("two ");
  CHECK_FALSE(world.edit.has_value());
  world.version = 1;
  world.session.did_open(world.version, world.editor.text());
  world.say_text("three");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter(
            "s-1", "## User\n\nHello?\n\n## Assistant\n\none two three\n\n## User\n\n"));
}

TEST_CASE("what streamed before a crash stays, and the person is told the agent's last words") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("half");
  world.clock += std::chrono::seconds{7};
  world.exit({139, 0, "first line\nsegmentation fault\n"});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nhalf\n\n## User\n\n"));
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "claude in doc.md: The agent ended before the turn did (exit code 139): first "
        "line\nsegmentation fault. `agent-doc doctor` shows "
        "whether it starts.");
  CHECK(world.views.back().health.find("; first text after 0.0 s") != std::string::npos);
}

TEST_CASE("shut_down interrupts the turn and ends the agent") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.session.shut_down();
  CHECK(last_state(world) == TurnState::Interrupted);
  CHECK(world.written.back() == "<shutdown>");
  CHECK_FALSE(world.session.agent_gone());
  world.exit({0, 2, ""});
  CHECK(world.session.agent_gone());
}

TEST_CASE("what the agent says after its turn is not lost") {
  SessionWorld world(kBare);
  run_once(world);
  world.say(
      R"({"type":"assistant","message":{"id":"m7","role":"assistant","content":[{"type":"text","text":"The build is green."}]},"parent_tool_use_id":null})");
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] == "claude said after its turn in doc.md: The build is green.");
}

}  // namespace session_ends_of_turns_test
