// What it is: a prompt that is said to an agent in the middle of its turn: where it and the replies
// stand, what the store and the agent have of it, and what becomes of it when it is not read.
// What it is not: what agents write of it (plugins_steer_test.cpp).
#include "tests/unit/session_test.hpp"

#include <algorithm>

namespace session_steer_test {

using namespace agent_doc::session_test;
using agent_doc::store::ReplyPlace;

const std::string kHello = "\n## User\n\nHello?\n\n## Assistant\n\n";
const std::string kUser = "\n\n## User\n\n";
const std::string kReply = "\n\n## Assistant\n\n";
const std::string kAsked = kHead + "---\n\n## User\n\nHello?\n";

std::string id_of(const agent_doc::session::Outcome<std::string>& outcome) {
  const auto* id = std::get_if<std::string>(&outcome);
  REQUIRE(id != nullptr);
  return *id;
}

/// Lets a turn run that has said "Hi."; returns its id.
std::string begin(SessionWorld& world) {
  world.claude_version = "2.1.328";
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

/// Types `text` at the end and steers; returns the id of what is said.
std::string steer(SessionWorld& world, const std::string& text) {
  type_at_end(world, text);
  const std::size_t before = world.written.size();
  id_of(world.session.steer({}));
  REQUIRE(world.session.is_steering());
  REQUIRE(world.written.size() == before + 1);
  const std::string& line = world.written.back();
  const std::size_t uuid = line.find("\"uuid\":\"") + 8;
  return line.substr(uuid, line.find('"', uuid) - uuid);
}

void answer(SessionWorld& world, const std::string& text) {
  world.say_message_start("m2");
  world.say_text(text);
  world.say_result("s-1");
  world.run_until_quiet();
}

/// The text of the last line that claude was sent.
std::string last_sent(const SessionWorld& world) {
  const std::string& line = world.written.back();
  const std::string mark = "\"text\":\"";
  const std::size_t begin = line.find(mark) + mark.size();
  return line.substr(begin, line.find("\"}]", begin) - begin);
}

std::string said(const SessionWorld& world) {
  return world.messages.empty() ? std::string() : world.messages.back();
}

TEST_CASE(
    "steer: heard between two rounds, each has its own place, and its own turn in the store") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  const std::string id = steer(world, "And you?");
  CHECK(last_sent(world) == "And you?");
  CHECK(world.views.back().turn == turn);
  CHECK(world.views.back().status == "writing · what you sent is read at its next step");
  world.say_lifecycle(id, "queued");
  world.say_text(" More.");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi. More." + kUser + "And you?"));
  world.say_lifecycle(id, "started");
  CHECK_FALSE(world.session.is_steering());
  CHECK(world.session.turn_view()->turn == id);
  world.say_message_start("m2");
  world.say_text("Fine");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi. More." + kUser + "And you?" +
                                                            kReply + "Fine" + kUser));
  world.say_text(".");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi. More." + kUser + "And you?" +
                                                            kReply + "Fine." + kUser));
  CHECK(world.written.size() == 2);
  CHECK(world.launches.size() == 1);
  CHECK(world.messages.empty());

  REQUIRE(world.recorded.order == std::vector<std::string>{turn, id});
  const auto& first = world.recorded.turns[turn];
  const auto& second = world.recorded.turns[id];
  CHECK(first.reply.text() == "Hi. More.");
  CHECK(first.totals->state == "done");
  CHECK(first.place == ReplyPlace::Client);
  CHECK(first.began.goes_on_from.empty());
  CHECK(second.began.prompt == "And you?");
  CHECK(second.began.document == first.began.document);
  CHECK(second.began.goes_on_from == turn);
  CHECK(second.reply.text() == "Fine.");
  CHECK(second.totals->state == "done");
  CHECK(second.totals->session_id == "s-1");
  CHECK(second.sessions == std::vector<std::string>{"s-1"});
  CHECK(second.place == ReplyPlace::Client);
  world.session.did_save();
  CHECK(world.recorded.turns[turn].place == ReplyPlace::File);
  CHECK(world.recorded.turns[id].place == ReplyPlace::File);
}

TEST_CASE("steer: heard after the turn, it is the next one, without another request") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say_result("s-1");
  world.say_lifecycle(id, "started");
  world.say_session("s-1");
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.written.size() == 2);
  CHECK(world.messages.empty());
}

TEST_CASE("steer: again and again in one turn of the agent") {
  SessionWorld world(kAsked);
  begin(world);
  std::string expected = kHello + "Hi.";
  for (const char* number : {"2", "3", "4"}) {
    const std::string id = steer(world, std::string("Ask ") + number);
    world.say_lifecycle(id, "started");
    world.say_message_start(std::string("m") + number);
    world.say_text(std::string("Said ") + number);
    world.run_until_quiet();
    expected += kUser + "Ask " + number + kReply + "Said " + number;
  }
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_front_matter("s-1", expected + kUser));
  CHECK(world.recorded.order.size() == 4);
}

TEST_CASE("steer: whatever is typed meanwhile stays, and what was typed later is not sent") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.type_behind("Hello", " there");
  world.type_behind("And you?", "Typed later");
  world.say_text(" More.");
  world.type_behind("## User\n\nHel", "l");
  world.say_lifecycle(id, "started");
  world.type_behind("Typed later", " still");
  world.say_message_start("m2");
  world.say_text("Fine.");
  world.type_behind("And ", "ho");
  world.run_until_quiet();
  world.type_behind("And ho", "w");
  world.say_text(" Thanks.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_front_matter("s-1", "\n## User\n\nHelllo there?" + kReply + "Hi. More." + kUser +
                                     "And howyou?" + kReply + "Fine. Thanks." + kUser +
                                     "Typed later still"));
  // What was changed is told with the next run, what was said is not.
  const auto next = world.session.preview({});
  CHECK(std::get<agent_doc::session::Preview>(next).prompt.changes ==
        "@@ -1,6 +1,6 @@\n ## User\n \n-Hello?\n+Helllo there?\n \n ## Assistant\n \n"
        "@@ -8,7 +8,7 @@\n \n ## User\n \n-And you?\n+And howyou?\n \n ## Assistant\n \n");
  id_of(world.session.run({}));
  CHECK(last_sent(world).ends_with("Typed later still"));
}

TEST_CASE("steer: what the agent has read and said is known, so the next prompt goes alone") {
  SessionWorld world(kAsked);
  std::string first = "Hi.";
  SUBCASE("it has said something before") {
    begin(world);
  }
  SUBCASE("it has not") {
    world.claude_version = "2.1.328";
    id_of(world.session.run({}));
    world.run_until_quiet();
    world.say_session("s-1");
    world.say_tool("t1");
    world.run_until_quiet();
    first.clear();
  }
  const std::string id = steer(world, "And you? <!-- mine -->\n\n\nReally?  ");
  CHECK(last_sent(world) == "And you? \\n\\n\\nReally?");
  world.say_lifecycle(id, "started");
  answer(world, "Fine.");
  const auto seen = world.recorded.seen_by({"uuid-2", "claude", "s-1"});
  REQUIRE(seen);
  CHECK(seen->text.substr(seen->above) == "\n## User\n\nAnd you?\n\nReally?\n");
  CHECK(seen->reply == "Fine.");
  type_at_end(world, "Three");
  id_of(world.session.run({}));
  CHECK(last_sent(world) == "Three");
}

TEST_CASE("steer: a queued prompt can be said at once") {
  SessionWorld world(kAsked);
  begin(world);
  type_at_end(world, "And you?");
  id_of(world.session.run({}));
  REQUIRE(world.session.is_queued());
  CHECK(world.session.can_steer());
  id_of(world.session.steer({}));
  CHECK(world.session.is_steering());
  CHECK_FALSE(world.session.is_queued());
  CHECK_FALSE(world.session.unqueue());
  CHECK(world.views.back().status == "writing · what you sent is read at its next step");
  CHECK(refused(world.session.run({}), RefusalKind::Busy));
  CHECK(refused(world.session.steer({}), RefusalKind::Busy));
  world.say_result("s-1");
  answer(world, "Fine.");
  CHECK(world.written.size() == 2);
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
}

TEST_CASE("steer: only what stood there when it was said goes") {
  SessionWorld world(kAsked);
  begin(world);
  type_at_end(world, "And you?");
  RunRequest request;
  request.prompt_end = world.editor.size();
  type_at_end(world, " And they?");
  id_of(world.session.steer(request));
  CHECK(last_sent(world) == "And you?");
  world.say_result("s-1");
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter(
            "s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser + " And they?"));
}

TEST_CASE("steer: where the agent cannot hear it, it is queued, and that is told") {
  const std::string queued = ": the prompt in doc.md is queued, and goes when the turn is done.";
  SessionWorld world(kAsked);
  begin(world);
  RunRequest request;
  std::string why;
  SUBCASE("a version that does not tell what it reads") {
    world.claude_version = "2.0.1";
    world.say_session("s-1");
    why = "claude cannot hear anything while it works";
  }
  SUBCASE("another agent is meant") {
    request.agent = "other";
    why = "claude replies just now";
  }
  SUBCASE("the turn is being stopped") {
    CHECK(world.session.stop());
    why = "claude cannot hear anything while it works";
  }
  type_at_end(world, "And you?");
  id_of(world.session.steer(request));
  CHECK(world.session.is_queued());
  CHECK_FALSE(world.session.is_steering());
  CHECK(said(world) == why + queued);
  for (const std::string& line : world.written) CHECK(line.find("And you?") == std::string::npos);
}

TEST_CASE("steer: in a document with components it is queued") {
  SessionWorld world(kHead +
                     "---\n\n<!-- agent:todo -->\n<!-- /agent:todo -->\n\n## User\n\nHello?\n");
  begin(world);
  type_at_end(world, "And you?");
  CHECK_FALSE(world.session.can_steer());
  id_of(world.session.steer({}));
  CHECK(world.session.is_queued());
  CHECK(said(world) ==
        "the reply may go into components of the document: the prompt in doc.md is queued, and "
        "goes when the turn is done.");
}

TEST_CASE("steer: without a turn it is a run; with nothing to say it is refused") {
  SessionWorld world(kAsked);
  id_of(world.session.steer({}));
  CHECK(world.session.turn_running());
  world.run_until_quiet();
  world.claude_version = "2.1.328";
  world.say_session("s-1");
  CHECK(refused(world.session.steer({}), RefusalKind::Busy));
  RunRequest request;
  request.prompt = "It would stand nowhere";
  type_at_end(world, "And you?");
  CHECK(refused(world.session.steer(request), RefusalKind::Busy));
  CHECK(world.written.size() == 1);
}

TEST_CASE("steer: what is not read when the turn ends is only text again, and that is told") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  SUBCASE("stopped") {
    CHECK(world.session.stop());
    CHECK(world.written.back().find("cancel_async_message") != std::string::npos);
    world.say_lifecycle(id, "cancelled");
    world.say(R"({"type":"control_response","response":{"subtype":"success","request_id":"drop-)" +
              id + R"(","response":{"cancelled":true}}})");
    CHECK(world.written.back().find("\"interrupt\"") != std::string::npos);
    world.say_aborted();
    world.run_until_quiet();
    CHECK(last_state(world) == TurnState::Cancelled);
  }
  SUBCASE("stopped, and done nevertheless") {
    CHECK(world.session.stop());
    world.say_result("s-1");
  }
  SUBCASE("its process dies") {
    world.exit({1, 0, "no power"});
  }
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK_FALSE(world.session.is_steering());
  CHECK_FALSE(world.session.is_queued());
  CHECK_FALSE(world.session.turn_running());
  CHECK(std::count(world.messages.begin(), world.messages.end(),
                   "claude had not read what you sent into its turn in doc.md when that ended. It "
                   "stays: run it when you want it to go.") == 1);
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi." + kUser + "And you?"));
  CHECK(world.recorded.order.size() == 1);
  id_of(world.session.run({}));
  world.run_until_quiet();
  CHECK(last_sent(world).ends_with("And you?"));
}

TEST_CASE("steer: what the agent drops by itself is queued, and goes when the turn is done") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say_lifecycle(id, "cancelled");
  CHECK(world.session.is_queued());
  CHECK(said(world) ==
        "claude did not take what you sent into its turn: the prompt in doc.md is queued, and goes "
        "when the turn is done.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(last_sent(world) == "And you?");
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
  CHECK(world.written.size() == 3);
}

TEST_CASE("steer: an agent that is done before it reads it gets it as the next prompt") {
  SessionWorld world(kHead + "---\n\n## User\n\nHello?\n");
  world.other_agents["claude"] = {"claude", "codex", "codex", {}, {}};
  id_of(world.session.run({}));
  world.run_until_quiet();
  world.say(R"({"id":1,"result":{"userAgent":"agent-doc/0.169.0"}})");
  world.say(R"({"id":2,"result":{"thread":{"id":"T"},"model":"m"}})");
  world.say(R"({"id":3,"result":{"turn":{"id":"t1","status":"inProgress"}}})");
  world.say(
      R"({"method":"item/agentMessage/delta","params":{"threadId":"T","turnId":"t1","itemId":"i","delta":"Hi."}})");
  world.run_until_quiet();
  type_at_end(world, "And you?");
  id_of(world.session.steer({}));
  CHECK(world.written.back().find("turn/steer") != std::string::npos);
  world.say(
      R"({"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"completed"}}})");
  world.say(R"({"error":{"code":-32600,"message":"no active turn to steer"},"id":4})");
  CHECK(said(world) ==
        "claude was done before it read what you sent into its turn: the prompt in doc.md goes as "
        "the next one.");
  world.run_until_quiet();
  CHECK(world.session.turn_running());
  CHECK(world.written.back().find("turn/start") != std::string::npos);
  CHECK(last_sent(world).starts_with("And you?"));
}

TEST_CASE("steer: what comes after it was heard belongs to the second turn, also its end") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say_lifecycle(id, "started");
  world.say_message_start("m2");
  world.say_text("Fi");
  std::string state = "failed";
  SUBCASE("its process dies") {
    world.exit({1, 0, "no power"});
  }
  SUBCASE("stopped") {
    world.run_until_quiet();
    CHECK(world.session.stop());
    CHECK(world.written.back().find("\"interrupt\"") != std::string::npos);
    world.say_aborted();
    state = "cancelled";
  }
  SUBCASE("the server ends") {
    world.session.shut_down();
    state = "interrupted";
  }
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fi" + kUser));
  CHECK(world.recorded.turns[world.recorded.order[0]].totals->state == "done");
  CHECK(world.recorded.turns[id].totals->state == state);
  CHECK(world.recorded.turns[id].reply.text() == "Fi");
}

TEST_CASE("steer: the server's end sends nothing of it, and says nothing of it") {
  SessionWorld world(kAsked);
  begin(world);
  steer(world, "And you?");
  world.session.shut_down();
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.messages.empty());
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi." + kUser + "And you?"));
}

TEST_CASE("steer: a turn that failed before it was heard is told, and the next one goes on") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say(
      R"({"type":"result","subtype":"success","is_error":true,"terminal_reason":"completed","result":"API Error: 529 overloaded","session_id":"s-1"})");
  CHECK(world.session.turn_running());
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].starts_with("claude in doc.md: "));
  answer(world, "Fine.");
  CHECK(world.recorded.turns[world.recorded.order[0]].totals->state == "failed");
  CHECK(world.recorded.turns[id].totals->state == "done");
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
}

TEST_CASE("steer: a question that is open when it is heard is asked for the second turn") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say_permission("p1");
  REQUIRE(world.asked == std::vector<std::string>{"p1"});
  world.say_lifecycle(id, "started");
  CHECK(world.withdrawn == std::vector<std::string>{"p1"});
  CHECK(world.asked == std::vector<std::string>{"p1", "p1"});
  const std::string turn = world.recorded.order[0];
  CHECK(std::any_of(world.views.begin(), world.views.end(), [&](const auto& view) {
    return view.turn == turn && view.state == TurnState::Done && !view.permission;
  }));
  CHECK(world.views.back().turn == id);
  CHECK(last_state(world) == TurnState::Waiting);
  CHECK_FALSE(world.session.answer(turn, "p1", "allow"));
  CHECK(world.session.answer(id, "p1", "allow"));
  CHECK(world.written.back().find("\"behavior\":\"allow\"") != std::string::npos);
  answer(world, "Fine.");
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
}

TEST_CASE("steer: a reply whose end is still to be written lands beside the next one") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  const std::string id = steer(world, "And you?");
  world.refuse_edits = true;
  world.say_text(" Much more.");
  world.say_lifecycle(id, "started");
  world.say_message_start("m2");
  world.say_text("Fine.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_front_matter("s-1", kHello + "Hi." + kUser + "And you?"));
  CHECK(world.recorded.turns[turn].place == ReplyPlace::Store);
  world.refuse_edits = false;
  world.type_behind("Hello", "!");
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.editor.text() ==
        with_front_matter("s-1", "\n## User\n\nHello!?" + kReply + "Hi. Much more." + kUser +
                                     "And you?" + kReply + "Fine." + kUser));
  CHECK(world.recorded.turns[turn].place == ReplyPlace::Client);
  CHECK(world.recorded.turns[id].place == ReplyPlace::Client);
}

TEST_CASE("steer: the first reply is taken out while its end is still to be written") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  const std::string id = steer(world, "And you?");
  world.refuse_edits = true;
  world.say_text(" Much more.");
  world.say_lifecycle(id, "started");
  world.say_message_start("m2");
  world.say_text("Fine.");
  world.run_until_quiet();
  const std::size_t reply = world.editor.text().find("## Assistant");
  world.type(reply, world.editor.text().find("And you?"), "");
  world.refuse_edits = false;
  world.say_result("s-1");
  world.run_until_quiet(std::chrono::milliseconds{60'000});
  CHECK(world.editor.text() ==
        with_front_matter("s-1", "\n## User\n\nHello?\n\nAnd you?" + kReply + "Fine." + kUser));
  CHECK(said(world) ==
        "The reply above in doc.md was edited where its end was still to be written: your text "
        "stays. All of it is kept: agent-doc log");
  CHECK(world.recorded.turns[turn].reply.text() == "Hi. Much more.");
  CHECK(world.recorded.turns[turn].place == ReplyPlace::Store);
}

TEST_CASE("steer: the prompt is taken out before it is heard: its reply goes to the end") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  SUBCASE("the prompt alone") {
    world.type(world.editor.size() - 8, world.editor.size(), "");
    world.run_until_quiet();
    world.say_lifecycle(id, "started");
    answer(world, "Fine.");
    CHECK(world.editor.text() ==
          with_front_matter("s-1", kHello + "Hi.\n\n## User" + kReply + "Fine." + kUser));
  }
  SUBCASE("all of the document") {
    world.type(0, world.editor.size(), "");
    world.run_until_quiet();
    world.say_lifecycle(id, "started");
    answer(world, "Fine.");
    CHECK(world.editor.text().find("## Assistant\n\nFine." + kUser) != std::string::npos);
  }
}

TEST_CASE("steer: a document that is closed when it is heard") {
  SessionWorld world(kAsked);
  const std::string turn = begin(world);
  const std::string id = steer(world, "And you?");
  world.session.did_close();
  SUBCASE("and stays so") {
    world.say_lifecycle(id, "started");
    CHECK(said(world) ==
          "claude has read what you sent into its turn in doc.md, which is closed: what it answers "
          "belongs to that turn.");
    world.say_text(" Fine.");
    world.say_result("s-1");
    CHECK(world.recorded.order.size() == 1);
    CHECK(world.recorded.turns[turn].reply.text() == "Hi. Fine.");
    CHECK(world.recorded.turns[turn].totals->state == "done");
  }
  SUBCASE("and opened again before that") {
    world.session.did_open(++world.version, world.editor.text());
    world.say_lifecycle(id, "started");
    answer(world, "Fine.");
    CHECK(world.editor.text() ==
          with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Fine." + kUser));
  }
  SUBCASE("and its process dies") {
    world.exit({1, 0, "no power"});
    CHECK_FALSE(world.session.turn_running());
    CHECK_FALSE(world.session.is_queued());
  }
}

TEST_CASE("steer: a second turn that is run again is asked what was said") {
  SessionWorld world(kAsked);
  begin(world);
  const std::string id = steer(world, "And you?");
  world.say_lifecycle(id, "started");
  answer(world, "Fine.");
  id_of(world.session.retry());
  CHECK(last_sent(world) == "And you?");
  world.say_message_start("m3");
  world.say_text("Better.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_front_matter("s-1", kHello + "Hi." + kUser + "And you?" + kReply + "Better." + kUser));
}

}  // namespace session_steer_test
