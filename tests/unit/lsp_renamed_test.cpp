// A document gets another name, or is closed, or another language, while a reply is written into
// it: the reply goes on where the person goes on, and never into a forgotten file.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace lsp_renamed_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

constexpr std::string_view kNewUri = "file:///w/sub/other.md";
const std::string kHead = kFrontMatter + "Hello?\n\n## Assistant\n\n";
const std::string kTail = "\n\n## User\n\n";

/// A reply that has begun, as the editor shows it.
struct RenamedWorld : LspWorld {
  explicit RenamedWorld(std::string_view capabilities = kPluginCapabilities)
      : LspWorld(capabilities, "Hello?\n") {
    run();
    agent().say_session("s-1");
    agent().say_message_start("m1");
    agent().say_text("One.");
    pass(milliseconds{500});
  }
  /// The editor shows `text` by the name `name`.
  void open_as(std::string_view name, const std::string& text) {
    typed_uri = name;
    open(text, name);
  }
  void say_more(const std::string& text) {
    agent().say_text(text);
    pass(milliseconds{500});
  }
  void end_turn() {
    agent().say_result("s-1");
    pass(milliseconds{500});
  }
  std::string& file(std::string_view path) { return environment.files[std::string(path)]; }
  std::string last_edit_uri() {
    const json::value& edit = edits.back().at("edit").at("documentChanges").at(0);
    return std::string(edit.at("textDocument").at("uri").as_string());
  }
  std::string last_turn_uri() {
    return std::string(heard["agentDoc/turn"].back().at("uri").as_string());
  }
};

TEST_CASE("a renamed document goes on by its new name, in whichever order the client tells it") {
  for (const std::string order : {"rename close open", "rename open close", "close open rename",
                                  "open close rename", "close rename open", "open rename close"}) {
    for (const bool is_told : {true, false}) {
      CAPTURE(order);
      CAPTURE(is_told);
      RenamedWorld world;
      const std::string text = world.editor.text();
      world.file("/w/sub/other.md") = text;
      const auto step = [&](const std::string& name) {
        if (name == "rename" && is_told) world.rename(kUri, kNewUri);
        if (name == "open") world.open_as(kNewUri, text);
        if (name == "close")
          world.notify("textDocument/didClose",
                       json::object{{"textDocument", json::object{{"uri", kUri}}}});
      };
      for (std::string rest = order; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        step(rest.substr(0, end));
        rest.erase(0, std::min(end + 1, rest.size()));
      }
      world.say_more(" Two.");
      world.end_turn();
      CHECK(world.editor.text() == kHead + "One. Two." + kTail);
      CHECK(world.last_turn_uri() == kNewUri);
      CHECK(world.last_edit_uri() == kNewUri);
      CHECK(world.file("/w/sub/other.md") == text);
      CHECK_FALSE(world.environment.files.contains("/w/doc.md"));
      CHECK(world.heard["window/showMessage"].empty());
      CHECK(world.environment.recorded.paths["uuid-2"] == "/w/sub/other.md");
    }
  }
}

TEST_CASE("until the client opens it by its new name, edits go to the old one") {
  RenamedWorld world;
  world.rename(kUri, kNewUri);
  world.say_more(" Two.");
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  world.type(world.editor.text().size(), "Next");
  world.say_more(" Three.");
  const std::string text = world.editor.text();
  CHECK(text == kHead + "One. Two. Three." + kTail + "Next");
  CHECK(world.last_edit_uri() == kUri);
  world.open_as(kNewUri, text);
  world.say_more(" Four.");
  world.end_turn();
  CHECK(world.editor.text() == kHead + "One. Two. Three. Four." + kTail + "Next");
}

TEST_CASE("renamed twice before the client opens it anew") {
  RenamedWorld world;
  world.rename(kUri, "file:///w/second.md");
  world.rename("file:///w/second.md", kNewUri);
  world.say_more(" Two.");
  const std::string text = world.editor.text();
  CHECK(text == kHead + "One. Two." + kTail);
  world.open_as(kNewUri, text);
  world.say_more(" Three.");
  world.end_turn();
  CHECK(world.editor.text() == kHead + "One. Two. Three." + kTail);
  CHECK(world.last_edit_uri() == kNewUri);
}

TEST_CASE("what was said about a document under its old name is taken back") {
  RenamedWorld world(kShowingCapabilities);
  world.type(world.editor.text().size(), "```\n");
  world.pass(milliseconds{1000});
  auto& published = world.heard["textDocument/publishDiagnostics"];
  REQUIRE_FALSE(published.empty());
  CHECK(published.back().at("uri").as_string() == kUri);
  world.rename(kUri, kNewUri);
  world.open_as(kNewUri, world.editor.text());
  world.pass(milliseconds{1000});
  const auto is_cleared = [](const json::value& params) {
    return params.at("uri").as_string() == kUri && params.at("diagnostics").as_array().empty();
  };
  CHECK(std::any_of(published.begin(), published.end(), is_cleared));
  CHECK(published.back().at("uri").as_string() == kNewUri);
}

TEST_CASE("a folder is renamed") {
  RenamedWorld world;
  world.rename("file:///w", "file:///v");
  world.open_as("file:///v/doc.md", world.editor.text());
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
}

TEST_CASE("a folder is renamed whose name is the begin of another one's") {
  RenamedWorld world;
  world.file("/w/doc.md") = world.editor.text();
  world.rename("file:///w/do", "file:///v");
  world.close();
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.file("/w/doc.md") == kHead + "One. Two." + kTail);
  CHECK(world.environment.files.size() == 1);
}

TEST_CASE(
    "renamed and closed: the end of the reply goes into the new file, and the old one does not "
    "come back") {
  RenamedWorld world;
  const std::string text = world.editor.text();
  world.file("/w/sub/other.md") = text;
  world.rename(kUri, kNewUri);
  world.close();
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.file("/w/sub/other.md") == kHead + "One. Two." + kTail);
  CHECK_FALSE(world.environment.files.contains("/w/doc.md"));
  CHECK(world.heard["window/showMessage"].empty());
}

TEST_CASE(
    "saved under another name: the reply goes on in the new document, and the old file stays") {
  RenamedWorld world;
  const std::string text = world.editor.text();
  world.file("/w/doc.md") = "Hello?\n";
  world.file("/w/sub/other.md") = text;
  world.close();
  world.open_as(kNewUri, text);
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  CHECK(world.file("/w/doc.md") == "Hello?\n");
}

TEST_CASE("a copy that was made before is another document") {
  RenamedWorld world;
  const std::string text = world.editor.text();
  const std::string copy = kFrontMatter + "Hello?\n";
  world.file("/w/doc.md") = text;
  world.close();
  world.open_as(kNewUri, copy);
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.editor.text() == copy);
  CHECK(world.file("/w/doc.md") == kHead + "One. Two." + kTail);
}

TEST_CASE("a document whose language is changed in mid-turn is still the one") {
  RenamedWorld world;
  const std::string text = world.editor.text();
  world.close();
  world.open(text, kUri, "plaintext");
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);

  LspWorld readme;
  readme.initialize(kPluginCapabilities);
  readme.typed_uri = "file:///w/README";
  readme.open("Hello?\n", readme.typed_uri);
  REQUIRE_FALSE(readme.run().empty());
  readme.agent().say_session("s-1");
  readme.agent().say_message_start("m1");
  readme.agent().say_text("One.");
  readme.pass(milliseconds{500});
  const std::string shown = readme.editor.text();
  readme.close();
  readme.open(shown, readme.typed_uri, "plaintext");
  readme.agent().say_text(" Two.");
  readme.agent().say_result("s-1");
  readme.pass(milliseconds{500});
  CHECK(readme.editor.text() == kHead + "One. Two." + kTail);
}

TEST_CASE("closed unsaved in mid-turn: told as closed, and the reply comes on reopening") {
  RenamedWorld world;
  world.file("/w/doc.md") = "Hello?\n";
  world.close();
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.file("/w/doc.md") == "Hello?\n");
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  const std::string message(world.heard["window/showMessage"][0].at("message").as_string());
  CHECK(message.starts_with("doc.md was closed without being saved"));
  CHECK(message.find("deleted") == std::string::npos);
  world.open("Hello?\n");
  world.pass(milliseconds{500});
  CHECK(world.editor.text() == "Hello?\n\n## Assistant\n\nOne. Two." + kTail);
}

TEST_CASE("a file that has the beginning of the reply gets the rest") {
  RenamedWorld world;
  world.file("/w/doc.md") = kHead + "On" + kTail;
  world.close();
  world.say_more(" Two.");
  world.end_turn();
  CHECK(world.file("/w/doc.md") == kHead + "One. Two." + kTail);
  CHECK(world.heard["window/showMessage"].empty());
}

}  // namespace lsp_renamed_test
