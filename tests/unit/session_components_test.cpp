// A reply with blocks for components of its document: whole documents while a person types, what
// the agent is told of it next, and what comes back after a crash.
#include "server/session/fork.hpp"
#include "server/session/recovery.hpp"
#include "tests/unit/session_test.hpp"

#include <string>

namespace session_components_test {

using namespace agent_doc;
using namespace agent_doc::session_test;

const std::string kTemplate =
    "---\nagent_doc_session: uuid-2\nagent: claude\n---\n# Work\n\n"
    "<!-- agent:status -->\nidle\n<!-- /agent:status -->\n\n"
    "<!-- agent:exchange -->\n## User\n\nBegin.\n<!-- /agent:exchange -->\n\n"
    "<!-- agent:log patch=append max_lines=3 -->\none\ntwo\n<!-- /agent:log -->\n";

/// The template after a turn in session s-1.
std::string after(const std::string& status, const std::string& said, const std::string& log) {
  return "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n# Work\n\n"
         "<!-- agent:status -->\n" +
         status +
         "<!-- /agent:status -->\n\n<!-- agent:exchange -->\n## User\n\nBegin.\n\n"
         "## Assistant\n\n" +
         said +
         "\n\n## User\n\n<!-- /agent:exchange -->\n\n"
         "<!-- agent:log patch=append max_lines=3 -->\n" +
         log + "<!-- /agent:log -->\n";
}

void begin(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
}

void say(SessionWorld& world, const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  world.say_text(escaped);
  world.run_until_quiet();
}

void end(SessionWorld& world) {
  world.say_result("s-1");
  world.run_until_quiet();
}

TEST_CASE("components: a reply streams into the exchange, its blocks into theirs") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "I am at");
  say(world, " it.\n\n<!-- patch:sta");
  say(world, "tus -->\nbusy");
  CHECK(world.editor.text() == after("busy\n", "I am at it.", "one\ntwo\n"));
  say(world,
      " now\n<!-- /patch:status -->\n<!-- patch:log -->\nthree\nfour\n<!-- /patch:log "
      "-->\n\nDone.");
  CHECK(world.editor.text() ==
        after("busy now\n", "I am at it.\n\nDone.", "one\ntwo\nthree\nfour\n"));
  end(world);
  CHECK(world.editor.text() == after("busy now\n", "I am at it.\n\nDone.", "two\nthree\nfour\n"));
  CHECK(world.views.back().reply_landed);
}

TEST_CASE("components: a person types in each of them meanwhile") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.\n<!-- patch:status -->\nbusy");
  const auto type_behind = [&world](const std::string& mark, const std::string& typed) {
    const std::size_t at = world.editor.text().find(mark);
    REQUIRE(at != std::string::npos);
    world.type(at + mark.size(), at + mark.size(), typed);
    world.run_until_quiet(std::chrono::milliseconds{0});
  };
  type_behind("bu", "(mine)");
  type_behind("two", " and a half");
  type_behind("Begin.", " Please.");
  say(world, " now\n<!-- /patch:status -->\n<!-- patch:log -->\nthree");
  type_behind("thr", "(3)");
  type_behind("Hi", "!");
  say(world, "\n<!-- /patch:log -->\nDone.");
  end(world);
  std::string expected =
      after("bu(mine)sy now\n", "Hi!.\nDone.", "one\ntwo and a half\nthr(3)ee\n");
  expected.replace(expected.find("Begin."), 6, "Begin. Please.");
  CHECK(world.editor.text() == expected);
}

TEST_CASE("components: a block for the exchange is said, one for no component stays as it is") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world,
      "<!-- patch:exchange -->\nHello.\n<!-- /patch:exchange -->\n<!-- patch:none -->\nx\n"
      "<!-- /patch:none -->");
  end(world);
  CHECK(world.editor.text() ==
        after("idle\n", "Hello.\n<!-- patch:none -->\nx\n<!-- /patch:none -->", "one\ntwo\n"));
}

TEST_CASE("components: a reply that is nothing but blocks leaves the exchange answered") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world,
      "<!-- replace:log -->\nnew\n<!-- /replace:log -->\n<!-- patch:status -->\n"
      "<!-- /patch:status -->");
  end(world);
  CHECK(world.editor.text() == after("\n", "", "new\n"));
}

TEST_CASE("components: what the agent has written into them is not told to it as news") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world,
      "Hi.\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->\n<!-- patch:log -->\nthree\n"
      "<!-- /patch:log -->");
  end(world);
  const std::size_t at = world.editor.text().find("## User\n\n<!-- /agent:exchange");
  REQUIRE(at != std::string::npos);
  world.type(at + 9, at + 9, "And now?\n");
  world.run_until_quiet(std::chrono::milliseconds{0});
  auto preview = world.session.preview({});
  REQUIRE(std::holds_alternative<session::Preview>(preview));
  CHECK(std::get<session::Preview>(preview).prompt.text == "And now?");
}

TEST_CASE("components: a block whose component is gone stays in the store, also when it is back") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.");
  const std::string status = "<!-- agent:status -->\nidle\n<!-- /agent:status -->\n\n";
  const std::size_t at = world.editor.text().find(status);
  world.type(at, at + status.size(), "");
  world.run_until_quiet();
  say(world, "\n<!-- patch:status -->\nbu");
  world.type(at, at, status);
  world.run_until_quiet();
  say(world, "sy\n<!-- /patch:status -->\nDone.");
  end(world);
  CHECK(world.editor.text() == after("idle\n", "Hi.\nDone.", "one\ntwo\n"));
}

TEST_CASE("components: a queued prompt stays when a component of the turn before was taken apart") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.\n<!-- patch:status -->\nbusy");
  const std::size_t below = world.editor.text().find("\n<!-- /agent:exchange");
  world.type(below, below, "And you?");
  world.run_until_quiet();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.session.is_queued());
  const std::string marker = "<!-- /agent:status -->";
  const std::size_t at = world.editor.text().find(marker);
  world.type(at, at + marker.size(), "");
  say(world, " now");
  end(world);
  CHECK_FALSE(world.session.is_queued());
  REQUIRE_FALSE(world.messages.empty());
  CHECK(world.messages.back() ==
        "The queued prompt in doc.md was not sent, and stays: the reply above it is not all there. "
        "Run it when you want it to go.");
}

TEST_CASE("components: of several blocks that replace, the last one counts, also an empty one") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world,
      "<!-- patch:status -->\n<!-- /patch:status -->\n<!-- patch:status -->\nbusy\n"
      "<!-- /patch:status -->\nHi.");
  end(world);
  CHECK(world.editor.text() == after("busy\n", "Hi.", "one\ntwo\n"));
}

TEST_CASE("components: what was typed into one before the reply came to it stays beside it") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.");
  for (const auto& [mark, typed] : {std::pair{"i", "1"}, {"d", "2"}, {"idle", "3\n"}}) {
    std::string body = "status -->\n";
    std::size_t at = world.editor.text().find(body) + body.size();
    for (const char* c = mark; *c != 0; ++c) at = world.editor.text().find(*c, at) + 1;
    world.type(at, at, typed);
    world.run_until_quiet(std::chrono::milliseconds{0});
  }
  REQUIRE(world.editor.text().find("<!-- agent:status -->\ni1d2le3\n\n<!--") != std::string::npos);
  say(world, "\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->");
  end(world);
  CHECK(world.editor.text() == after("12busy3\n\n", "Hi.", "one\ntwo\n"));
}

/// As other programs write them: without turn headings, with parts that are none of ours.
const std::string kForeignTemplate =
    "---\nagent_doc_session: uuid-2\nagent: claude\nagent_doc_format: template\n"
    "agent_doc_write: crdt\nqueue_active: false\n---\n\n# Work\n\n## Exchange\n\n"
    "<!-- agent:exchange patch=append -->\n### Re: earlier (HEAD)\n\nDone. [#a1b2]\n\n"
    "\u276F Please reply\n<!-- agent:boundary:1234abcd:topic -->\n<!-- /agent:exchange -->\n\n"
    "## Queue\n\n<!-- agent:queue auto -->\n- do [#c3d4]\n<!-- /agent:queue -->\n\n"
    "## Backlog\n\n<!-- agent:backlog -->\n- [ ] [#e5f6] later\n<!-- /agent:backlog -->\n";

std::string with_session(std::string text, const std::string& session) {
  const std::size_t end = text.find("\n---\n", 4);
  return text.insert(end + 1, "resume: " + session + "\n");
}

TEST_CASE("components: an exchange without turn headings gets the reply above its boundary") {
  SessionWorld world(kForeignTemplate);
  begin(world);
  say(world, "Here it is.\n<!-- patch:backlog -->\n- [x] [#e5f6] later\n<!-- /patch:backlog -->");
  end(world);
  std::string expected = with_session(kForeignTemplate, "s-1");
  const std::string prompt = "\u276F Please reply\n";
  expected.insert(expected.find(prompt) + prompt.size(),
                  "\n## Assistant\n\nHere it is.\n\n## User\n\n");
  expected.replace(expected.find("- [ ]"), 5, "- [x]");
  CHECK(world.editor.text() == expected);
}

TEST_CASE("components: what is typed below the boundary of such an exchange is what is asked") {
  std::string document = kForeignTemplate;
  const std::string closing = "<!-- /agent:exchange -->";
  document.insert(document.find(closing), "And now?\n");
  SessionWorld world(document);
  auto preview = world.session.preview({});
  REQUIRE(std::holds_alternative<session::Preview>(preview));
  CHECK(std::get<session::Preview>(preview).prompt.text.ends_with("\n\nAnd now?"));
  begin(world);
  say(world, "Now.");
  end(world);
  std::string expected = with_session(document, "s-1");
  expected.insert(expected.find("And now?\n") + 9, "\n## Assistant\n\nNow.\n\n## User\n\n");
  CHECK(world.editor.text() == expected);

  const std::size_t below = world.editor.text().find(closing);
  world.type(below, below, "More?\n");
  world.run_until_quiet(std::chrono::milliseconds{0});
  preview = world.session.preview({});
  REQUIRE(std::holds_alternative<session::Preview>(preview));
  CHECK(std::get<session::Preview>(preview).prompt.text == "More?");
}

TEST_CASE("components: an empty exchange has nothing to send, and it is said where to write") {
  SessionWorld world("# Work\n\n<!-- agent:exchange -->\n<!-- /agent:exchange -->\n\nNotes.\n");
  const auto outcome = world.session.run({});
  REQUIRE(refused(outcome, RefusalKind::NothingToSend));
  CHECK(
      std::get<Refusal>(outcome).message ==
      "there is nothing to send: write your question into the component exchange, then run again");
}

TEST_CASE("components: a question that is given goes into an exchange that is empty") {
  SessionWorld world(
      "---\nagent_doc_session: uuid-2\nagent: claude\n---\n# Work\n\n"
      "<!-- agent:exchange -->\n<!-- /agent:exchange -->\n\n## Notes\n\nmine\n");
  session::RunRequest request;
  request.prompt = "Hello?";
  REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
  world.say_session("s-1");
  world.say_message_start("m1");
  say(world, "Hi.");
  end(world);
  CHECK(world.editor.text() ==
        "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n# Work\n\n"
        "<!-- agent:exchange -->\n\nHello?\n\n## Assistant\n\nHi.\n\n## User\n\n"
        "<!-- /agent:exchange -->\n\n## Notes\n\nmine\n");
}

TEST_CASE("components: a retry writes over the reply, and into what its blocks replace") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->");
  end(world);
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
  world.say_message_start("m2");
  say(world, "Ho.\n<!-- patch:status -->\nlazy\n<!-- /patch:status -->");
  end(world);
  CHECK(world.editor.text() == after("lazy\n", "Ho.", "one\ntwo\n"));
}

TEST_CASE("components: what a retry appends stands in the place of what the reply had appended") {
  SessionWorld world(kTemplate);
  begin(world);
  say(world, "Hi.\n<!-- patch:log -->\nthree\n<!-- /patch:log -->");
  end(world);
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
  world.run_until_quiet();
  CHECK(world.editor.text() == after("idle\n", "Hi.", "one\ntwo\nthree\n"));
  world.say_message_start("m2");
  say(world, "Ho.");
  CHECK(world.editor.text() == after("idle\n", "Ho.", "one\ntwo\n\n"));
  say(world, "\n<!-- patch:log -->\nfour\nfive\n<!-- /patch:log -->");
  CHECK(world.editor.text() == after("idle\n", "Ho.", "one\ntwo\nfour\nfive\n"));
  end(world);
  CHECK(world.editor.text() == after("idle\n", "Ho.", "two\nfour\nfive\n"));

  const std::size_t at = world.editor.text().find("four");
  world.type(at, at + 4, "4");
  world.run_until_quiet();
  REQUIRE(std::holds_alternative<std::string>(world.session.retry()));
  world.say_message_start("m3");
  say(world, "Hm.\n<!-- patch:log -->\nsix\n<!-- /patch:log -->");
  end(world);
  CHECK(world.editor.text() == after("idle\n", "Hm.", "4\nfive\nsix\n"));
}

TEST_CASE("components: a fork at an earlier turn keeps the end of the exchange and what is below") {
  const std::string document = after("busy\n", "Hi.", "one\n");
  const auto ends = session::ends_of_replies(document, markdown::read_front_matter(document));
  REQUIRE(ends.size() == 1);
  CHECK(session::text_up_to(document, ends.front(), "\n") == document);
}

TEST_CASE("components: what a crash cut off comes back into all of them, once") {
  const std::string reply =
      "Hi.\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->\n<!-- patch:log -->\nthree\nfour\n"
      "<!-- /patch:log -->\nDone.";
  const std::string whole = after("busy\n", "Hi.\nDone.", "two\nthree\nfour\n");
  for (const std::string& cut : {
           after("idle\n", "Hi.", "one\ntwo\n"),
           after("bu\n", "Hi.", "one\ntwo\n"),
           after("busy\n", "Hi.", "one\ntwo\nthr\n"),
           after("busy\n", "Hi.", "two\nthree\nfour\n"),
       }) {
    std::string text = cut;
    const auto edit = session::recovery_edit(text, "Begin.", reply);
    REQUIRE(edit.has_value());
    text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    CHECK(text == whole);
    CHECK_FALSE(session::recovery_edit(text, "Begin.", reply).has_value());
  }
}

}  // namespace session_components_test
