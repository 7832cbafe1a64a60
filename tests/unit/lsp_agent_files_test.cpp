#include "server/lsp/documents/agent_files.hpp"
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_files_test {

namespace json = boost::json;
using agent_doc::fakes::kPlainCapabilities;
using agent_doc::fakes::kUri;
using agent_doc::fakes::LspWorld;
using agent_doc::lsp::AgentFiles;
using agent_doc::lsp::Document;
using agent_doc::lsp::some_lines;

/// Documents of a client, without agents: one that an agent answers in, and notes.md.
struct World {
  World() {
    client.can.documentChanges = true;
    open("/w/doc.md", "/w/doc.md", "Question?\n");
    open("/w/notes.md", "/w/notes.md", "one\ntwo\nthree\n");
    environment.files["/w/disk.txt"] = "on disk\n";
  }
  void open(const std::string& path, const std::string& file, const std::string& text) {
    const agent_doc::lsp::DocumentPlace place{"file://" + path, path, file, "/w", true};
    const agent_doc::lsp::DocumentListener listener{[](const Document&) {}, [](const Document&) {},
                                                    [](const std::string&) {}};
    documents.push_back(std::make_unique<Document>(client, environment, messages, workspace, files,
                                                   place, listener));
    documents.back()->did_open(1, text);
  }
  agent_doc::plugins::FileAnswer read(const std::string& path) {
    return files.read(*documents[0], {"id", path, std::nullopt, std::nullopt}, "/w");
  }
  agent_doc::plugins::FileAnswer write(const std::string& path, const std::string& text) {
    return files.write(*documents[0], {"id", path, text}, "/w");
  }
  const std::string& notes() const { return documents[1]->session().engine().shadow().text(); }
  /// The client applies what it was sent last.
  void land() {
    REQUIRE_FALSE(edits.empty());
    const json::value edit = edits.back().at("edit").at("documentChanges").at(0);
    const json::value& piece = edit.at("edits").at(0);
    agent_doc::sync::ReplaceRange change{
        agent_doc::protocol::decode_range(agent_doc::protocol::Fields(piece.at("range"), "range")),
        std::string(piece.at("newText").as_string())};
    documents[1]->with_session([&](agent_doc::session::Conversation& session) {
      session.did_change(session.engine().version() + 1, {change});
      session.edit_answered(agent_doc::sync::Answer::Applied);
    });
  }

  agent_doc::fakes::ManualEnvironment environment;
  std::vector<json::value> edits;
  agent_doc::lsp::Client client{
      agent_doc::protocol::Endpoint::make(
          [this](const std::string& body) {
            const json::value message = json::parse(body);
            if (message.at("method").as_string() == "workspace/applyEdit")
              edits.push_back(message.at("params"));
            if (message.at("method").as_string() == "window/showMessage") {
              told = message.at("params").at("message").as_string().c_str();
            }
          },
          [](std::string_view) {}),
      {},
      agent_doc::text::PositionEncoding::Utf8,
      {}};
  std::string told;
  agent_doc::lsp::Messages messages{client, environment};
  agent_doc::lsp::Workspace workspace;
  std::vector<std::unique_ptr<Document>> documents;
  AgentFiles files{environment, messages, [this] {
                     std::vector<Document*> all;
                     for (const auto& document : documents) all.push_back(document.get());
                     return all;
                   }};
};

TEST_CASE(
    "an agent reads the open document as it stands, other files from the disk, and nothing outside "
    "of its folder") {
  World world;
  CHECK(world.read("notes.md").text == "one\ntwo\nthree\n");
  CHECK(world.read("/w/notes.md").done);
  CHECK(world.read("/w/doc.md").text == "Question?\n");
  CHECK(world.read("/w/disk.txt").text == "on disk\n");
  const auto missing = world.read("/w/none.txt");
  CHECK_FALSE(missing.done);
  CHECK(missing.not_found);
  CHECK(missing.text == "/w/none.txt could not be read: No such file or directory");
  const auto outside = world.read("/etc/passwd");
  CHECK_FALSE(outside.done);
  CHECK_FALSE(outside.not_found);
  CHECK(outside.text == "/etc/passwd is outside of /w");
  CHECK(world.files.read(*world.documents[0], {"id", "notes.md", 2, 1}, "/w").text == "two\n");
}

TEST_CASE(
    "an agent's write to an open document is an edit for its client, and what the person typed "
    "meanwhile stays") {
  World world;
  CHECK(world.read("notes.md").done);
  world.documents[1]->with_session([](agent_doc::session::Conversation& session) {
    session.did_change(2, {agent_doc::sync::ReplaceRange{{{0, 0}, {0, 0}}, "typed\n"}});
  });
  CHECK(world.write("notes.md", "one\nTWO\nthree\nfour\n").done);
  CHECK(world.environment.files.count("/w/notes.md") == 0);
  world.land();
  CHECK(world.notes() == "typed\none\nTWO\nthree\nfour\n");
  CHECK(world.told ==
        "The agent of doc.md changed notes.md, which is open: the change is there, and not saved "
        "yet.");
  // What it wrote is what it knows: the next write changes only what is new.
  CHECK(world.write("notes.md", "one\nTWO\nthree\nFOUR\n").done);
  world.land();
  CHECK(world.notes() == "typed\none\nTWO\nthree\nFOUR\n");
  CHECK_FALSE(world.documents[1]->session().engine().wants_to_write());
}

TEST_CASE(
    "an agent's write: not into the document that it answers in, not outside, else to the disk") {
  World world;
  const auto own = world.write("doc.md", "mine");
  CHECK_FALSE(own.done);
  CHECK(own.text.starts_with("/w/doc.md is the document in which you answer"));
  world.open("/w/link.md", "/w/doc.md", "Question?\n");
  const auto linked = world.write("link.md", "mine");
  CHECK_FALSE(linked.done);
  CHECK(linked.text.starts_with("/w/link.md is the document in which you answer"));
  CHECK_FALSE(world.write("/tmp/x", "mine").done);
  CHECK(world.write("/w/new.txt", "text\n").done);
  CHECK(world.environment.files["/w/new.txt"] == "text\n");
  CHECK(world.edits.empty());
  world.environment.file_error =
      boost::system::errc::make_error_code(boost::system::errc::permission_denied);
  CHECK(world.write("/w/new.txt", "text\n").text ==
        "/w/new.txt could not be written: Permission denied");
}

TEST_CASE("an agent's file is the open document, whichever of the two was named by a link") {
  for (const bool client_names_link : {true, false}) {
    CAPTURE(client_names_link);
    World world;
    const std::string real = client_names_link ? "/w/real.md" : "/w/notes.md";
    const std::string link = client_names_link ? "/w/notes.md" : "/w/link.md";
    world.environment.links[link] = real;
    world.environment.files[real] = "as it was saved\n";
    for (const std::string& named : {real, link}) {
      CAPTURE(named);
      CHECK(world.read(named).text == "one\ntwo\nthree\n");
    }
    CHECK(world.write(real, "one\nTWO\nthree\n").done);
    world.land();
    CHECK(world.write(link, "one\nTWO\nTHREE\n").done);
    world.land();
    CHECK(world.notes() == "one\nTWO\nTHREE\n");
    CHECK(world.environment.files[real] == "as it was saved\n");
  }
}

TEST_CASE("some lines of a text") {
  CHECK(some_lines("a\nb\nc", {}, {}) == "a\nb\nc");
  CHECK(some_lines("a\nb\nc", 2, {}) == "b\nc");
  CHECK(some_lines("a\nb\nc", 1, 2) == "a\nb\n");
  CHECK(some_lines("a\nb\nc", 3, 5) == "c");
  CHECK(some_lines("a\nb\nc", 4, 5).empty());
  CHECK(some_lines("a\nb\nc", 0, 0).empty());
}

}  // namespace agent_files_test
