#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_commands_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using agent_doc::protocol::ErrorCode;
using agent_doc::protocol::Result;
using std::chrono::milliseconds;

const json::object kThisDocument{{"uri", kUri}};

json::value value_of(const Result& result) {
  return std::get<json::value>(result);
}
std::string reason_of(const Result& result) {
  return std::string(std::get<Error>(result).data.at("reason").as_string());
}

void answer_once(LspWorld& world, const std::string& text) {
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text(text);
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
}

TEST_CASE("a command without uri means the one session document that is open") {
  LspWorld world(kAllCapabilities, "Hello?\n");
  const json::value nothing = json::object{{"command", "agentDoc.run"}};
  const auto began = world.call("workspace/executeCommand", nothing);
  CHECK(!std::get<json::value>(began).at("turn").as_string().empty());
  const auto open_another = [&](std::string_view uri, std::string_view text) {
    const json::object document{
        {"uri", uri}, {"languageId", "markdown"}, {"version", 1}, {"text", text}};
    world.notify("textDocument/didOpen", json::object{{"textDocument", document}});
  };
  open_another("file:///w/readme.md", "Read me.\n");
  const auto stopped =
      world.call("workspace/executeCommand", json::object{{"command", "agentDoc.stop"}});
  CHECK(json::serialize(std::get<json::value>(stopped)) == R"({"stopped":true})");
  open_another("file:///w/two.md", "---\nagent: claude\n---\n");
  const auto unclear = world.call("workspace/executeCommand", nothing);
  CHECK(std::get<Error>(unclear).message == "arguments[0].uri: expected a string");
}

TEST_CASE("bad arguments name the field") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  struct Case {
    const char* command;
    json::value argument;
    std::string_view field;
  };
  const Case cases[] = {
      {"agentDoc.run", json::object{{"uri", 5}}, "arguments[0].uri"},
      {"agentDoc.run", 5, "arguments[0]"},
      {"agentDoc.run", json::object{{"uri", kUri}, {"prompt", 5}}, "arguments[0].prompt"},
      {"agentDoc.stop", json::object{{"uri", nullptr}}, "arguments[0].uri"},
      {"agentDoc.fork", json::object{{"uri", kUri}, {"turn", "t"}}, "arguments[0].turn"},
      {"agentDoc.answer", json::object{{"turn", "t"}}, "arguments[0].permission"},
      {"agentDoc.status", json::object{{"uri", 5}}, "arguments[0].uri"},
      {"agentDoc.dance", json::object{}, "params.command"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.field);
    const Result result = world.command(one.command, one.argument);
    CHECK(std::get<Error>(result).code == ErrorCode::InvalidParams);
    CHECK(std::get<Error>(result).message.find(one.field) != std::string::npos);
  }
  CHECK(world.environment.agents_started.agents.empty());
}

TEST_CASE("run answers at once with its turn; a second run is refused, not doubled") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  const std::string turn = world.run();
  CHECK_FALSE(turn.empty());
  const Result second = world.command("agentDoc.run", kThisDocument);
  CHECK(std::get<Error>(second).code == ErrorCode::RequestFailed);
  CHECK(reason_of(second) == "busy");
  CHECK(std::get<Error>(second).message.find("doc.md") != std::string::npos);
  CHECK(world.environment.agents_started.agents.size() == 1);
  answer_once(world, "Hi.");
  CHECK(world.editor.text() == kFrontMatter + "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n");
}

TEST_CASE("every refusal of run has its reason") {
  LspWorld world(kPlainCapabilities, "\n");
  CHECK(reason_of(world.command("agentDoc.run", kThisDocument)) == "nothing-to-send");
  CHECK(reason_of(world.command("agentDoc.run", json::object{{"uri", "file:///w/other.md"}})) ==
        "not-open");
  world.open("Hello?\n");
  const Result unknown =
      world.command("agentDoc.run", json::object{{"uri", kUri}, {"agent", "hal"}});
  CHECK(reason_of(unknown) == "unknown-agent");
  CHECK(std::get<Error>(unknown).message.find("known agents are claude") != std::string::npos);
  world.environment.agents_started.error =
      boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  CHECK(reason_of(world.command("agentDoc.run", kThisDocument)) == "unknown-agent");
  CHECK(world.editor.text() == "Hello?\n");
}

TEST_CASE("a client that cannot apply edits is told so, by its name") {
  LspWorld world(R"({"workspace": {}})", "Hello?\n");
  const Result refused = world.command("agentDoc.run", kThisDocument);
  CHECK(reason_of(refused) == "invalid");
  CHECK(std::get<Error>(refused).message.starts_with(
      "Test Editor does not let a language server change documents"));
  CHECK(world.environment.agents_started.agents.empty());
}

TEST_CASE("run with its own prompt writes it into the document") {
  LspWorld world(kPlainCapabilities, "# Notes\n");
  world.command("agentDoc.run", json::object{{"uri", kUri}, {"prompt", "Sum up."}});
  CHECK(world.agent().was_told("Sum up."));
  answer_once(world, "Notes.");
  CHECK(world.editor.text().find("Sum up.\n\n## Assistant\n\nNotes.\n") != std::string::npos);
}

TEST_CASE("stop ends the running turn; without one it says so") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  CHECK(value_of(world.command("agentDoc.stop", kThisDocument)).at("stopped") == false);
  CHECK(reason_of(world.command("agentDoc.stop", json::object{{"uri", "file:///w/other.md"}})) ==
        "not-open");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("Half of it");
  world.pass(milliseconds{200});
  CHECK(value_of(world.command("agentDoc.stop", kThisDocument)).at("stopped") == true);
  CHECK(world.agent().was_told("interrupt"));
  world.agent().say_aborted();
  world.pass(milliseconds{200});
  CHECK(world.last_state() == "cancelled");
  CHECK(world.editor.text().find("## Assistant\n\nHalf of it\n\n## User\n") != std::string::npos);
}

TEST_CASE("status: the last turn of one document, or of all") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  CHECK(value_of(world.command("agentDoc.status", json::object{})).at("turns").as_array().empty());
  const std::string turn = world.run();
  answer_once(world, "Hi.");
  for (const json::object& argument : {json::object{}, kThisDocument}) {
    const json::value turns = value_of(world.command("agentDoc.status", argument)).at("turns");
    REQUIRE(turns.as_array().size() == 1);
    CHECK(turns.at(0).at("turn").as_string() == turn);
    CHECK(turns.at(0).at("uri").as_string() == kUri);
    CHECK(turns.at(0).at("state").as_string() == "done");
    CHECK(turns.at(0).at("replyLanded") == true);
    CHECK(turns.at(0).at("sessionId").as_string() == "s-1");
  }
  CHECK(value_of(world.command("agentDoc.status", json::object{{"uri", "file:///w/other.md"}}))
            .at("turns")
            .as_array()
            .empty());
}

TEST_CASE("newSession forgets the session") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  answer_once(world, "Hi.");
  CHECK(value_of(world.command("agentDoc.newSession", kThisDocument)) == json::object{});
  world.pass(milliseconds{1000});
  CHECK(world.editor.text() ==
        "---\nagent_doc_session: uuid-2\nagent: claude\n---\n\nHello?\n\n## Assistant\n\nHi.\n\n## "
        "User\n\n");
  CHECK(reason_of(world.command("agentDoc.newSession",
                                json::object{{"uri", "file:///w/other.md"}})) == "not-open");
}

TEST_CASE("continueReply without anything to continue") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  CHECK(reason_of(world.command("agentDoc.continueReply", kThisDocument)) == "invalid");
}

TEST_CASE("continueReply after the reply's place was deleted writes it at the end") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("First line.\\n");
  world.pass(milliseconds{1000});
  world.open("Something else.\n");
  world.agent().say_text("Second line.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(world.editor.text().find("Second line.") == std::string::npos);
  CHECK(value_of(world.command("agentDoc.continueReply", kThisDocument)) == json::object{});
  world.pass(milliseconds{1000});
  CHECK(world.editor.text().find("## Assistant\n\nFirst line.\nSecond line.\n") !=
        std::string::npos);
}

TEST_CASE("fork writes a new document beside the old one and never over another") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  CHECK(reason_of(world.command("agentDoc.fork", kThisDocument)) == "no-session");
  world.run();
  answer_once(world, "Hi.");
  CHECK(value_of(world.command("agentDoc.fork", kThisDocument)).at("uri").as_string() ==
        "file:///w/doc-fork.md");
  CHECK(value_of(world.command("agentDoc.fork", kThisDocument)).at("uri").as_string() ==
        "file:///w/doc-fork-2.md");
  const std::string& fork = world.environment.files["/w/doc-fork.md"];
  CHECK(fork.find(R"(forked_from: {file: "doc.md", session: "s-1", turn: 1})") !=
        std::string::npos);
  CHECK(fork.find("resume:") == std::string::npos);
  CHECK(fork.ends_with("---\n\nHello?\n\n## Assistant\n\nHi.\n\n## User\n\n"));

  const auto fork_to = [&](std::string_view target) {
    return world.command("agentDoc.fork", json::object{{"uri", kUri}, {"target", target}});
  };
  CHECK(value_of(fork_to("other place.md")).at("uri").as_string() == "file:///w/other%20place.md");
  CHECK(value_of(fork_to("/v/x.md")).at("uri").as_string() == "file:///v/x.md");
  CHECK(value_of(fork_to("file:///v/y.md")).at("uri").as_string() == "file:///v/y.md");
  const Result taken = fork_to("/v/x.md");
  CHECK(reason_of(taken) == "invalid");
  CHECK(std::get<Error>(taken).message.starts_with(
      "The fork could not be written to /v/x.md: File exists"));
  world.environment.file_error =
      boost::system::errc::make_error_code(boost::system::errc::no_space_on_device);
  CHECK(reason_of(world.command("agentDoc.fork", kThisDocument)) == "invalid");
}

TEST_CASE("a client that opens no documents for the server is told where a fork is") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  answer_once(world, "Hi.");
  world.heard["window/showMessage"].clear();
  world.command("agentDoc.fork", kThisDocument);
  const auto& told = world.heard["window/showMessage"];
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("type") == 3);
  CHECK(told[0].at("message") == "The fork is /w/doc-fork.md. Open it to go on there.");
}

TEST_CASE("a document without a file cannot be forked before it is saved") {
  LspWorld world;
  world.initialize(kPlainCapabilities);
  world.open("Hello?\n", "untitled:Untitled-1");
  CHECK(reason_of(world.command("agentDoc.fork", json::object{{"uri", "untitled:Untitled-1"}})) ==
        "invalid");
}

}  // namespace lsp_commands_test
