// The folder that an agent works in, when folders are missing, come and go; and the client's root
// in all its spellings.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace lsp_work_folder_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using std::chrono::milliseconds;

/// A client with these fields in `initialize`, beside its capabilities.
struct RootedWorld : LspWorld {
  explicit RootedWorld(std::string_view fields) {
    json::object params = json::parse(fields).as_object();
    params["capabilities"] = json::parse(kPlainCapabilities);
    call("initialize", params);
    notify("initialized", json::object{});
  }
  void open_as(std::string_view uri, std::string text = "Hello?\n") {
    typed_uri = uri;
    open(std::move(text), uri);
  }
  /// Of the last agent; empty when the run was refused.
  std::string folder_of_run() {
    const std::size_t before = environment.agents_started.agents.size();
    run();
    return environment.agents_started.agents.size() == before ? std::string() : agent().launch.cwd;
  }
  std::string refusal() {
    const auto result = command("agentDoc.run", json::object{{"uri", typed_uri}});
    const auto* error = std::get_if<Error>(&result);
    return error == nullptr ? std::string() : error->message;
  }
  std::vector<std::string> told() {
    std::vector<std::string> messages;
    for (const json::value& message : heard["window/showMessage"])
      messages.emplace_back(message.at("message").as_string());
    return messages;
  }
};

TEST_CASE("the root of a client: workspaceFolders before rootUri before rootPath") {
  struct Case {
    std::string_view fields;
    std::string_view folder;  ///< of an untitled document; empty: there is none
  };
  const Case cases[] = {
      {R"({"workspaceFolders": [{"uri": "file:///a", "name": "a"}], "rootUri": "file:///b", "rootPath": "/c"})",
       "/a"},
      {R"({"workspaceFolders": null, "rootUri": "file:///b/", "rootPath": "/c"})", "/b"},
      {R"({"rootUri": null, "rootPath": "/c d/"})", "/c d"},
      {R"({"rootPath": "/c%20d"})", "/c%20d"},
      {R"({"rootPath": "file:///c%20d"})", "/c d"},
      {R"({"rootPath": "relative"})", ""},
      {R"({"rootPath": ""})", ""},
      {R"({"workspaceFolders": null, "rootUri": null, "rootPath": null})", ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.fields);
    RootedWorld world(one.fields);
    world.open_as("untitled:Untitled-1");
    CHECK(world.folder_of_run() == one.folder);
    CHECK(world.told().size() == (one.folder.empty() ? 1 : 0));
  }
}

TEST_CASE(
    "a folder that is missing: the workspace's, with a sentence; without one an error that names "
    "it") {
  struct Case {
    std::string_view uri;
    std::vector<std::string> missing;
    std::string_view folder;
    std::string_view sentence;
  };
  const Case cases[] = {
      {"file:///w/doc.md", {}, "/w", ""},
      {"file:///elsewhere/doc.md", {}, "/elsewhere", ""},
      {"file:///elsewhere/doc.md",
       {"/elsewhere"},
       "/w",
       "The folder /elsewhere does not exist, so the agent of doc.md works in /w."},
      {"file:///elsewhere/doc.md",
       {"/elsewhere", "/w", "/w/inner"},
       "/v",
       "The folder /elsewhere does not exist, so the agent of doc.md works in /v."},
      {"file:///w/inner/x/doc.md",
       {"/w/inner"},
       "/w",
       "The folder /w/inner does not exist, so the agent of doc.md works in /w."},
      {"file:///w/missing/doc.md", {"/w/missing"}, "/w", ""},
      {"untitled:Untitled-1", {}, "/w", ""},
      {"untitled:Untitled-1",
       {"/w", "/w/inner"},
       "/v",
       "The folder /w does not exist, so the agent of Untitled-1 works in /v."},
      {"file:///elsewhere/doc.md",
       {"/elsewhere", "/w", "/v", "/w/inner"},
       "",
       "doc.md has no folder for an agent to work in: /elsewhere does not exist. Make that folder, "
       "or open one that is there, and run "
       "again."},
      {"untitled:Untitled-1",
       {"/w", "/v", "/w/inner"},
       "",
       "Untitled-1 has no file, and the folder that is open, /w, does not exist: make it, open "
       "another folder or save the document, and "
       "run again."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.uri);
    CAPTURE(one.missing);
    RootedWorld world(
        R"({"workspaceFolders": [{"uri": "file:///w", "name": "w"}, {"uri": "file:///w/inner", "name": "i"}, {"uri": "file:///v", "name": "v"}]})");
    world.environment.missing_folders = {one.missing.begin(), one.missing.end()};
    world.open_as(one.uri);
    CHECK(world.folder_of_run() == one.folder);
    CHECK(world.told() == (one.sentence.empty()
                               ? std::vector<std::string>{}
                               : std::vector<std::string>{std::string(one.sentence)}));
  }
}

TEST_CASE(
    "the folder is looked at when a turn begins: one that was made, went, or was opened since "
    "counts") {
  RootedWorld world(R"({"rootUri": null})");
  world.environment.missing_folders = {"/new"};
  world.open_as("file:///new/doc.md");
  CHECK(world.refusal().starts_with(
      "doc.md has no folder for an agent to work in: /new does not exist."));
  world.environment.missing_folders.clear();
  CHECK(world.folder_of_run() == "/new");
  world.agent().say_session("s-1");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  world.environment.missing_folders = {"/new"};
  world.type(world.editor.size(), "More?");
  CHECK_FALSE(world.refusal().empty());
  const json::array added{json::object{{"uri", "file:///w"}, {"name", "w"}}};
  world.notify("workspace/didChangeWorkspaceFolders",
               json::object{{"event", json::object{{"added", added}, {"removed", json::array{}}}}});
  CHECK(world.folder_of_run() == "/w");
  CHECK(world.told().back() ==
        "The folder /new does not exist, so the agent of doc.md works in /w.");
}

TEST_CASE("an untitled document that was opened before there was a folder") {
  RootedWorld world(R"({"rootUri": null})");
  world.open_as("untitled:My%20notes");
  CHECK(world.refusal() ==
        "My notes has no file and no folder is open, so the agent has no place to work in: save "
        "the document, or open a folder, and run "
        "again.");
  const json::array added{json::object{{"uri", "file:///w"}, {"name", "w"}}};
  world.notify("workspace/didChangeWorkspaceFolders",
               json::object{{"event", json::object{{"added", added}, {"removed", json::array{}}}}});
  CHECK(world.folder_of_run() == "/w");
  CHECK(world.environment.leases.sessions.empty());  // no other process has it open
}

TEST_CASE("a sentence about the folder is told once, not at every turn") {
  RootedWorld world(R"({"rootUri": "file:///w"})");
  world.environment.missing_folders = {"/elsewhere"};
  world.open_as("file:///elsewhere/doc.md");
  for (int turn = 0; turn < 3; ++turn) {
    world.run();
    world.agent().say_session("s-1");
    world.agent().say_message_start("m" + std::to_string(turn));
    world.agent().say_text("So.");
    world.agent().say_result("s-1");
    world.pass(milliseconds{1000});
    world.type(world.editor.size(), "More?");
  }
  CHECK(world.told() ==
        std::vector<std::string>{
            "The folder /elsewhere does not exist, so the agent of doc.md works in /w."});
  CHECK(world.environment.agents_started.agents.size() == 1);
}

}  // namespace lsp_work_folder_test
