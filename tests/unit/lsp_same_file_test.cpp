// One file by several names: spellings of its URI, and links. It is one document for turns, leases
// and the store; the client reads the name that it used.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace lsp_same_file_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using agent_doc::protocol::Result;
using std::chrono::milliseconds;

constexpr std::string_view kLink = "file:///home/link.md";
const std::string kHead = kFrontMatter + "Hello?\n\n## Assistant\n\n";
const std::string kTail = "\n\n## User\n\n";

/// /home/link.md leads to /w/doc.md.
struct LinkedWorld : LspWorld {
  LinkedWorld() {
    environment.links["/home/link.md"] = "/w/doc.md";
    initialize(kPluginCapabilities);
  }
  /// Opens it and types there from now on.
  void open_as(std::string_view uri, std::string text = "Hello?\n") {
    typed_uri = uri;
    open(std::move(text), uri);
  }
  void close_name(std::string_view uri) {
    notify("textDocument/didClose", json::object{{"textDocument", json::object{{"uri", uri}}}});
  }
  Result command_at(std::string_view name, std::string_view uri) {
    return command(name, json::object{{"uri", uri}});
  }
  void say_first() {
    agent().say_session("s-1");
    agent().say_message_start("m1");
    agent().say_text("One.");
    pass(milliseconds{500});
  }
  void say_rest() {
    agent().say_text(" Two.");
    pass(milliseconds{500});
    agent().say_result("s-1");
    pass(milliseconds{500});
  }
  std::string last_edit_uri() {
    return std::string(edits.back()
                           .at("edit")
                           .at("documentChanges")
                           .at(0)
                           .at("textDocument")
                           .at("uri")
                           .as_string());
  }
  std::string told() {
    std::string messages;
    for (const json::value& message : heard["window/showMessage"])
      messages += std::string(message.at("message").as_string()) + "\n";
    return messages;
  }
};

std::string refusal(const Result& result) {
  const auto* error = std::get_if<Error>(&result);
  return error == nullptr
             ? ""
             : std::string(error->data.at("reason").as_string()) + ": " + error->message;
}

TEST_CASE("all spellings of a URI are one document; edits name it as it was opened last") {
  for (const std::string uri :
       {"file:///w/./doc.md", "file:////w/doc.md", "file:///w//doc.md", "file:///w/d%6Fc.md",
        "FILE:///w/doc.md", "file://localhost/w/doc.md", "file:/w/doc.md"}) {
    CAPTURE(uri);
    LinkedWorld world;
    world.open_as(kUri);
    world.run();
    CHECK(refusal(world.command_at("agentDoc.run", uri)) ==
          "busy: a turn is running in doc.md already: stop it or wait for its end. What you write "
          "under the last `## User` "
          "meanwhile is queued when you run it");
    world.say_first();
    CHECK(world.last_edit_uri() == kUri);
    const std::string text = world.editor.text();
    world.close_name(uri);
    world.open_as(uri, text);
    world.say_rest();
    CHECK(world.last_edit_uri() == uri);
    CHECK(world.heard["agentDoc/turn"].back().at("uri").as_string() == uri);
    CHECK(world.editor.text() == kHead + "One. Two." + kTail);
    CHECK(world.environment.recorded.turns.begin()->second.began.path == "/w/doc.md");
  }
}

TEST_CASE(
    "a document that is opened through a link: the client reads its name, leases and the store "
    "that of the file") {
  LinkedWorld world;
  world.open_as(kLink);
  const std::string turn = world.run();
  CHECK(world.environment.leases.sessions.at("document /w/doc.md").holder);
  CHECK(world.environment.recorded.turns[turn].began.path == "/w/doc.md");
  world.say_first();
  world.say_rest();
  CHECK(world.last_edit_uri() == kLink);
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  CHECK_FALSE(world.environment.leases.sessions.at("document /w/doc.md").holder);
}

TEST_CASE("what another process runs in the file keeps a run through a link away") {
  LinkedWorld world;
  world.environment.leases.sessions["document /w/doc.md"].holder =
      agent_doc::session::SessionHolder{77, "/w/doc.md"};
  world.open_as(kLink);
  CHECK(refusal(world.command_at("agentDoc.run", kLink)) ==
        "busy: link.md is busy: another agent-doc runs a turn in it (process 77): wait until that "
        "reply is complete, or stop it there");
}

TEST_CASE("an unsaved reply of the file is found through a link, too") {
  LinkedWorld world;
  world.environment.recorded.unsaved["/w/doc.md"] = {"turn-1",      "doc-1",  "claude",   "s-1",
                                                     "interrupted", "Hello?", "One. Two."};
  world.open_as(kLink);
  CHECK(world.told().starts_with(
      "The last reply of claude in link.md (interrupted) is not all there."));
}

TEST_CASE(
    "two open buffers of one file: one turn at a time, written into the one in which it was "
    "begun") {
  LinkedWorld world;
  world.open(std::string("Hello?\n"), kLink);
  world.open_as(kUri);
  world.run();
  CHECK(refusal(world.command_at("agentDoc.run", kLink)) ==
        "busy: /home/link.md is the same file as /w/doc.md, in which a turn is running: stop it "
        "there or wait for its end");
  CHECK(refusal(world.command_at("agentDoc.retry", kLink)).starts_with("busy: "));
  world.say_first();
  world.say_rest();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  for (const json::value& edit : world.edits) {
    CHECK(edit.at("edit").at("documentChanges").at(0).at("textDocument").at("uri").as_string() ==
          kUri);
  }
  // After the turn the other buffer is a document like any other.
  world.open_as(kLink);
  CHECK_FALSE(world.run().empty());
}

TEST_CASE(
    "two open buffers: the one with the turn is closed, and the reply goes on in the other one") {
  LinkedWorld world;
  world.environment.files["/w/doc.md"] = "Hello?\n";
  world.open_as(kUri);
  world.run();
  world.say_first();
  const std::string text = world.editor.text();
  world.open_as(kLink, text);
  world.close_name(kUri);
  world.say_rest();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  CHECK(world.last_edit_uri() == kLink);
  CHECK(world.environment.files["/w/doc.md"] == "Hello?\n");
}

TEST_CASE("closed in mid-turn and opened through a link: the reply goes on there") {
  LinkedWorld world;
  world.environment.files["/w/doc.md"] = "Hello?\n";
  world.open_as(kUri);
  world.run();
  world.say_first();
  const std::string text = world.editor.text();
  world.close_name(kUri);
  world.open_as(kLink, text);
  world.say_rest();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  CHECK(world.last_edit_uri() == kLink);
  CHECK(world.environment.files["/w/doc.md"] == "Hello?\n");
}

TEST_CASE(
    "the same when the other name shows the file as it was saved, before the turn: the reply goes "
    "below its prompt there") {
  for (const bool was_open : {true, false}) {
    CAPTURE(was_open);
    LinkedWorld world;
    world.environment.files["/w/doc.md"] = "Hello?\n";
    if (was_open) world.open_as(kLink);
    world.open_as(kUri);
    world.run();
    world.say_first();
    if (!was_open) world.close_name(kUri);
    world.open_as(kLink);
    if (was_open) world.close_name(kUri);
    world.say_rest();
    CHECK(world.last_edit_uri() == kLink);
    CHECK(world.editor.text() == "Hello?\n\n## Assistant\n\nOne. Two." + kTail);
    CHECK(world.environment.files["/w/doc.md"] == "Hello?\n");
  }
}

TEST_CASE("the file is not written while it is open by another name that cannot take the reply") {
  LinkedWorld world;
  world.environment.files["/w/doc.md"] = "Hello?\n";
  world.open_as(kLink);
  world.run();
  world.agent().say_session("s-0");
  world.agent().say_result("s-0");
  world.pass(milliseconds{1000});
  world.open_as(kUri);
  world.run();
  world.say_first();
  const std::string text = world.editor.text();
  world.environment.files["/w/doc.md"] = text;
  world.close_name(kUri);
  world.say_rest();
  world.pass(milliseconds{5000});
  CHECK(world.environment.files["/w/doc.md"] == text);
  CHECK(
      world.told().ends_with("/w/doc.md is open as link.md, so agent-doc does not write into it. "
                             "The end of the reply is not in the file: open the "
                             "document again, and it is written there.\n"));
}

TEST_CASE("a command means the file, by whichever name; what is told of a text means the name") {
  LinkedWorld world;
  world.open_as(kUri);
  const Result began = world.command_at("agentDoc.run", kLink);
  CHECK(refusal(began) == "");
  const auto status = std::get<json::value>(world.command_at("agentDoc.status", kLink));
  CHECK(status.at("turns").at(0).at("uri").as_string() == kUri);
  world.say_first();
  const std::string text = world.editor.text();
  // The same file in a buffer of another language is left alone, and is not the document.
  world.notify("textDocument/didOpen",
               json::object{{"textDocument", json::object{{"uri", "file:///home/link.txt"},
                                                          {"languageId", "plaintext"},
                                                          {"version", 1},
                                                          {"text", text}}}});
  world.environment.links["/home/link.txt"] = "/w/doc.md";
  const json::array whole{json::object{{"text", "Something else.\n"}}};
  world.notify("textDocument/didChange",
               json::object{{"textDocument",
                             json::object{{"uri", "file:///home/link.txt"}, {"version", 50}}},
                            {"contentChanges", whole}});
  world.close_name("file:///home/link.txt");
  world.say_rest();
  CHECK(world.editor.text() == kHead + "One. Two." + kTail);
  CHECK(std::get<json::value>(world.command_at("agentDoc.stop", kLink)).at("stopped") == false);
  CHECK(refusal(world.command_at("agentDoc.stop", "file:///home/nothing.md"))
            .starts_with("not-open: "));
}

TEST_CASE("other schemes: the case of the scheme and what is percent-encoded do not matter") {
  LinkedWorld world;
  world.open_as("untitled:My%20notes");
  world.typed_uri = "untitled:My%20notes";
  world.run();
  CHECK(refusal(world.command_at("agentDoc.run", "Untitled:My notes")) ==
        "busy: a turn is running in My notes already: stop it or wait for its end. What you write "
        "under the last `## User` "
        "meanwhile is queued when you run it");
}

}  // namespace lsp_same_file_test
