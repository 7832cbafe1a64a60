// What a person changed in a document reaches the agent with the next run, whatever became of the
// turns between: restarts, forks, retries, failed and stopped turns, several agents. What is told
// of one change: turn_told_test.cpp.
#include "server/session/document_parts.hpp"
#include "server/session/unseen_by_agent.hpp"
#include "tests/unit/session_test.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace session_seen_test {

using namespace agent_doc;
using namespace agent_doc::session_test;

const std::string kTalk = "# Plan\n\nOne thing.\n\nAnother thing.\n\n## User\n\nFirst?\n";

/// The text of the prompt that the agent got last.
std::string sent(const SessionWorld& world) {
  for (auto line = world.written.rbegin(); line != world.written.rend(); ++line) {
    const std::size_t at = line->find(R"("text":")");
    if (line->find(R"("type":"user")") == std::string::npos) continue;
    std::string text;
    const std::size_t begin = at == std::string::npos ? line->find(R"("content":")") + 11 : at + 8;
    for (std::size_t i = begin; i < line->size() && (*line)[i] != '"'; ++i) {
      if ((*line)[i] != '\\') {
        text += (*line)[i];
      } else {
        ++i;
        text += (*line)[i] == 'n' ? '\n' : (*line)[i];
      }
    }
    return text;
  }
  return {};
}

void answer(SessionWorld& world, const std::string& message, const std::string& text,
            const std::string& session = "s-1") {
  world.say_session(session);
  world.say_message_start(message);
  world.say_text(text);
  world.say_result(session);
  world.run_until_quiet();
}

void run(SessionWorld& world) {
  const auto outcome = world.session.run({});
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) FAIL(refusal->message);
  world.run_until_quiet(std::chrono::milliseconds{0});
}

void ask(SessionWorld& world, const std::string& question) {
  world.type(world.editor.text().size(), world.editor.text().size(), question);
  world.run_until_quiet(std::chrono::milliseconds{0});
  run(world);
}

void replace(SessionWorld& world, std::string_view before, std::string after) {
  const std::size_t at = world.editor.text().find(before);
  REQUIRE(at != std::string::npos);
  world.type(at, at + before.size(), std::move(after));
  world.run_until_quiet(std::chrono::milliseconds{0});
}

std::string changes(const std::string& diff, const std::string& asked) {
  return "The markdown document that we write together was changed since you last saw it. This "
         "unified diff tells how; what it takes "
         "out is gone:\n\n<changes>\n" +
         diff + "</changes>\n\n" +
         (asked.empty()
              ? "There is no open prompt in it. Answer what was changed or noted."
              : "This is the open prompt in it. Answer it, and what was noted in the changes:\n\n" +
                    asked);
}

std::string refusal_of(const session::Outcome<std::string>& outcome) {
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal == nullptr ? std::string() : refusal->message;
}

/// What another server finds: the same store, the text as it was saved.
std::unique_ptr<SessionWorld> restarted(const SessionWorld& world) {
  auto next = std::make_unique<SessionWorld>(world.editor.text());
  next->recorded.turns = world.recorded.turns;
  next->recorded.order = world.recorded.order;
  next->uuids = world.uuids;
  return next;
}

TEST_CASE("seen: a plain conversation sends the question alone, warm and resumed") {
  SessionWorld world(kTalk);
  run(world);
  CHECK(
      sent(world).starts_with("This is the markdown document that we write together, up to now:"));
  answer(world, "m1", "Yes.");
  ask(world, "Second?");
  CHECK(sent(world) == "Second?");
  CHECK(world.recorded.seen_queries == 0);  // a warm session asks no disk
  answer(world, "m2", "No.");
  const auto next = restarted(world);
  ask(*next, "Third?");
  CHECK(sent(*next) == "Third?");
  CHECK(next->recorded.seen_queries == 1);
  CHECK(next->messages.empty());
}

TEST_CASE("seen: what was changed above goes with the question, warm and resumed") {
  for (const bool resumed : {false, true}) {
    CAPTURE(resumed);
    SessionWorld first(kTalk);
    run(first);
    answer(first, "m1",
           "Yes, it is.\\nIn two lines.\\nThree.\\nFour.\\nFive.\\nSix.\\nSeven.\\nEight. " +
               std::string(400, 'x'));
    const auto second = resumed ? restarted(first) : nullptr;
    SessionWorld& world = second ? *second : first;
    replace(world, "Another thing.\n\n", "");
    replace(world, "In two lines.\n", "In two lines. (Really?)\n<!-- ask Ann -->\n");
    ask(world, "Second?");
    CHECK(sent(world) ==
          changes("@@ -2,8 +2,6 @@\n \n One thing.\n \n-Another thing.\n-\n ## User\n \n "
                  "First?\n@@ -11,7 +9,7 @@\n ## Assistant\n \n Yes, it "
                  "is.\n-In two lines.\n+In two lines. (Really?)\n Three.\n Four.\n Five.\n",
                  "Second?"));
    answer(world, "m2", "Oh.");
    ask(world, "Third?");
    CHECK(sent(world) == "Third?");  // told once
  }
}

TEST_CASE(
    "seen: what the person types while the reply comes is new to the agent, in the reply and below "
    "it") {
  SessionWorld world(kTalk);
  run(world);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("One.\\nTwo.\\n");
  world.run_until_quiet();
  replace(world, "One.\n", "One. (why?)\n");
  world.type_behind("## User\n\n", "");
  world.say_text("Three.\\nFour.\\nFive.\\nSix.");
  world.say_result("s-1");
  world.run_until_quiet();
  ask(world, "Typed meanwhile");
  CHECK(sent(world) ==
        changes(
            "@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-One.\n+One. (why?)\n Two.\n Three.\n Four.\n",
            "Typed meanwhile"));
}

TEST_CASE("seen: a note without a question is sent alone; with neither nothing is sent") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  const std::string nothing =
      "there is nothing to send: write your question under the last `## User` heading, then run "
      "again";
  CHECK(refusal_of(world.session.run({})) == nothing);
  replace(world, "Yes.\n", "Yes.\n(Are you sure?)\n");
  run(world);
  CHECK(
      sent(world) ==
      changes(
          "@@ -11,6 +11,7 @@\n ## Assistant\n \n Yes.\n+(Are you sure?)\n Two.\n Three.\n Four.\n",
          ""));
  answer(world, "m2", "I am.");
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", kTalk.substr(0, kTalk.size() - 1) +
                                           "\n\n## Assistant\n\nYes.\n(Are you "
                                           "sure?)\nTwo.\nThree.\nFour.\nFive.\n\n## User\n\n## "
                                           "Assistant\n\nI am.\n\n## User\n\n"));
  CHECK(refusal_of(world.session.run({})) == nothing);
  CHECK(refusal_of(world.session.run({})) == nothing);
  const std::size_t launches = world.launches.size();
  ask(world, "And now?");
  CHECK(sent(world) == "And now?");
  CHECK(world.launches.size() == launches);  // what was refused did not cost the warm agent
}

TEST_CASE("seen: a note below a reply whose `## User` is gone is answered below it") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.\\nSix.\\nSeven.\\nEight.");
  replace(world, "\n\n## User\n\nFirst?", "\n\n## User\n\nFirst?");
  const std::string text = world.editor.text();
  const std::size_t heading = text.rfind("## User");
  world.type(heading, text.size(), "And nine?\n");
  world.run_until_quiet();
  run(world);
  CHECK(sent(world) == changes("@@ -18,3 +18,5 @@\n Six.\n Seven.\n Eight.\n+\n+And nine?\n", ""));
  answer(world, "m2", "Nine.");
  CHECK(world.editor.text() ==
        text.substr(0, heading) + "And nine?\n\n## Assistant\n\nNine.\n\n## User\n\n");
}

TEST_CASE("seen: a retry sends the question again, and not that the old reply is gone") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.");
  ask(world, "Second?");
  answer(world, "m2", "No.");
  REQUIRE(refusal_of(world.session.retry()).empty());
  CHECK(sent(world) == "Second?");
  answer(world, "m3", "Perhaps.");
  ask(world, "Third?");
  CHECK(sent(world) == "Third?");
  answer(world, "m4", "Well.\\nA\\nB\\nC\\nD\\nE\\nF\\nG\\nH\\nI");
  replace(world, "Well.\n", "Well!\n");
  run(world);
  const std::string told = sent(world);
  answer(world, "m5", "Hm.");
  REQUIRE(refusal_of(world.session.retry()).empty());
  CHECK(sent(world) == told);  // what was answered without a question is answered again
}

TEST_CASE(
    "seen: a turn that fails before the agent answered was not seen; one that is stopped later "
    "was") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  replace(world, "Yes.\n", "Yes!\n");
  const std::string diff =
      "@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-Yes.\n+Yes!\n Two.\n Three.\n Four.\n";
  ask(world, "Second?");
  CHECK(sent(world) == changes(diff, "Second?"));
  world.exit({1, 0, "no network"});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  run(world);
  CHECK(sent(world) == changes(diff, "Second?"));
  world.say_session("s-1");
  world.say_message_start("m2");
  world.say_text("Half");
  world.run_until_quiet();
  REQUIRE(world.session.stop());
  world.say_aborted();
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Cancelled);
  ask(world, "Third?");
  CHECK(sent(world) == "Third?");
}

TEST_CASE("seen: what went with a turn that ended without a word is told again") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  replace(world, "Yes.\n", "Yes!\n");
  const std::string diff =
      "@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-Yes.\n+Yes!\n Two.\n Three.\n Four.\n";
  ask(world, "Second?");
  CHECK(sent(world) == changes(diff, "Second?"));
  world.say_session("s-1");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  run(world);
  CHECK(sent(world) == changes(diff, "Second?"));
}

TEST_CASE("seen: a session that was put in by hand gets the question alone, which is told once") {
  SessionWorld world(with_front_matter("s-7", kTalk));
  run(world);
  CHECK(sent(world) == "First?");
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.", "s-7");
  CHECK(world.messages ==
        std::vector<std::string>{
            "What claude has seen of doc.md is not known here, so it got the question alone. "
            "What is changed from now on is told."});
  replace(world, "Yes.\n", "Yes!\n");
  ask(world, "Second?");
  CHECK(sent(world) ==
        changes("@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-Yes.\n+Yes!\n Two.\n Three.\n Four.\n",
                "Second?"));
  CHECK(world.messages.size() == 1);
}

TEST_CASE("seen: a fork has what its session has") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  auto forked = world.session.fork("/w/doc-fork.md");
  REQUIRE(std::holds_alternative<session::ForkedDocument>(forked));
  SessionWorld fork(std::get<session::ForkedDocument>(forked).text);
  fork.recorded.turns = world.recorded.turns;
  fork.recorded.order = world.recorded.order;
  fork.uuids = 100;
  replace(fork, "Yes.\n", "No.\n");
  ask(fork, "Why not?");
  CHECK(sent(fork) ==
        changes("@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-Yes.\n+No.\n Two.\n Three.\n Four.\n",
                "Why not?"));
  CHECK(fork.messages.empty());
  answer(fork, "m2", "So.", "s-2");
  ask(fork, "Next?");
  CHECK(sent(fork) == "Next?");
}

TEST_CASE("seen: each of two agents is told what the other said, once") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.\\nSix.\\nSeven.");
  world.type(world.editor.text().size(), world.editor.text().size(), "And you?");
  world.run_until_quiet(std::chrono::milliseconds{0});
  RunRequest other;
  other.agent = "other";
  REQUIRE(refusal_of(world.session.run(other)).empty());
  CHECK(
      sent(world).starts_with("This is the markdown document that we write together, up to now:"));
  answer(world, "m2", "Me, too.", "o-1");
  ask(world, "Thanks.");
  CHECK(sent(world) == changes("@@ -17,3 +17,11 @@\n Five.\n Six.\n Seven.\n+\n+## User\n+\n+And "
                               "you?\n+\n+## Assistant\n+\n+Me, too.\n",
                               "Thanks."));
  answer(world, "m3", "Well.");
  ask(world, "Bye.");
  CHECK(sent(world) == "Bye.");
}

TEST_CASE("seen: changes for a session that is gone go with the document to a new one") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  const auto next = restarted(world);
  replace(*next, "Yes.\n", "Yes!\n");
  run(*next);
  next->say(
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s-1","errors":["No conversation found with session ID: s-1"]})");
  REQUIRE(next->launches.size() == 2);
  CHECK(
      sent(*next) ==
      "This is the markdown document that we write together, up to now:\n\n<document>\n# "
      "Plan\n\nOne thing.\n\nAnother "
      "thing.\n\n## User\n\nFirst?\n\n## "
      "Assistant\n\nYes!\nTwo.\nThree.\nFour.\nFive.\n</document>\n\nThis was changed in it last, "
      "as a unified diff:\n\n<changes>\n@@ -10,7 +10,7 @@\n \n ## Assistant\n \n-Yes.\n+Yes!\n "
      "Two.\n Three.\n "
      "Four.\n</changes>\n\nThere is no open prompt in it. Answer what was changed or noted.");
}

TEST_CASE("seen: another process that used the session since is believed") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  const std::string elsewhere =
      turn::earlier_text({*world.recorded.turns.begin()->second.began.sent, 0,
                          "Yes.\nTwo.\nThree.\nFour.\nFive."}) +
      "\n## User\n\nElsewhere?\n";
  store::TurnBegan began = world.recorded.turns.begin()->second.began;
  began.turn = "t-elsewhere";
  began.sent = std::make_shared<const std::string>(elsewhere);
  world.recorded.turn_began(began);
  world.recorded.session_known("t-elsewhere", "s-1");
  world.recorded.prompt_arrived("t-elsewhere");
  world.recorded.reply_changed("t-elsewhere", 0, "There.");
  world.leases.sessions["claude s-1"].uses += 1;
  ask(world, "Here?");
  CHECK(sent(world) == changes("@@ -15,11 +15,3 @@\n Three.\n Four.\n Five.\n-\n-## "
                               "User\n-\n-Elsewhere?\n-\n-## Assistant\n-\n-There.\n",
                               "Here?"));
}

TEST_CASE("seen: a preview is what the run sends then, and changes nothing") {
  SessionWorld world(kTalk);
  auto preview = world.session.preview({});
  REQUIRE(std::holds_alternative<session::Preview>(preview));
  const std::string document = std::get<session::Preview>(preview).prompt.text;
  CHECK(std::get<session::Preview>(preview).prompt.shape == turn::Shape::Document);
  CHECK(world.launches.empty());
  run(world);
  CHECK(sent(world) == document);
  preview = world.session.preview({});
  REQUIRE(std::holds_alternative<Refusal>(preview));
  CHECK(std::get<Refusal>(preview).kind == RefusalKind::Busy);
  answer(world, "m1", "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.");
  preview = world.session.preview({});
  REQUIRE(std::holds_alternative<Refusal>(preview));
  CHECK(std::get<Refusal>(preview).kind == RefusalKind::NothingToSend);
  replace(world, "Yes.\n", "Yes!\n");
  preview = world.session.preview({});
  REQUIRE(std::holds_alternative<session::Preview>(preview));
  const session::Preview& shown = std::get<session::Preview>(preview);
  CHECK(shown.prompt.shape == turn::Shape::Changes);
  CHECK(shown.prompt.places == 1);
  CHECK(shown.session == "s-1");
  const std::string text = world.editor.text();
  CHECK(shown.prompt.text == changes(shown.prompt.changes, ""));
  CHECK(world.editor.text() == text);
  run(world);
  CHECK(sent(world) == shown.prompt.text);
}

/// What a look finds: the begin of each place, and how many there are.
std::string not_seen(SessionWorld& world) {
  world.session.look_for_unseen(session::parts_of(world.editor.text()));
  std::string found = std::to_string(world.session.unseen().count());
  for (const turn::UnseenPlace& place : world.session.unseen().places())
    found += " " + world.editor.text().substr(place.begin, place.end - place.begin);
  return found;
}

std::string left_out(SessionWorld& world, std::optional<std::size_t> at = std::nullopt) {
  const auto outcome = world.session.leave_out(at);
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) return refusal->message;
  return std::to_string(std::get<std::size_t>(outcome));
}

std::size_t places_told(SessionWorld& world) {
  const auto preview = world.session.preview({});
  const auto* shown = std::get_if<session::Preview>(&preview);
  return shown == nullptr ? 0 : shown->prompt.places;
}

const std::string kTenLines =
    "Yes.\\nTwo.\\nThree.\\nFour.\\nFive.\\nSix.\\nSeven.\\nEight.\\nNine.";

TEST_CASE("seen: the places that are marked are those that a run tells, and none while it runs") {
  SessionWorld world(kTalk);
  CHECK(not_seen(world) == "0");
  run(world);
  answer(world, "m1", kTenLines);
  CHECK(not_seen(world) == "0");
  replace(world, "Yes.\n", "Yes?\n");
  replace(world, "Nine.", "Nine!");
  CHECK(not_seen(world) == "2 Yes? Nine!");
  CHECK(world.session.is_unseen_current());
  CHECK(places_told(world) == 2);
  CHECK(world.recorded.seen_queries == 0);
  world.type(world.editor.text().size(), world.editor.text().size(), "Second?");
  world.run_until_quiet(std::chrono::milliseconds{0});
  CHECK_FALSE(world.session.is_unseen_current());
  CHECK(not_seen(world) == "2 Yes? Nine!");
  run(world);
  CHECK(world.session.unseen().count() == 0);
  replace(world, "Two.\n", "2.\n");
  CHECK(not_seen(world) == "0");  // a streaming reply pays for nothing
  answer(world, "m2", "No.");
  CHECK(not_seen(world) == "1 2.");
  const auto next = restarted(world);
  CHECK(not_seen(*next) == "1 2.");
  replace(*next, "Six.\n", "6.\n");
  CHECK(not_seen(*next) == "1 2.\nThree.\nFour.\nFive.\n6.");
  CHECK(next->recorded.seen_queries == 1);  // the disk is asked once
}

TEST_CASE("seen: what stands below a reply that is not all written yet is not marked") {
  SessionWorld world(kTalk);
  run(world);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("One.\\nTwo.");
  world.refuse_edits = true;
  world.say_result("s-1");
  world.run_until_quiet();
  REQUIRE(world.session.engine().wants_to_write());
  CHECK(not_seen(world) == "0");
}

TEST_CASE("seen: a change that is left out is told no more, warm and resumed") {
  for (const bool resumed : {false, true}) {
    CAPTURE(resumed);
    SessionWorld first(kTalk);
    run(first);
    answer(first, "m1", kTenLines);
    replace(first, "Yes.\n", "Yes?\n");
    replace(first, "Nine.", "Nine!");
    CHECK(left_out(first, first.editor.text().find("es?")) == "1");
    CHECK(not_seen(first) == "1 Nine!");
    const auto second = resumed ? restarted(first) : nullptr;
    SessionWorld& world = second ? *second : first;
    ask(world, "Second?");
    CHECK(sent(world) ==
          changes("@@ -18,4 +18,4 @@\n Six.\n Seven.\n Eight.\n-Nine.\n+Nine!\n", "Second?"));
    answer(world, "m2", "Oh.");
    CHECK(not_seen(world) == "0");
    ask(world, "Third?");
    CHECK(sent(world) == "Third?");
  }
}

TEST_CASE("seen: all that was changed is left out; a retry tells of neither") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", kTenLines);
  ask(world, "Second?");
  answer(world, "m2", "No.");
  replace(world, "One thing.", "Something.");
  replace(world, "Nine.", "Nine!");
  CHECK(left_out(world) == "2");
  CHECK(not_seen(world) == "0");
  CHECK(places_told(world) == 0);
  REQUIRE(refusal_of(world.session.retry()).empty());
  CHECK(sent(world) == "Second?");
}

TEST_CASE("seen: what cannot be left out") {
  SessionWorld world(kTalk);
  CHECK(
      left_out(world) ==
      "what stands above the prompt in doc.md is nothing that was changed since its agent saw it");
  run(world);
  CHECK(left_out(world) ==
        "a turn is running in doc.md: what goes with the next one is known at its end");
  answer(world, "m1", kTenLines);
  replace(world, "Yes.\n", "Yes?\n");
  CHECK(left_out(world, world.editor.text().find("Two.")) ==
        "what stands here in doc.md is nothing that was changed since its agent saw it");
  auto forked = world.session.fork("/w/doc-fork.md");
  REQUIRE(std::holds_alternative<session::ForkedDocument>(forked));
  SessionWorld fork(std::get<session::ForkedDocument>(forked).text);
  fork.recorded.turns = world.recorded.turns;
  fork.recorded.order = world.recorded.order;
  CHECK(not_seen(fork) == "1 Yes?");
  CHECK(left_out(fork) ==
        "the fork doc.md has no session of its own yet: run it first, then leave changes out");
}

TEST_CASE("seen: the question after which a fork begins before a change") {
  SessionWorld world(kTalk);
  run(world);
  answer(world, "m1", kTenLines);
  ask(world, "Second?");
  answer(world, "m2", "No.\\nNever.");
  const auto turns = [&] {
    const session::DocumentParts parts = session::parts_of(world.editor.text());
    world.session.look_for_unseen(parts);
    std::string found;
    for (const turn::UnseenPlace& place : world.session.unseen().places())
      found += std::to_string(session::turns_before(world.editor.text(), parts, place)) + " ";
    return found;
  };
  replace(world, "First?", "First!");
  replace(world, "Second?", "Second!");
  CHECK(turns() == "0 1 ");
  replace(world, "First!", "First?");
  replace(world, "Second!", "Second?");
  replace(world, "\nNever.", "");
  CHECK(turns() == "1 ");
}

}  // namespace session_seen_test
