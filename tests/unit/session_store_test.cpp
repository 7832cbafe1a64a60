// What a document's session tells the store, what it takes from it, and who may use an agent's
// session.
#include "tests/fakes/session_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace session_store_test {

using namespace agent_doc;
using agent_doc::fakes::JournalInMemory;
using agent_doc::fakes::SessionWorld;
using agent_doc::session::Outcome;
using agent_doc::session::Refusal;
using store::ReplyPlace;

const std::string kFrontMatter =
    "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\n";

const JournalInMemory::Turn& only_turn(const SessionWorld& world) {
  REQUIRE(world.recorded.turns.size() == 1);
  return world.recorded.turns.begin()->second;
}

void run(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
}

void answer(SessionWorld& world, const std::string& text) {
  world.say_session("s-1");
  world.say_message_start("m-" + text);
  world.say_text(text);
  world.say_result("s-1");
  world.run_until_quiet();
}

std::string refusal_of(const Outcome<std::string>& outcome) {
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal == nullptr ? std::string() : refusal->message;
}

TEST_CASE("session store: a turn is told from its begin to its saved file") {
  SessionWorld world("Why?\n");
  run(world);
  CHECK(only_turn(world).began.document == "uuid-2");
  CHECK(only_turn(world).began.prompt == "Why?");
  CHECK(only_turn(world).began.path == "/w/doc.md");
  CHECK(only_turn(world).began.agent == "claude");
  CHECK(only_turn(world).began.folder == "/w");
  answer(world, "Because.");
  const JournalInMemory::Turn& turn = only_turn(world);
  CHECK(turn.sessions == std::vector<std::string>{"s-1"});
  CHECK(turn.reply.text() == "Because.");
  REQUIRE(turn.totals);
  CHECK(turn.totals->state == "done");
  CHECK(turn.totals->model == "model-1");
  CHECK(turn.totals->session_id == "s-1");
  CHECK(turn.place == ReplyPlace::Client);
  world.session.did_save();
  CHECK(turn.place == ReplyPlace::File);
}

TEST_CASE("session store: a save before the reply is all there proves nothing") {
  SessionWorld world("Why?\n");
  run(world);
  world.run_until_quiet();
  world.session.did_save();
  answer(world, "Because.");
  CHECK(only_turn(world).place == ReplyPlace::Client);
}

TEST_CASE(
    "session store: rounds that were replaced, and a reply whose place was deleted, are in the "
    "store") {
  SessionWorld world("Why?\n");
  run(world);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Let me look.");
  world.run_until_quiet();
  world.say_tool("tool-1");
  world.say_message_start("m2");
  world.say_text("Be");
  world.run_until_quiet();
  const std::string frame = "## Assistant\n\nBe\n\n## User";
  const std::size_t at = world.editor.text().find(frame);
  REQUIRE(at != std::string::npos);
  world.type(at, at + frame.size(), "");
  world.run_until_quiet();
  world.say_text("cause.");
  world.say_result("s-1");
  world.run_until_quiet();
  const JournalInMemory::Turn& turn = only_turn(world);
  CHECK(turn.reply.text() == "Because.");
  CHECK(turn.reply.taken_away() == std::vector<std::string>{"Let me look."});
  CHECK(turn.place == ReplyPlace::Store);
}

TEST_CASE("session store: what the agent says after its turn is kept, too") {
  SessionWorld world("Why?\n");
  run(world);
  answer(world, "Because.");
  world.say(
      R"({"type":"assistant","message":{"id":"later","role":"assistant","content":[{"type":"text","text":"By the way."}]},"parent_tool_use_id":null})");
  CHECK(only_turn(world).said_after == std::vector<std::string>{"By the way."});
}

TEST_CASE(
    "session store: what the agent says while its process is being ended belongs to its last "
    "turn") {
  SessionWorld world("Why?\n");
  run(world);
  answer(world, "Because.");
  world.session.new_session();
  REQUIRE(world.written.back() == "<end>");
  world.say(
      R"({"type":"assistant","message":{"id":"later","role":"assistant","content":[{"type":"text","text":"One last thing."}]},"parent_tool_use_id":null})");
  CHECK(only_turn(world).said_after == std::vector<std::string>{"One last thing."});
  CHECK(world.messages.back() == "claude said after its turn in doc.md: One last thing.");
}

TEST_CASE("session store: a problem of the store is told once, and costs the turn nothing") {
  SessionWorld world("Why?\n");
  run(world);
  world.recorded.problem = "The disk is full.";
  answer(world, "Because.");
  CHECK(world.messages == std::vector<std::string>{"The disk is full."});
  CHECK(world.editor.text() == kFrontMatter + "Why?\n\n## Assistant\n\nBecause.\n\n## User\n\n");
}

/// A document as a crash left it, opened again.
struct Reopened {
  explicit Reopened(const std::string& text, const std::string& reply = "Because of this.")
      : world("") {
    world.recorded.unsaved["uuid-2"] = {"t-0",         "uuid-2", "claude", "s-1",
                                        "interrupted", "Why?",   reply};
    world.recorded.unsaved["/w/doc.md"] = world.recorded.unsaved["uuid-2"];
    world.session.did_close();
    world.editor = text::TextBuffer(text);
    world.session.did_open(++world.version, text);
    world.run_until_quiet();
  }
  SessionWorld world;
};

TEST_CASE(
    "session store: what a crash left out is offered when the document is opened, and comes back "
    "once") {
  Reopened reopened(kFrontMatter + "Why?\n\n## Assistant\n\nBecause\n\n## User\n\nNext, ");
  SessionWorld& world = reopened.world;
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "The last reply of claude in doc.md (interrupted) is not all there. “Insert what is "
        "missing of the last reply”, or `agent-doc "
        "recover FILE`, brings "
        "it back.");
  CHECK(world.session.can_recover_reply());
  CHECK(refusal_of(world.session.recover_reply()).empty());
  world.type_behind("Next, ", "I type.");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        kFrontMatter + "Why?\n\n## Assistant\n\nBecause of this.\n\n## User\n\nNext, I type.");
  CHECK(world.recorded.turns["t-0"].place == ReplyPlace::Client);
  CHECK_FALSE(world.session.can_recover_reply());
  CHECK(refusal_of(world.session.recover_reply()) ==
        "nothing of the last reply is missing in doc.md");
  world.session.did_save();
  CHECK(world.recorded.turns["t-0"].place == ReplyPlace::File);
}

TEST_CASE("session store: a document that was never saved gets its front matter back, too") {
  Reopened reopened("Why?\n");
  CHECK(reopened.world.session.can_recover_reply());
  CHECK(refusal_of(reopened.world.session.recover_reply()).empty());
  reopened.world.run_until_quiet();
  CHECK(reopened.world.editor.text() ==
        kFrontMatter + "Why?\n\n## Assistant\n\nBecause of this.\n\n## User\n\n");
}

TEST_CASE("session store: another text at the path of an earlier document is offered nothing") {
  Reopened reopened("Something else.\n");
  CHECK(reopened.world.messages.empty());
  CHECK_FALSE(reopened.world.session.can_recover_reply());
}

TEST_CASE("session store: nothing is offered when the whole reply is there") {
  Reopened reopened(kFrontMatter + "Why?\n\n## Assistant\n\nBecause of this.\n\n## User\n\n");
  CHECK(reopened.world.messages.empty());
  CHECK_FALSE(reopened.world.session.can_recover_reply());
}

TEST_CASE("session store: a new turn takes the offer back") {
  Reopened reopened(kFrontMatter + "Why?\n\n## Assistant\n\nBecause\n\n## User\n\nNext?\n");
  run(reopened.world);
  CHECK_FALSE(reopened.world.session.can_recover_reply());
  CHECK(refusal_of(reopened.world.session.recover_reply()).find("a turn is running in doc.md") ==
        0);
}

// --- leases ---

TEST_CASE("leases: a turn holds its session, an idle agent does not") {
  SessionWorld world("Why?\n");
  run(world);
  CHECK(world.leases.sessions.size() == 1);  // of the document; no session is known
  world.say_session("s-1");
  CHECK(world.leases.sessions["claude s-1"].holder);
  answer(world, "Because.");
  CHECK_FALSE(world.leases.sessions["claude s-1"].holder);
  world.type(world.editor.text().size(), world.editor.text().size(), "And?\n");
  world.run_until_quiet();
  run(world);
  CHECK(world.launches.size() == 1);
  CHECK(world.leases.sessions["claude s-1"].holder);
  CHECK(world.leases.sessions["claude s-1"].uses == 2);
}

TEST_CASE("leases: a session that another turn has is refused, and the message says whose") {
  SessionWorld world(kFrontMatter + "Why?\n");
  auto held = world.leases.lease("claude", "s-1", "/w/copy.md");
  CHECK(refusal_of(world.session.run({})) ==
        "the session of claude in doc.md is in use for /w/copy.md (process 1): wait for the end of "
        "that turn or stop it. To go on beside "
        "it, fork the "
        "document");
  CHECK(world.launches.empty());
  held = agent_doc::session::SessionHolder{};
  run(world);
  CHECK(world.launches.size() == 1);
}

TEST_CASE("leases: a running agent whose session somebody else has used is started anew") {
  SessionWorld world("Why?\n");
  run(world);
  answer(world, "Because.");
  { auto elsewhere = world.leases.lease("claude", "s-1", "/w/copy.md"); }
  world.type(world.editor.text().size(), world.editor.text().size(), "And?\n");
  world.run_until_quiet();
  run(world);
  REQUIRE(world.launches.size() == 2);
  answer(world, "So.");
  CHECK(world.editor.text() == kFrontMatter +
                                   "Why?\n\n## Assistant\n\nBecause.\n\n## User\n\nAnd?\n\n## "
                                   "Assistant\n\nSo.\n\n## User\n\n");
}

TEST_CASE("leases: an agent that could not be started leaves the session to others") {
  SessionWorld world(kFrontMatter + "Why?\n");
  world.launch_error =
      boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  CHECK_FALSE(refusal_of(world.session.run({})).empty());
  CHECK_FALSE(world.leases.sessions["claude s-1"].holder);
}

TEST_CASE("leases: a session that is lost in another folder says which") {
  SessionWorld world(kFrontMatter + "Why?\n");
  world.recorded.folders["claude s-1"] = "/elsewhere";
  run(world);
  world.say(
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"x","errors":["No conversation found with session ID: s-1"]})");
  world.exit({1, 0, {}});
  world.run_until_quiet();
  REQUIRE_FALSE(world.messages.empty());
  CHECK(world.messages[0].find("That session was last used in the folder /elsewhere.") !=
        std::string::npos);
}

TEST_CASE("session store: thoughts are told, in and out of tags") {
  SessionWorld world("Why?\n");
  run(world);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say(
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see."}}})");
  world.say(
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"<think>A tag.</think>Because."}}})");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(only_turn(world).thoughts == std::vector<std::string>{"Let me see.", "A tag."});
  CHECK(only_turn(world).reply.text() == "Because.");
}

TEST_CASE(
    "session store: the store knows whose session `resume` is when `agent` was edited by hand "
    "before this process began") {
  SessionWorld world("Why?\n");
  world.recorded.agents["s-9"] = "claude";
  world.type(0, 0, "---\nagent_doc_session: d-1\nagent: other\nresume: s-9\n---\n\n");
  world.run_until_quiet();
  run(world);
  REQUIRE(world.launches.size() == 1);
  const auto& args = world.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "s-9") == args.end());
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("the session of claude is kept") != std::string::npos);
  answer(world, "Because.");
  CHECK(world.editor.text().find("claude: s-9") != std::string::npos);
  CHECK(world.editor.text().find("other: s-1") != std::string::npos);
}

TEST_CASE("session store: one turn at a time in a document that has no session yet") {
  SessionWorld world("Why?\n");
  {
    const auto held = world.leases.lease("document", "/w/doc.md", "/w/doc.md");
    CHECK(refusal_of(world.session.run({})) ==
          "doc.md is busy: another agent-doc runs a turn in it (process 1): wait until that reply "
          "is complete, or stop it there");
    CHECK(world.launches.empty());
  }
  run(world);
  CHECK(world.leases.sessions["document /w/doc.md"].holder.has_value());
  answer(world, "Because.");
  CHECK_FALSE(world.leases.sessions["document /w/doc.md"].holder.has_value());
}

TEST_CASE("session store: a turn that ends without any text says so") {
  SessionWorld world("Why?\n");
  run(world);
  world.say_session("s-1");
  world.say_tool("t");
  world.say_result("s-1");
  world.run_until_quiet();
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "claude ended its turn in doc.md without any text. The prompt is still open.");
}

}  // namespace session_store_test
