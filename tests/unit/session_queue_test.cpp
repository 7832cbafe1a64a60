// What it is: a prompt that waits for the end of the turn above it: when it goes, when it stays,
// and that it is only text until then.
// What it is not: what clients show of it (lsp_queue_test.cpp).
#include "tests/unit/session_test.hpp"

namespace session_queue_test {

using namespace agent_doc::session_test;

const std::string kFirst = "\n## User\n\nHello?\n\n## Assistant\n\nHi.\n\n## User\n\n";

std::string id_of(const agent_doc::session::Outcome<std::string>& outcome) {
  const auto* id = std::get_if<std::string>(&outcome);
  REQUIRE(id != nullptr);
  return *id;
}

const std::string kAsked = kHead + "---\n\n## User\n\nHello?\n";

/// Lets a turn run that has said "Hi."; returns its id.
std::string begin(SessionWorld& world) {
  std::string turn = id_of(world.session.run({}));
  world.run_until_quiet();
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Hi.");
  world.run_until_quiet();
  return turn;
}

void type_at_end(SessionWorld& world, const std::string& text) {
  world.type(world.editor.size(), world.editor.size(), text);
  world.run_until_quiet(std::chrono::milliseconds{0});
}

void end_first(SessionWorld& world) {
  world.say_result("s-1");
  world.run_until_quiet();
}

void answer(SessionWorld& world, const std::string& text) {
  world.say_message_start("m2");
  world.say_text(text);
  world.say_result("s-1");
  world.run_until_quiet();
}

TEST_CASE("queue: a prompt that is run while a turn runs goes by itself when the turn is done") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  CHECK(id_of(world.session.run({})) == turn);
  CHECK(world.session.is_queued());
  CHECK(world.views.back().queued);
  CHECK(world.views.back().status == "writing · the next prompt is queued");
  CHECK(world.written.size() == 1);
  end_first(world);
  CHECK_FALSE(world.session.is_queued());
  CHECK_FALSE(world.views.back().queued);
  REQUIRE(world.written.size() == 2);
  CHECK(world.written[1].find("\"text\":\"And you?\"") != std::string::npos);
  CHECK(world.launches.size() == 1);
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kFirst + "And you?\n\n## Assistant\n\nFine.\n\n## User\n\n"));
  CHECK(world.messages.empty());
}

TEST_CASE("queue: nothing chains: what is written below a queued prompt's reply waits for a run") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "Two");
  id_of(world.session.run({}));
  id_of(world.session.run({}));
  end_first(world);
  REQUIRE(world.written.size() == 2);
  world.run_until_quiet();
  type_at_end(world, "Three");
  answer(world, "2.");
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.written.size() == 2);
  CHECK_FALSE(world.session.turn_running());
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kFirst + "Two\n\n## Assistant\n\n2.\n\n## User\n\nThree"));
}

TEST_CASE("queue: it can be edited until it goes, and does not go while somebody types in it") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And y");
  id_of(world.session.run({}));
  type_at_end(world, "ou");
  world.say_result("s-1");
  world.run_until_quiet(std::chrono::milliseconds{900});
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.session.is_queued());
  type_at_end(world, "?");
  world.run_until_quiet(std::chrono::milliseconds{900});
  world.session.wake();
  CHECK(world.written.size() == 1);
  world.run_until_quiet(std::chrono::milliseconds{1000});
  REQUIRE(world.written.size() == 2);
  CHECK(world.written[1].find("\"text\":\"And you?\"") != std::string::npos);
}

TEST_CASE("queue: it waits until the reply stands in the document") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  world.refuse_edits = true;
  world.say_text(" Bye.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.written.size() == 1);
  world.refuse_edits = false;
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  REQUIRE(world.written.size() == 2);
  CHECK(world.written[1].find("\"text\":\"And you?\"") != std::string::npos);
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1",
                          "\n## User\n\nHello?\n\n## Assistant\n\nHi. Bye.\n\n## User\n\nAnd "
                          "you?\n\n## Assistant\n\nFine.\n\n## User\n\n"));
}

TEST_CASE("queue: taken back, it is only text again") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  CHECK_FALSE(world.session.unqueue());
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  CHECK(world.session.unqueue());
  CHECK_FALSE(world.views.back().queued);
  CHECK(world.views.back().status == "writing");
  end_first(world);
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.written.size() == 1);
  CHECK(world.editor.text() == with_front_matter("s-1", kFirst + "And you?"));
  CHECK_FALSE(world.session.unqueue());
}

TEST_CASE("queue: it stays, and that is told, when the turn before it is not done") {
  const std::string stays = "The queued prompt in doc.md was not sent, and stays: ";
  const std::string again = ". Run it when you want it to go.";
  std::string why;
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  SUBCASE("it fails") {
    world.exit({1, 0, "no power"});
    why = "the turn before it has ended as failed";
  }
  SUBCASE("it is stopped") {
    CHECK(world.session.stop());
    world.say_aborted();
    why = "the turn before it was stopped";
  }
  SUBCASE("it is stopped, and done nevertheless") {
    CHECK(world.session.stop());
    world.say_result("s-1");
    why = "the turn before it was stopped";
  }
  SUBCASE("the document is closed") {
    world.session.did_close();
    world.session.did_open(++world.version, world.editor.text());
    world.say_result("s-1");
    why = "the document was closed";
  }
  SUBCASE("it is empty by then") {
    world.type(world.editor.size() - 8, world.editor.size(), "");
    world.say_result("s-1");
    why = "it is empty";
  }
  SUBCASE("its agent is not there by then") {
    world.type_behind("agent: ", "no");
    world.say_result("s-1");
    why = "there is no agent called noclaude: install it";
  }
  world.run_until_quiet(std::chrono::milliseconds{3000});
  CHECK_FALSE(world.session.is_queued());
  CHECK_FALSE(world.session.turn_running());
  CHECK_FALSE(world.views.back().queued);
  CHECK(std::count(world.messages.begin(), world.messages.end(), stays + why + again) == 1);
  for (const std::string& line : world.written) CHECK(line.find("And you?") == std::string::npos);
}

TEST_CASE("queue: it stays when the person has undone text of the reply above it") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  const std::size_t reply = world.editor.text().find("Hi.");
  world.type(reply, reply + 3, "");
  world.run_until_quiet();
  REQUIRE(world.session.can_continue_reply());
  end_first(world);
  CHECK_FALSE(world.session.is_queued());
  CHECK(world.written.size() == 1);
  CHECK(world.messages.back() ==
        "The queued prompt in doc.md was not sent, and stays: the reply above it is not all there. "
        "Run it when you want it to go.");
}

TEST_CASE("queue: with nothing to wait for, a second run is refused as ever") {
  SUBCASE("the frame is not in the text yet: the open prompt is the one that is being answered") {
    SessionWorld world(kHead + "---\n\nHello?\n");
    id_of(world.session.run({}));
    CHECK(refused(world.session.run({}), RefusalKind::Busy));
    CHECK_FALSE(world.session.is_queued());
  }
  SUBCASE("nothing, or only a comment, is written below the reply") {
    SessionWorld world(kAsked);
    const std::string turn = begin(world);
    CHECK(refused(world.session.run({}), RefusalKind::Busy));
    type_at_end(world, "<!-- later -->");
    CHECK(refused(world.session.run({}), RefusalKind::Busy));
    CHECK_FALSE(world.session.is_queued());
  }
  SUBCASE("the prompt comes with the command: it would stand nowhere") {
    SessionWorld world(kAsked);
    const std::string turn = begin(world);
    type_at_end(world, "And you?");
    RunRequest request;
    request.prompt = "And they?";
    CHECK(refused(world.session.run(request), RefusalKind::Busy));
    CHECK_FALSE(world.session.is_queued());
  }
}

TEST_CASE("queue: a fence that is open in the reply does not hide the prompt below it") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  world.say_text("\\n\\n```\\ncode");
  world.run_until_quiet();
  type_at_end(world, "And you?");
  CHECK(id_of(world.session.run({})) == turn);
  CHECK(world.session.is_queued());
  end_first(world);
  REQUIRE(world.written.size() == 2);
  CHECK(world.written[1].find("\"text\":\"And you?\"") != std::string::npos);
}

TEST_CASE("queue: it goes after a turn without any text, too, below the empty reply") {
  SessionWorld world(kAsked);
  id_of(world.session.run({}));
  world.run_until_quiet();
  world.say_session("s-1");
  world.say_tool("t1");
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  world.say_result("s-1");
  world.run_until_quiet();
  REQUIRE(world.written.size() == 2);
  CAPTURE(world.written[1]);
  // What nobody has answered in words counts as not seen: it goes along, above the question.
  CHECK(world.written[1].find("\\n\\nAnd you?\"") != std::string::npos);
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1",
                          "\n## User\n\nHello?\n\n## Assistant\n\n\n\n## User\n\nAnd "
                          "you?\n\n## Assistant\n\nFine.\n\n## User\n\n"));
}

TEST_CASE("queue: the agent of the run that was asked for answers it") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  RunRequest request;
  request.agent = "other";
  id_of(world.session.run(request));
  end_first(world);
  CHECK(world.session.turn_view()->agent == "other");
  CHECK(world.session.turn_running());
}

TEST_CASE("queue: what was queued goes once when the person runs it before it goes by itself") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you");
  id_of(world.session.run({}));
  type_at_end(world, "?");
  world.say_result("s-1");
  world.run_until_quiet(std::chrono::milliseconds{500});
  REQUIRE(world.session.is_queued());
  CHECK(refused(world.session.retry(), RefusalKind::Busy));
  CHECK(id_of(world.session.run({})) != turn);
  CHECK_FALSE(world.session.is_queued());
  answer(world, "Fine.");
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.written.size() == 2);
}

TEST_CASE("queue: the status has room for it, however long it is") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  world.say(R"({"type":"system","subtype":"informational","content":")" + std::string(500, 'x') +
            "\"}");
  world.run_until_quiet();
  const std::string& status = world.views.back().status;
  CHECK(status.size() <= agent_doc::turn::kMaxStatus);
  CHECK(status.ends_with(" · the next prompt is queued"));
}

TEST_CASE("queue: the server's end sends nothing of it") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  world.session.shut_down();
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK_FALSE(world.session.is_queued());
  CHECK(world.editor.text() == with_front_matter("s-1", kFirst + "And you?"));
}

}  // namespace session_queue_test
