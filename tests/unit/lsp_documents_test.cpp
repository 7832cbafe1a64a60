#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_documents_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using agent_doc::protocol::Result;
using std::chrono::milliseconds;

std::string reason_of(const Result& result) {
  return std::string(std::get<Error>(result).data.at("reason").as_string());
}

json::object for_uri(std::string_view uri) {
  return json::object{{"uri", uri}};
}

TEST_CASE("only markdown becomes a document, by its name or its language") {
  LspWorld world;
  world.initialize(kPlainCapabilities);
  world.open("int main() {}\n", "file:///w/main.cpp", "cpp");
  CHECK(reason_of(world.command("agentDoc.run", for_uri("file:///w/main.cpp"))) == "not-open");
  world.open("Hello?\n", "file:///w/README", "markdown");
  CHECK(std::holds_alternative<json::value>(
      world.command("agentDoc.run", for_uri("file:///w/README"))));
}

TEST_CASE("a change of a document that is not open is ignored") {
  LspWorld world;
  world.initialize(kPlainCapabilities);
  world.notify(
      "textDocument/didChange",
      json::object{{"textDocument", json::object{{"uri", "file:///w/other.md"}, {"version", 2}}},
                   {"contentChanges", json::array{json::object{{"text", "x"}}}}});
  CHECK(world.environment.logged.back() ==
        "didChange for a document that is not open here: file:///w/other.md");
  CHECK(world.heard["window/showMessage"].empty());
}

TEST_CASE(
    "a change that cannot be read stops all writing to the document, and the person is told") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.notify("textDocument/didChange",
               json::object{{"textDocument", json::object{{"uri", kUri}, {"version", nullptr}}},
                            {"contentChanges", json::array{json::object{{"text", "x"}}}}});
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  CHECK(world.run().empty());
  CHECK(world.edits.empty());
  world.open("Hello?\n");
  CHECK_FALSE(world.run().empty());
}

TEST_CASE("the same document under another spelling of its URI") {
  LspWorld world;
  world.initialize(kPlainCapabilities);
  world.open("Hello?\n", "file:///w/a%20b.md");
  CHECK(std::holds_alternative<json::value>(
      world.command("agentDoc.run", for_uri("file:///w/a b.md"))));
}

TEST_CASE(
    "a warm agent is stopped when its document is closed, and the next run resumes its session") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  const std::string text = world.editor.text();
  world.close();
  CHECK(world.agent().signals.size() == 1);
  CHECK(reason_of(world.command("agentDoc.run", for_uri(kUri))) == "not-open");
  world.agent().exit();
  world.settle();

  world.open(text + "More?");
  CHECK_FALSE(world.run().empty());
  REQUIRE(world.environment.agents_started.agents.size() == 2);
  const auto& args = world.agent().launch.args;
  CHECK(std::find(args.begin(), args.end(), "s-1") != args.end());
}

TEST_CASE(
    "a turn goes on while its document is closed, and its reply lands when the document is opened "
    "again") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("One.");
  world.pass(milliseconds{500});
  const std::string text = world.editor.text();
  world.close();
  world.agent().say_text(" Two.");
  world.pass(milliseconds{500});
  CHECK(world.last_state() == "running");
  CHECK(world.editor.text() == text);

  world.open(text);
  world.agent().say_text(" Three.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{500});
  CHECK(world.editor.text() ==
        kFrontMatter + "Hello?\n\n## Assistant\n\nOne. Two. Three.\n\n## User\n\n");
}

/// A turn whose document was closed in the middle; the text as the editor had it then.
struct ClosedWorld : LspWorld {
  ClosedWorld() : LspWorld(kPluginCapabilities, "Hello?\n") {
    run();
    agent().say_session("s-1");
    agent().say_message_start("m1");
    agent().say_text("One.");
    pass(milliseconds{500});
    text_when_closed = editor.text();
    close();
  }
  void end_turn() {
    agent().say_text(" Two.");
    agent().say_result("s-1");
    pass(milliseconds{500});
  }
  std::string& file() { return environment.files["/w/doc.md"]; }

  std::string text_when_closed;
};

const std::string kWhole = kFrontMatter + "Hello?\n\n## Assistant\n\nOne. Two.\n\n## User\n\n";

TEST_CASE(
    "the end of a turn whose document is closed is written into the file, and the agent is "
    "stopped") {
  ClosedWorld world;
  world.file() = world.text_when_closed;
  world.end_turn();
  CHECK(world.file() == kWhole);
  CHECK(world.agent().signals.size() == 1);
  CHECK(world.heard["window/showMessage"].empty());
  world.agent().exit();
  world.settle();
  world.open(world.file() + "More?");
  world.pass(milliseconds{500});
  CHECK(world.editor.text() == kWhole + "More?");
}

TEST_CASE("what other programs write into the file of a closed document stays") {
  ClosedWorld world;
  world.file() = world.text_when_closed;
  const std::size_t at = world.text_when_closed.find("Hello?");
  world.environment.save_results.push_back({agent_doc::lsp::ClosedFile::Saved::NotYet, {}, {}});
  world.environment.save_results.push_back(
      {agent_doc::lsp::ClosedFile::Saved::Yes, {agent_doc::text::Edit{at, at, "Well: "}}, {}});
  world.end_turn();
  std::string expected = kWhole;
  CHECK(world.file() == expected.insert(expected.find("Hello?"), "Well: "));
}

TEST_CASE("a document that was closed without saving stays as the person left it") {
  ClosedWorld world;
  world.file() = "Hello?\n";
  world.end_turn();
  CHECK(world.file() == "Hello?\n");
}

TEST_CASE("a document that was closed without saving gets nothing of ours above its text, either") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  world.agent().say_message_start("m1");
  world.agent().say_text("One.");
  world.pass(milliseconds{500});
  world.environment.files["/w/doc.md"] = "Hello?\n";
  world.close();
  world.agent().say_session("s-1");
  world.agent().say_text(" Two.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{500});
  CHECK(world.environment.files["/w/doc.md"] == "Hello?\n");
}

TEST_CASE(
    "a file that cannot be written is told, and the reply comes when the document is opened "
    "again") {
  ClosedWorld world;
  world.file() = world.text_when_closed;
  world.environment.save_results.push_back(
      {agent_doc::lsp::ClosedFile::Saved::No, {}, "doc.md cannot be written: no space is left."});
  world.end_turn();
  CHECK(world.file() == world.text_when_closed);
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  CHECK(world.heard["window/showMessage"][0].at("message").as_string() ==
        "doc.md cannot be written: no space is left. The end of the reply is not in the file: open "
        "the document again, and it is written "
        "there.");
  world.agent().exit();
  world.settle();
  world.open(world.text_when_closed);
  world.pass(milliseconds{500});
  CHECK(world.editor.text() == kWhole);
}

TEST_CASE("a file that another program never lets go is told, too") {
  ClosedWorld world;
  world.file() = world.text_when_closed;
  for (int i = 0; i < 100; ++i) {
    world.environment.save_results.push_back(
        {agent_doc::lsp::ClosedFile::Saved::NotYet, {}, "doc.md is being written."});
  }
  world.end_turn();
  world.pass(milliseconds{10'000});
  REQUIRE(world.heard["window/showMessage"].size() == 1);
  CHECK(std::string(world.heard["window/showMessage"][0].at("message").as_string())
            .starts_with("doc.md is being written. The end"));
  CHECK(world.file() == world.text_when_closed);
}

TEST_CASE(
    "a document that is opened again while its file is written belongs to the client at once") {
  ClosedWorld world;
  world.file() = world.text_when_closed;
  for (int i = 0; i < 100; ++i)
    world.environment.save_results.push_back({agent_doc::lsp::ClosedFile::Saved::NotYet, {}, {}});
  world.agent().say_text(" Two.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{300});
  world.open(world.text_when_closed);
  world.pass(milliseconds{20'000});
  CHECK(world.editor.text() == kWhole);
  CHECK(world.file() == world.text_when_closed);
}

TEST_CASE(
    "a document without a file works in the workspace's folder; without one it says what to do") {
  LspWorld world;
  world.initialize(kPlainCapabilities);
  world.open("Hello?\n", "untitled:Untitled-1");
  CHECK(std::holds_alternative<json::value>(
      world.command("agentDoc.run", for_uri("untitled:Untitled-1"))));
  CHECK(world.agent().launch.cwd == "/w");

  world.notify(
      "workspace/didChangeWorkspaceFolders",
      json::object{{"event", json::object{{"added", json::array{}},
                                          {"removed", json::array{for_uri("file:///w")}}}}});
  world.open("Hello?\n", "untitled:Untitled-2");
  const Result refused = world.command("agentDoc.run", for_uri("untitled:Untitled-2"));
  CHECK(reason_of(refused) == "invalid");
  CHECK(std::get<Error>(refused).message.find("save the document") != std::string::npos);
}

}  // namespace lsp_documents_test
