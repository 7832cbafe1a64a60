#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_apply_edit_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// An editor with `encodings` as its general.positionEncodings.
std::string capabilities(std::string_view encodings) {
  return R"({"general": {"positionEncodings": )" + std::string(encodings) +
         R"(}, "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}}})";
}

void stream(LspWorld& world, std::initializer_list<const char*> pieces) {
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  for (const char* piece : pieces) {
    world.agent().say_text(piece);
    world.pass(milliseconds{60});
  }
  world.agent().say_result("s-1");
  world.pass(seconds{1});
}

TEST_CASE("positions of edits in every encoding, with text of all widths on the edited lines") {
  struct Case {
    const char* listed;
    std::string_view chosen;
  };
  const Case cases[] = {{R"(["utf-16", "utf-8"])", "utf-8"},
                        {R"(["utf-16"])", "utf-16"},
                        {R"(["utf-32"])", "utf-32"},
                        {"[]", "utf-16"}};
  for (const Case& one : cases) {
    CAPTURE(one.listed);
    LspWorld world(capabilities(one.listed), "Å 日本 👩‍👩‍👧?");
    CHECK(agent_doc::text::name_of(world.encoding) == one.chosen);
    stream(world, {"ü👍", " 日本", "語 👍.\\n\\nEnd 👍"});
    CHECK(world.editor.text() ==
          kFrontMatter +
              "Å 日本 👩‍👩‍👧?\n\n## Assistant\n\nü👍 日本語 👍.\n\nEnd "
              "👍\n\n## User\n\n");
  }
}

TEST_CASE("every edit is one piece of one document, with its version and without a label") {
  LspWorld world(capabilities("[]"), "Hello?\n");
  stream(world, {"One.", " Two."});
  REQUIRE(world.edits.size() >= 3);
  std::int64_t version = 0;  // each edit makes the next one
  for (const json::value& edit : world.edits) {
    CHECK(edit.as_object().size() == 1);
    CHECK(edit.at("edit").as_object().size() == 1);
    REQUIRE(edit.at("edit").at("documentChanges").as_array().size() == 1);
    const json::value& document = edit.at("edit").at("documentChanges").at(0);
    CHECK(document.at("textDocument").at("uri").as_string() == kUri);
    CHECK(document.at("textDocument").at("version").as_int64() == ++version);
    CHECK(document.at("edits").as_array().size() == 1);
  }
}

TEST_CASE("a client without documentChanges gets `changes`") {
  LspWorld world(R"({"workspace": {"applyEdit": true}})", "Hello?\n");
  stream(world, {"Hi."});
  CHECK(world.edits.front().at("edit").as_object().contains("changes"));
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n");
}

TEST_CASE("typing between an edit and its answer: the edit is refused and made again") {
  LspWorld world(capabilities("[]"), "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  const char* words[] = {"one ", "two ", "three ", "four ", "five "};
  for (const char* word : words) {
    world.agent().say_text(word);
    world.type(world.editor.text().find("Hello?"), "x");
    world.pass(milliseconds{60});
  }
  world.agent().say_result("s-1");
  world.pass(seconds{1});
  CHECK(world.editor.text() ==
        kFrontMatter + "xxxxxHello?\n\n## Assistant\n\none two three four five \n\n## User\n\n");
}

TEST_CASE("an edit that is refused, or answered by an error, is made again and lands once") {
  for (const auto editing : {LspWorld::Editing::Refuses, LspWorld::Editing::Errors}) {
    LspWorld world(capabilities("[]"), "Hello?\n");
    world.editing = editing;
    world.run();
    world.pass(milliseconds{100});
    CHECK(world.editor.text() == "Hello?\n");
    world.editing = LspWorld::Editing::Strict;
    world.agent().say_session("s-1");
    world.agent().say_message_start("m1");
    world.agent().say_text("Hi.");
    world.agent().say_result("s-1");
    world.pass(seconds{3});
    CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n");
  }
}

TEST_CASE(
    "a client that is silent may still apply the edit; it is made again when newer text comes "
    "without it") {
  LspWorld world(capabilities("[]"), "Hello?\n");
  world.editing = LspWorld::Editing::IsSilent;
  world.run();
  world.agent().say_session("s-1");
  world.pass(seconds{60});
  CHECK(world.edits.size() == 1);
  world.editing = LspWorld::Editing::Strict;
  world.type(5, "!");
  world.pass(seconds{60});
  const std::string text = kFrontMatter + "Hello!?\n\n## Assistant\n\n\n\n## User\n\n";
  CHECK(world.editor.text() == text);
  world.silent_edits.front().result(boost::json::object{{"applied", true}});
  world.pass(seconds{60});
  CHECK(world.editor.text() == text);
}

}  // namespace lsp_apply_edit_test
