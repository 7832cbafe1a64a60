// An editor that makes something else of what is inserted into it, until the person turns that off:
// nothing of what was on the way counts as written.
#include "tests/unit/session_test.hpp"

#include <string>

namespace session_rewrites_test {

using namespace agent_doc::session_test;

/// The editor writes every edit in capitals, until nothing more is sent.
void rewrite_edits(SessionWorld& world) {
  for (int edits = 0;; ++edits) {
    REQUIRE(edits < 50);
    for (int wakes = 0; !world.edit; ++wakes) {
      const auto due = world.session.next_wakeup();
      if (!due || wakes == 100) return;
      world.clock = std::max(world.clock, *due);
      world.session.wake();
    }
    agent_doc::text::Edit rewritten = world.edit->edit;
    world.edit.reset();
    for (char& c : rewritten.replacement)
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    world.editor.apply(rewritten);
    world.session.did_change(++world.version, {rewritten});
    world.session.edit_answered(agent_doc::sync::Answer::Applied);
  }
}

/// All that is in the editor, and the person put it right.
void set_text(SessionWorld& world, const std::string& text) {
  world.type(0, world.editor.size(), text);
  world.run_until_quiet();
}

TEST_CASE(
    "a recovery of which the editor made something else has not come: it is offered again, and the "
    "store keeps the reply") {
  const std::string head = "---\nagent_doc_session: doc-1\nagent: claude\n---\n\n";
  const std::string reply = "A reply that is long enough to be known again.";
  SessionWorld world("Nothing.\n");
  world.recorded.unsaved["doc-1"] = {"turn-0", "doc-1", "claude", "", "interrupted", "Why?", reply};
  world.session.did_close();
  world.editor = agent_doc::text::TextBuffer(head + "Why?\n");
  world.session.did_open(++world.version, world.editor.text());
  REQUIRE(world.session.can_recover_reply());
  REQUIRE(std::holds_alternative<std::string>(world.session.recover_reply()));
  rewrite_edits(world);
  CHECK(world.messages.back() ==
        "The editor changes what agent-doc inserts into doc.md, so agent-doc stopped writing "
        "there. The whole reply is in `agent-doc log`. "
        "Turn off what "
        "rewrites inserted text, then use “Insert what is missing of the last reply”.");
  CHECK(world.session.can_recover_reply());
  CHECK(world.recorded.turns["turn-0"].place == agent_doc::store::ReplyPlace::Store);

  set_text(world, head + "Why?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.recover_reply()));
  world.run_until_quiet();
  CHECK(world.editor.text() == head + "Why?\n\n## Assistant\n\n" + reply + "\n\n## User\n\n");
  CHECK(world.recorded.turns["turn-0"].place == agent_doc::store::ReplyPlace::Client);
}

TEST_CASE(
    "the front matter that was given up together with a reply is written when the person lets it "
    "go on") {
  SessionWorld world("Hello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.run_until_quiet();
  set_text(
      world,
      "Hello?\n\n## Assistant\n\n\n\n## User\n");  // the person does not want the front matter yet
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("A reply that is long enough to be known again.");
  rewrite_edits(world);
  CHECK(world.messages.back().ends_with("then use “Write the rest of the reply”."));
  world.say_result("s-1");
  world.run_until_quiet();
  REQUIRE(std::holds_alternative<std::string>(world.session.continue_reply()));
  world.run_until_quiet();
  CHECK(world.editor.text().find("agent_doc_session: uuid-2\n") != std::string::npos);
  CHECK(world.editor.text().find("resume: s-1\n") != std::string::npos);
}

}  // namespace session_rewrites_test
