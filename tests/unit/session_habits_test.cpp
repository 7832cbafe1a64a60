// What people and their editors do to a document while a reply is written into it, as whole
// documents: white space trimmed on save, blank lines tidied, and what the next run then finds.
#include "tests/unit/session_test.hpp"

#include <string>
#include <vector>

namespace session_habits_test {

using namespace agent_doc::session_test;  // NOLINT: this file's own names
namespace session = agent_doc::session;

/// A turn whose reply so far stands in the document.
void begin_reply(SessionWorld& world, const std::string& text) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text(text);
  world.run_until_quiet();
}

void end_reply(SessionWorld& world) {
  world.say_result("s-1");
  world.run_until_quiet();
}

/// As an editor does that trims lines when it saves.
void trim_lines(SessionWorld& world) {
  for (std::size_t end = world.editor.text().size();;) {
    const std::string& text = world.editor.text();
    std::size_t begin = end;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    if (begin < end) world.type(begin, end, "");
    const std::size_t before = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
    if (before == std::string::npos) break;
    end = before;
  }
  while (world.step()) {
  }
}

const std::string kAsked = with_added_front_matter("s-1", kBare);

TEST_CASE("a reply whose lines are trimmed at every save is written to its end") {
  SessionWorld world(kBare);
  begin_reply(world, "One ");
  for (const std::string word : {"two ", "three ", "four."}) {
    trim_lines(world);
    world.say_text(word);
    world.run_until_quiet();
  }
  end_reply(world);
  CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne two three four.\n\n## User\n\n");
  CHECK(world.messages.empty());
  CHECK_FALSE(world.session.can_continue_reply());
}

TEST_CASE("a paragraph's end that is trimmed away comes back before the next paragraph") {
  SessionWorld world(kBare);
  begin_reply(world, "One.\\n\\n");
  const std::size_t at = world.editor.text().find("\n\n\n\n## User");
  world.type(at, at + 2, "");
  while (world.step()) {
  }
  world.say_text("Two.");
  end_reply(world);
  CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne.\n\nTwo.\n\n## User\n\n");
  CHECK(world.messages.empty());
}

TEST_CASE("blank lines below a growing reply are tidied: the next run finds its prompt") {
  for (const std::size_t gone : {1, 2}) {
    CAPTURE(gone);
    SessionWorld world(kBare);
    begin_reply(world, "One.");
    const std::size_t at = world.editor.text().find("\n\n## User");
    world.type(at, at + gone, "");
    while (world.step()) {
    }
    world.say_text(" Two.");
    end_reply(world);
    const std::string below = gone == 1 ? "\n## User\n\n" : "\n\n## User\n\n";
    CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne. Two." + below);
    world.type(world.editor.text().size(), world.editor.text().size(), "Again?\n");
    while (world.step()) {
    }
    CHECK(std::holds_alternative<std::string>(world.session.run({})));
    CHECK(world.written.back().find("Again?") != std::string::npos);
  }
}

TEST_CASE("blank lines are tidied before the first text comes") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.run_until_quiet();
  const std::size_t at = world.editor.text().find("\n\n\n\n## User");
  world.type(at, at + 2, "");
  while (world.step()) {
  }
  world.say_message_start("m1");
  world.say_text("One.");
  end_reply(world);
  CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne.\n\n## User\n\n");
  CHECK(world.messages.empty());
}

// --- the reply goes and comes back ---

void run_steps(SessionWorld& world) {
  while (world.step()) {
  }
}

TEST_CASE("a reply that is undone and redone with its heading goes on, and nothing is offered") {
  SessionWorld world(kBare);
  begin_reply(world, "One.");
  const std::string block = "\n## Assistant\n\nOne.\n\n## User\n\n";
  const std::size_t at = world.editor.text().find(block);
  world.type(at, at + block.size(), "");
  run_steps(world);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("The place of the reply in doc.md was deleted") !=
        std::string::npos);
  CHECK(world.session.continuation() == session::Continuation::PutBelowPrompt);
  world.say_text(" Two.");
  world.run_until_quiet();
  world.type(at, at, block);
  run_steps(world);
  CHECK_FALSE(world.session.can_continue_reply());
  end_reply(world);
  CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne. Two.\n\n## User\n\n");
  CHECK(world.messages.size() == 1);
}

TEST_CASE("what the person asks to be written never stands there twice") {
  struct Case {
    std::string name;
    std::string back;  ///< what stands instead of the reply and its heading
    session::Continuation continuation;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"all of it, piece by piece", "## Assistant\n\nOne.\n", session::Continuation::WriteRest,
       "\n## Assistant\n\nOne. Two.\n\n\n## User\n\n"},
      {"a part of it", "## Assistant\n\nOn\n", session::Continuation::WriteRest,
       "\n## Assistant\n\nOne. Two.\n\n\n## User\n\n"},
      {"nothing", "", session::Continuation::PutBelowPrompt,
       "\n## Assistant\n\nOne. Two.\n\n\n\n## User\n\n"},
      {"something else", "## Assistant\n\nMine.", session::Continuation::PutAtEnd,
       "\n## Assistant\n\nMine.\n\n## User\n\n## Assistant\n\nOne. Two.\n\n## User\n\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    SessionWorld world(kBare);
    begin_reply(world, "One.");
    const std::string block = "## Assistant\n\nOne.";
    const std::size_t at = world.editor.text().find(block);
    world.type(at, at + block.size(), "");
    run_steps(world);
    const std::size_t half = c.back.size() / 2;
    world.type(at, at, c.back.substr(0, half));
    world.type(at + half, at + half, c.back.substr(half));
    run_steps(world);
    world.say_text(" Two.");
    world.run_until_quiet();
    CHECK(world.session.continuation() == c.continuation);
    REQUIRE(std::holds_alternative<std::string>(world.session.continue_reply()));
    end_reply(world);
    CHECK(world.editor.text() == kAsked + c.result);
    CHECK_FALSE(world.session.can_continue_reply());
  }
}

/// The document is closed, and opened again with `text`.
void reopen(SessionWorld& world, const std::string& text) {
  world.session.did_close();
  world.editor = agent_doc::text::TextBuffer(text);
  world.session.did_open(world.version = 1, text);
}

TEST_CASE(
    "closed unsaved in mid-turn and opened again: the reply goes on in the text that is there") {
  struct Case {
    std::string name;
    std::string saved;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"before the run", kBare, kBare + "\n## Assistant\n\nOne. Two.\n\n## User\n\n"},
      {"with the heading alone", kAsked + "\n## Assistant\n\n\n\n## User\n\n",
       kAsked + "\n## Assistant\n\nOne. Two.\n\n## User\n\n"},
      {"with half of the reply", kAsked + "\n## Assistant\n\nOn\n\n## User\n\nNext",
       kAsked + "\n## Assistant\n\nOne. Two.\n\n## User\n\nNext"},
      {"with all of it", kAsked + "\n## Assistant\n\nOne.\n\n## User\n\n",
       kAsked + "\n## Assistant\n\nOne. Two.\n\n## User\n\n"},
  };
  for (const Case& c : cases) {
    for (const bool ends_closed : {false, true}) {
      CAPTURE(c.name);
      CAPTURE(ends_closed);
      SessionWorld world(kBare);
      begin_reply(world, "One.");
      world.session.did_close();
      if (ends_closed) {
        world.say_text(" Two.");
        end_reply(world);
      }
      reopen(world, c.saved);
      if (!ends_closed) {
        world.say_text(" Two.");
        end_reply(world);
      }
      world.run_until_quiet();
      CHECK(world.editor.text() == c.result);
      CHECK(world.messages.empty());
      CHECK_FALSE(world.session.can_continue_reply());
    }
  }
}

TEST_CASE("closed unsaved with its prompt: the person is told that it was closed, and what to do") {
  SessionWorld world(kBare);
  begin_reply(world, "One.");
  reopen(world, "");
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("doc.md was closed without being saved") == 0);
  CHECK(world.messages[0].find("deleted") == std::string::npos);
  CHECK(world.messages[0].find("agent-doc recover FILE") != std::string::npos);
  CHECK(world.session.continuation() == session::Continuation::PutAtEnd);
  world.say_text(" Two.");
  end_reply(world);
  CHECK(world.editor.text().empty());
  reopen(world, kBare);
  world.run_until_quiet();
  CHECK(world.editor.text() == kBare + "\n## Assistant\n\nOne. Two.\n\n## User\n\n");
  CHECK(world.messages.size() == 1);
}

TEST_CASE("a person's undo stays an undo when the document is opened again") {
  SessionWorld world(kBare);
  begin_reply(world, "One. Two.");
  const std::size_t at = world.editor.text().find(" Two.");
  world.type(at, at + 5, "");
  run_steps(world);
  reopen(world, world.editor.text());
  world.say_text(" Three.");
  end_reply(world);
  CHECK(world.editor.text() == kAsked + "\n## Assistant\n\nOne.\n\n## User\n\n");
  CHECK(world.session.continuation() == session::Continuation::WriteRest);
}

}  // namespace session_habits_test
