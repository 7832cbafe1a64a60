// What a client gets that announces little or nothing: only what LSP had in its version 3.0, and
// what it announced beyond that, one thing at a time.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace lsp_old_clients_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using agent_doc::protocol::Error;
using std::chrono::milliseconds;

const std::string kDocument =
    "---\nagent: claude\nthinking: \nresume: s-0\nrounds: some\n---\n\nHello?\n\n## "
    "Assistant\n\nHi.\n\n## User\n\nWhy?\n";

json::value ask(LspWorld& world, std::string_view method, json::object extra = {}) {
  json::object params{{"textDocument", json::object{{"uri", kUri}}}};
  for (const auto& field : extra) params[field.key()] = field.value();
  return std::get<json::value>(world.call(method, params));
}

json::value ask_at(LspWorld& world, std::string_view method, int line, int character) {
  return ask(world, method, {{"position", json::object{{"line", line}, {"character", character}}}});
}

/// The methods of all notifications and requests that the server sent.
std::set<std::string> methods(const LspWorld& world) {
  std::set<std::string> names;
  for (const std::string& body : world.sent) {
    const json::value message = json::parse(body);
    if (const json::value* method = message.as_object().if_contains("method"))
      names.emplace(method->as_string());
  }
  return names;
}

/// Everything that a client can see, and a run to its end with a question; `world` is initialized
/// and has kDocument open.
void use_everything(LspWorld& world) {
  ask(world, "textDocument/codeLens");
  ask(world, "textDocument/foldingRange");
  world.command("agentDoc.fork", json::object{{"uri", kUri}});
  world.run();
  if (!world.environment.agents_started.agents.empty()) {
    world.agent().say_session("s-0");
    world.agent().say_permission("p-1");
    world.pass(milliseconds{1000});
    world.agent().say_message_start("m1");
    world.agent().say_text("So.");
    world.agent().say_result("s-0");
  }
  world.pass(milliseconds{20'000});
  world.command("agentDoc.newSession", json::object{{"uri", kUri}});
  world.pass(milliseconds{20'000});
}

TEST_CASE(
    "what a client gets depends on what it announces, and without that it is what LSP 3.0 had") {
  struct Case {
    std::string_view capabilities;
    std::string_view code_actions;  ///< codeActionProvider of the server
    std::string_view action;        ///< the first code action
    std::string_view symbol;        ///< the first symbol: its fields and kind
    std::string_view hover;         ///< its contents
    std::string_view completion;    ///< the last item
    std::string_view sent;          ///< methods, in the order of the alphabet
  };
  constexpr std::string_view kCommand =
      R"({"title":"agent-doc: Run","command":"agentDoc.run","arguments":[{"uri":"file:///w/doc.md"}]})";
  constexpr std::string_view kLiteral =
      R"({"title":"agent-doc: Run","kind":"agentDoc","command":{"title":"agent-doc: Run","command":"agentDoc.run","arguments":[{"uri":"file:///w/doc.md"}]}})";
  constexpr std::string_view kOptions = R"({"codeActionKinds":["agentDoc"]})";
  constexpr std::string_view kFlat = "name kind location 3";
  constexpr std::string_view kWords = R"("Which agent replies in this document.")";
  constexpr std::string_view kItem =
      R"({"label":"fold","kind":12,"textEdit":{"range":{"start":{"line":2,"character":10},"end":{"line":2,"character":10}},"newText":"fold"}})";
  const std::string messages = "window/showMessage";
  const std::string edits =
      "$/cancelRequest window/logMessage window/showMessage window/showMessageRequest "
      "workspace/applyEdit";
  const Case cases[] = {
      {"{}", "true", kCommand, kFlat, kWords, kItem, messages},
      {R"({"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}})",
       kOptions, kLiteral, kFlat, kWords, kItem, messages},
      {R"({"textDocument": {"codeAction": {"dynamicRegistration": true}, "hover": {}, "documentSymbol": {"symbolKind": {}}, "completion": {}}})",
       "true", kCommand, kFlat, kWords, kItem, messages},
      {R"({"textDocument": {"documentSymbol": {"symbolKind": {"valueSet": [1, 15, 24]}}}})", "true",
       kCommand, "name kind location 24", kWords, kItem, messages},
      {R"({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}})",
       "true", kCommand, "name detail kind range selectionRange children 3", kWords, kItem,
       messages},
      {R"({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})", "true", kCommand, kFlat,
       R"({"kind":"plaintext","value":"Which agent replies in this document."})", kItem, messages},
      {R"({"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}})", "true",
       kCommand, kFlat, R"({"kind":"markdown","value":"Which agent replies in this document."})",
       kItem, messages},
      {R"({"textDocument": {"completion": {"completionItem": {"snippetSupport": true, "documentationFormat": ["markdown"]}}}})",
       "true", kCommand, kFlat, kWords, kItem, messages},
      {R"({"textDocument": {"publishDiagnostics": {}}})", "true", kCommand, kFlat, kWords, kItem,
       "textDocument/publishDiagnostics window/showMessage"},
      {R"({"window": {"showDocument": {"support": true}}})", "true", kCommand, kFlat, kWords, kItem,
       "window/showDocument window/showMessage"},
      {R"({"workspace": {"applyEdit": true}})", "true", kCommand, kFlat, kWords, kItem, edits},
      {R"({"workspace": {"applyEdit": true, "codeLens": {"refreshSupport": true}}})", "true",
       kCommand, kFlat, kWords, kItem,
       "$/cancelRequest window/logMessage window/showMessage window/showMessageRequest "
       "workspace/applyEdit workspace/codeLens/refresh"},
      {R"({"workspace": {"applyEdit": true}, "window": {"workDoneProgress": true}})", "true",
       kCommand, kFlat, kWords, kItem,
       "$/cancelRequest $/progress window/logMessage window/showMessage window/showMessageRequest "
       "window/workDoneProgress/create "
       "workspace/applyEdit"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.capabilities);
    LspWorld world;
    const json::value server = world.initialize(one.capabilities).at("capabilities");
    world.open(kDocument);
    CHECK(json::serialize(server.at("codeActionProvider")) == one.code_actions);
    CHECK(server.at("positionEncoding") == "utf-16");
    const json::value here = json::object{{"line", 0}, {"character", 0}};
    const json::value actions = ask(world, "textDocument/codeAction",
                                    {{"range", json::object{{"start", here}, {"end", here}}}});
    CHECK(json::serialize(actions.at(0)) == one.action);
    const json::value symbol = ask(world, "textDocument/documentSymbol").at(0);
    std::string fields;
    for (const auto& field : symbol.as_object()) fields += std::string(field.key()) + " ";
    CHECK(fields + std::to_string(symbol.at("kind").as_int64()) == one.symbol);
    CHECK(json::serialize(ask_at(world, "textDocument/hover", 1, 2).at("contents")) == one.hover);
    CHECK(json::serialize(ask_at(world, "textDocument/completion", 2, 10).at(1)) == one.completion);
    use_everything(world);
    std::string sent;
    for (const std::string& method : methods(world)) sent += (sent.empty() ? "" : " ") + method;
    CHECK(sent == one.sent);
  }
}

TEST_CASE("what any client gets is what LSP 3.0 had, field by field") {
  LspWorld world(
      R"({"workspace": {"applyEdit": true}, "textDocument": {"publishDiagnostics": {}}})",
      "---\nrounds: some\n---\n\nHello?\n");
  use_everything(world);
  for (const json::value& edit : world.edits) CHECK(edit.as_object().size() == 1);  // no label
  for (const json::value& edit : world.edits)
    CHECK(edit.at("edit").as_object().contains("changes"));
  REQUIRE(world.questions.size() == 1);
  CHECK(
      json::serialize(world.questions[0].params) ==
      R"({"type":3,"message":"The agent wants to use Write: /w/out.txt","actions":[{"title":"Deny"},{"title":"Allow once"}]})");
  const std::set<std::string> known{"range", "severity", "code", "source",
                                    "message"};  // no tags, no relatedInformation
  for (const json::value& published : world.heard["textDocument/publishDiagnostics"]) {
    CHECK(published.as_object().size() == 2);
    for (const json::value& diagnostic : published.at("diagnostics").as_array()) {
      for (const auto& field : diagnostic.as_object())
        CHECK(known.contains(std::string(field.key())));
    }
  }
  const json::value lenses = ask(world, "textDocument/codeLens");
  for (const json::value& lens : lenses.as_array()) {
    CHECK(lens.as_object().size() == 2);
    CHECK(lens.at("command").as_object().size() == 3);
  }
  const json::value items = ask_at(world, "textDocument/completion", 1, 0);
  for (const json::value& item : items.as_array()) {
    CHECK(item.at("kind").as_int64() <= 18);
    CHECK(item.at("documentation").is_string());
  }
}

TEST_CASE(
    "a client that cannot apply edits is told so in words, whatever it asks to be written; nothing "
    "is sent to be applied") {
  for (const char* command : {"agentDoc.run", "agentDoc.newSession", "agentDoc.continueReply",
                              "agentDoc.recoverReply", "agentDoc.retry"}) {
    CAPTURE(command);
    LspWorld world;
    world.initialize("{}", "A viewer");
    world.open(kDocument);
    world.heard["window/showMessage"].clear();
    const auto refused = world.command(command, json::object{{"uri", kUri}});
    CHECK(std::get<Error>(refused).data.at("reason") == "invalid");
    const auto& told = world.heard["window/showMessage"];
    REQUIRE(told.size() == 1);
    CHECK(told[0].at("message") ==
          "A viewer does not let a language server change documents (capability "
          "workspace.applyEdit), so a reply cannot be written here. "
          "Save the document and use `agent-doc run FILE` in a terminal.");
    world.pass(milliseconds{20'000});
    CHECK(world.edits.empty());
  }
}

TEST_CASE(
    "a client that cannot apply edits is told so once, when the first session document is opened "
    "in it") {
  LspWorld world;
  world.initialize("{}", "A viewer");
  const auto& told = world.heard["window/showMessage"];
  world.open("Just notes.\n", "file:///w/notes.md");
  CHECK(told.empty());
  world.open(kDocument);
  REQUIRE(told.size() == 1);
  CHECK(told[0].at("type") == 2);
  CHECK(told[0].at("message") ==
        "A viewer does not let a language server change documents (capability "
        "workspace.applyEdit), so a reply cannot be written here. "
        "Save the document and use `agent-doc run FILE` in a terminal.");
  world.open(kDocument, "file:///w/another.md");
  CHECK(told.size() == 1);
}

TEST_CASE("a client that applies edits hears nothing when a session document is opened") {
  LspWorld world(R"({"workspace": {"applyEdit": true}})", kDocument);
  CHECK(world.heard["window/showMessage"].empty());
}

}  // namespace lsp_old_clients_test
