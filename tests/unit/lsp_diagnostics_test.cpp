#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_diagnostics_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

/// What was published last, one line per diagnostic: "LINE:FROM-TO code: message"; "-" when nothing
/// ever was.
std::string published(LspWorld& world) {
  const auto& heard = world.heard["textDocument/publishDiagnostics"];
  if (heard.empty()) return "-";
  std::string result;
  for (const json::value& one : heard.back().at("diagnostics").as_array()) {
    const json::value& range = one.at("range");
    result += std::to_string(range.at("start").at("line").as_int64()) + ":" +
              std::to_string(range.at("start").at("character").as_int64()) + "-" +
              std::to_string(range.at("end").at("character").as_int64()) + " " +
              std::string(one.at("code").as_string()) + ": " +
              std::string(one.at("message").as_string()) + "\n";
  }
  return result;
}

std::string problems_of(const std::string& text, const std::string& not_installed = {}) {
  LspWorld world;
  world.environment.not_installed = not_installed;
  world.initialize(kShowingCapabilities);
  world.open(text);
  world.pass(milliseconds{1000});
  return published(world);
}

TEST_CASE("front matter") {
  CHECK(problems_of("---\nagent: claude\nrounds: all\nthinking: none\n---\n\nHello?\n") == "-");
  CHECK(problems_of("---\nagent: claude\nrounds: some\n---\n") ==
        "2:8-12 value: `rounds` is `last` or `all`, so this counts as `last`.\n");
  CHECK(problems_of("---\nagent: claude\nenv: {A: b}\n---\n") ==
        "2:0-3 not-from-documents: agent-doc does not take `env` from a document, which may come "
        "from anybody: set it in [agents.NAME] of "
        "agent-doc's config.toml.\n");
}

TEST_CASE("of many problems of a front matter the first ones are told, and how many there are") {
  std::string matter = "---\nagent: claude\n";
  std::string expected;
  for (int line = 2; line < 52; ++line) {
    matter += "bad\n";
    expected += std::to_string(line) +
                ":0-3 front-matter: This line is not \"key: value\"; it is kept but not read.\n";
  }
  CHECK(problems_of(matter + "---\n") == expected);
  CHECK(problems_of(matter + "bad\nbad\nbad\n---\n") ==
        expected +
            "52:0-3 front-matter: From here on 3 more lines of the front matter have such a "
            "problem.\n");
}

TEST_CASE("an agent that there is not, and one whose program is not there") {
  CHECK(problems_of("---\nagent: nobody\n---\n") ==
        "1:7-13 unknown-agent: There is no agent called nobody: known agents are claude.\n");
  CHECK(problems_of("---\nagent: claude\n---\n", "claude") ==
        "1:7-13 agent-not-installed: The program of the agent claude was not found. known agents "
        "are claude\n");
}

TEST_CASE("a code block above the open prompt that is not closed") {
  CHECK(problems_of("---\nagent: claude\n---\n\n## User\n\n```c\nint x;\n\n## User\n\nHello?\n") ==
        "6:0-4 open-block: This code block is not closed: everything below belongs to it, "
        "headings, too. Close it with a line \"```\".\n");
}

TEST_CASE("diagnostics follow the text when it came to rest, and go when all is well") {
  LspWorld world(kShowingCapabilities, "---\nagent: nobody\n---\n");
  world.pass(milliseconds{299});
  CHECK(published(world) == "-");
  world.pass(milliseconds{1});
  CHECK(published(world) ==
        "1:7-13 unknown-agent: There is no agent called nobody: known agents are claude.\n");
  const std::size_t at = world.editor.text().find("nobody");
  world.type(at, "x");
  world.pass(milliseconds{200});
  world.type(at, "y");
  world.pass(milliseconds{299});
  CHECK(published(world) ==
        "1:7-13 unknown-agent: There is no agent called nobody: known agents are claude.\n");
  world.pass(milliseconds{1});
  CHECK(published(world) ==
        "1:7-15 unknown-agent: There is no agent called yxnobody: known agents are claude.\n");
  world.open("---\nagent: claude\n---\n");
  world.pass(milliseconds{300});
  CHECK(published(world) == "");
}

TEST_CASE("a document that is closed has no diagnostics") {
  LspWorld world(kShowingCapabilities, "---\nagent: nobody\n---\n");
  world.pass(milliseconds{300});
  world.close();
  CHECK(published(world) == "");
  CHECK(world.heard["textDocument/publishDiagnostics"].size() == 2);
}

TEST_CASE("a permission question, as long as it waits") {
  LspWorld world(kShowingCapabilities, "---\nagent: claude\n---\n\nHello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.pass(milliseconds{500});
  CHECK(published(world) == "-");
  world.agent().say_permission("p1");
  world.settle();
  CHECK(published(world) ==
        "8:0-12 permission-waiting: The agent wants to use Write: /w/out.txt. Answer by a code "
        "action.\n");
  world.questions.back().reply.result(json::object{{"title", "Deny"}});
  world.settle();
  CHECK(published(world) == "");
}

TEST_CASE("a session that the agent does not know any more, in the middle of a reply") {
  LspWorld world(kShowingCapabilities, "---\nagent: claude\nresume: s-0\n---\n\nHello?\n");
  world.run();
  world.agent().say_session("s-0");
  world.agent().say_message_start("m1");
  world.agent().say_text("Half");
  world.agent().say(
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"x","errors":["No conversation found with session ID: s-0"]})");
  world.pass(milliseconds{1000});
  CHECK(published(world) ==
        "2:8-11 session-lost: claude did not know this session at the last run. The command “New "
        "session” begins a new one, with the "
        "document "
        "as what was said before.\n");
}

TEST_CASE(
    "while a reply streams nothing is looked at, and an open code block of it is no problem") {
  LspWorld world(kShowingCapabilities, "---\nagent: claude\n---\n\nHello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("```c\\nint x;\\n");
  world.pass(milliseconds{1000});
  CHECK(published(world) == "-");
  world.agent().say_text("```\\nDone.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(published(world) == "-");
}

TEST_CASE("a client that does not show diagnostics gets none") {
  LspWorld world(kAllCapabilities, "---\nagent: nobody\n---\n");
  world.pass(milliseconds{1000});
  CHECK(published(world) == "-");
}

}  // namespace lsp_diagnostics_test
