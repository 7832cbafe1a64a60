#include "protocol/lsp.hpp"

#include "protocol/fields.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <functional>

namespace protocol_lsp_test {

namespace json = boost::json;
using namespace agent_doc::protocol;
using agent_doc::text::Position;
using agent_doc::text::PositionEncoding;
using agent_doc::text::Range;

std::string complaint(const std::function<void()>& decode) {
  try {
    decode();
  } catch (const InvalidField& problem) {
    return problem.message();
  }
  return "nothing to complain about";
}

TEST_CASE("initialize: everything that we ask of a client") {
  const auto params = decode_initialize(json::parse(R"({
    "processId": 42, "clientInfo": {"name": "Neovim", "version": "0.10"}, "rootUri": "file:///ignored", "rootPath": "/ignored",
    "workspaceFolders": [{"uri": "file:///w", "name": "w"}, {"uri": "file:///v", "name": "v"}],
    "capabilities": {
      "general": {"positionEncodings": ["utf-16", "klingon", 7, "utf-8"]},
      "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}},
      "window": {"workDoneProgress": true},
      "textDocument": {"codeAction": {"codeActionLiteralSupport": {}}},
      "experimental": {"agentDoc": {"turn": true, "reply": true, "strictEdits": true, "slowEdits": true}}}})"));
  CHECK(params.processId == 42);
  CHECK(params.clientName == "Neovim");
  CHECK(params.clientVersion == "0.10");
  REQUIRE(params.workspaceFolders.size() == 2);
  CHECK(params.workspaceFolders[1].uri == "file:///v");
  CHECK(params.rootPath.empty());
  CHECK(params.capabilities.positionEncodings ==
        std::vector{PositionEncoding::Utf16, PositionEncoding::Utf8});
  CHECK(params.capabilities.applyEdit);
  CHECK(params.capabilities.documentChanges);
  CHECK(params.capabilities.workDoneProgress);
  CHECK(params.capabilities.codeActionLiterals);
  CHECK(params.capabilities.turn);
  CHECK(params.capabilities.reply);
  CHECK(params.capabilities.strictEdits);
  CHECK(params.capabilities.slowEdits);
}

TEST_CASE("initialize: a client that says as little as it may") {
  for (
      const char* text :
      {R"({"processId": null, "rootUri": null, "capabilities": {}})",
       R"({"capabilities": {"general": null, "workspace": [], "experimental": {"agentDoc": true}}})",
       "{}"}) {
    CAPTURE(text);
    const auto params = decode_initialize(json::parse(text));
    CHECK_FALSE(params.processId);
    CHECK(params.clientName.empty());
    CHECK(params.workspaceFolders.empty());
    CHECK(params.capabilities.positionEncodings.empty());
    CHECK_FALSE(params.capabilities.applyEdit);
    CHECK_FALSE(params.capabilities.documentChanges);
    CHECK_FALSE(params.capabilities.turn);
  }
}

TEST_CASE(
    "the root: workspaceFolders, else rootUri, else rootPath; null and nothing are the same") {
  struct Case {
    std::string_view params;
    std::string_view folders;  ///< the URIs, with spaces between
    std::string_view path;
  };
  const Case cases[] = {
      {R"({"workspaceFolders": [{"uri": "file:///a"}, {"uri": "file:///b"}], "rootUri": "file:///c", "rootPath": "/d"})",
       "file:///a file:///b", ""},
      {R"({"workspaceFolders": null, "rootUri": "file:///c", "rootPath": "/d"})", "file:///c", ""},
      {R"({"workspaceFolders": [], "rootUri": "file:///c", "rootPath": null})", "file:///c", ""},
      {R"({"rootUri": "file:///c"})", "file:///c", ""},
      {R"({"workspaceFolders": null, "rootUri": null, "rootPath": "/d"})", "", "/d"},
      {R"({"rootUri": "", "rootPath": "/d"})", "", "/d"},
      {R"({"rootPath": "/d"})", "", "/d"},
      {R"({"workspaceFolders": null, "rootUri": null, "rootPath": null})", "", ""},
      {R"({})", "", ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.params);
    const auto params = decode_initialize(json::parse(one.params));
    std::string folders;
    for (const WorkspaceFolder& folder : params.workspaceFolders)
      folders += (folders.empty() ? "" : " ") + folder.uri;
    CHECK(folders == one.folders);
    CHECK(params.rootPath == one.path);
  }
  CHECK(complaint([] { decode_initialize(json::parse(R"({"rootPath": 5})")); }) ==
        "params.rootPath: expected a string");
}

TEST_CASE("how a hover may look, and which symbols there are") {
  struct Case {
    std::string_view formats;
    HoverForm form;
  };
  const Case cases[] = {{R"(["markdown", "plaintext"])", HoverForm::Markdown},
                        {R"(["plaintext", "markdown"])", HoverForm::PlainText},
                        {R"(["asciidoc", 5, "plaintext"])", HoverForm::PlainText},
                        {"[]", HoverForm::String},
                        {"null", HoverForm::String},
                        {R"("markdown")", HoverForm::String}};
  for (const Case& one : cases) {
    CAPTURE(one.formats);
    const std::string hover = R"({"capabilities": {"textDocument": {"hover": {"contentFormat": )" +
                              std::string(one.formats) + "}}}}";
    CHECK(decode_initialize(json::parse(hover)).capabilities.hover == one.form);
  }
  CHECK(decode_initialize(json::parse("{}")).capabilities.hover == HoverForm::String);
  const auto knows_events = [](std::string_view kinds) {
    const std::string symbol =
        R"({"capabilities": {"textDocument": {"documentSymbol": {"symbolKind": )" +
        std::string(kinds) + "}}}}";
    return decode_initialize(json::parse(symbol)).capabilities.eventSymbols;
  };
  CHECK(knows_events(R"({"valueSet": [1, 2, 24, 26]})"));
  CHECK_FALSE(knows_events(R"({"valueSet": [1, 2, 3]})"));
  CHECK_FALSE(knows_events(R"({"valueSet": 24})"));
  CHECK_FALSE(knows_events("{}"));
  CHECK_FALSE(knows_events("null"));
}

TEST_CASE(
    "a client that knows resource operations knows documentChanges (Neovim does not say so "
    "otherwise)") {
  const auto params = decode_initialize(json::parse(
      R"({"capabilities": {"workspace": {"workspaceEdit": {"resourceOperations": ["rename"]}}}})"));
  CHECK(params.capabilities.documentChanges);
}

TEST_CASE("the position encoding: utf-8 first, then utf-16, then utf-32") {
  using enum PositionEncoding;
  struct Case {
    std::vector<PositionEncoding> listed;
    PositionEncoding chosen;
  };
  const Case cases[] = {{{}, Utf16},
                        {{Utf16}, Utf16},
                        {{Utf32}, Utf32},
                        {{Utf32, Utf16}, Utf16},
                        {{Utf32, Utf8, Utf16}, Utf8},
                        {{Utf8}, Utf8}};
  for (const Case& one : cases) CHECK(negotiate(one.listed) == one.chosen);
}

TEST_CASE("the answer to initialize, whole") {
  InitializeResult result;
  result.positionEncoding = PositionEncoding::Utf8;
  result.serverName = "agent-doc";
  result.serverVersion = "1.2.3";
  result.protocol = 7;
  result.commands = {"agentDoc.run", "agentDoc.stop"};
  result.codeActionKinds = {"agentDoc"};
  CHECK(
      json::serialize(encode(result)) ==
      R"({"capabilities":{"positionEncoding":"utf-8","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},)"
      R"("codeActionProvider":{"codeActionKinds":["agentDoc"]},"codeLensProvider":{},"documentSymbolProvider":true,)"
      R"("foldingRangeProvider":true,"hoverProvider":true,"completionProvider":{"triggerCharacters":[":"]},)"
      R"("executeCommandProvider":{"commands":["agentDoc.run","agentDoc.stop"]},)"
      R"("workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},)"
      R"("fileOperations":{"didRename":{"filters":[)"
      R"({"scheme":"file","pattern":{"glob":"**/*.md","matches":"file"}},)"
      R"({"scheme":"file","pattern":{"glob":"**/*.markdown","matches":"file"}},)"
      R"({"scheme":"file","pattern":{"glob":"**","matches":"folder"}}]}}},)"
      R"("experimental":{"agentDoc":{"protocol":7,"version":"1.2.3"}}},"serverInfo":{"name":"agent-doc","version":"1.2.3"}})");
}

TEST_CASE(
    "the answer to initialize for a client without code action literals has no options of code "
    "actions") {
  const json::value answer = encode(InitializeResult{});
  CHECK(answer.at("capabilities").at("codeActionProvider") == true);
}

TEST_CASE("didChange: ranges, whole texts, and what is wrong with them") {
  const auto change = decode_did_change(json::parse(R"({
    "textDocument": {"uri": "file:///w/doc.md", "version": 7},
    "contentChanges": [{"range": {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}}, "rangeLength": 9, "text": "ü"}, {"text": ""}]})"));
  CHECK(change.uri == "file:///w/doc.md");
  CHECK(change.version == 7);
  REQUIRE(change.contentChanges.size() == 2);
  CHECK(change.contentChanges[0].range == Range{{1, 2}, {3, 4}});
  CHECK(change.contentChanges[0].text == "ü");
  CHECK_FALSE(change.contentChanges[1].range);

  const auto decode = [](const char* text) {
    return complaint([=] { decode_did_change(json::parse(text)); });
  };
  CHECK(decode(R"({"textDocument": {"uri": "u", "version": 1}})")
            .starts_with("params.contentChanges:"));
  CHECK(decode(R"({"textDocument": {"uri": "u", "version": null}, "contentChanges": []})")
            .starts_with("params.textDocument.version:"));
  CHECK(decode(R"({"textDocument": {"uri": "u", "version": 1}, "contentChanges": [{}]})")
            .starts_with("params.contentChanges[0].text:"));
  CHECK(
      decode(
          R"({"textDocument": {"uri": "u", "version": 1}, "contentChanges": [{"text": "", "range": {"start": {"line": -1, "character": 0}}}]})")
          .starts_with("params.contentChanges[0].range.start.line:"));
  CHECK(decode("[]").starts_with("params:"));
}

TEST_CASE("an edit in both forms, never with a label") {
  const ApplyWorkspaceEditParams edit{"file:///w/doc.md", 7, {{1, 2}, {1, 5}}, "new\n"};
  CHECK(
      json::serialize(encode(edit, WorkspaceEditForm::DocumentChanges)) ==
      R"({"edit":{"documentChanges":[{"textDocument":{"uri":"file:///w/doc.md","version":7},"edits":[{"range":{"start":{"line":1,"character":2},)"
      R"("end":{"line":1,"character":5}},"newText":"new\n"}]}]}})");
  CHECK(
      json::serialize(encode(edit, WorkspaceEditForm::Changes)) ==
      R"({"edit":{"changes":{"file:///w/doc.md":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":5}},"newText":"new\n"}]}}})");
}

TEST_CASE("commands, code actions, questions and progress on the wire") {
  CHECK(decode_execute_command(json::parse(R"({"command": "c"})")).argument == json::object{});
  CHECK(decode_execute_command(json::parse(R"({"command": "c", "arguments": []})")).argument ==
        json::object{});
  CHECK(decode_execute_command(json::parse(R"({"command": "c", "arguments": [{"a": 1}, 2]})"))
            .argument == json::object{{"a", 1}});
  CHECK(decode_code_action(
            json::parse(R"({"textDocument": {"uri": "u"}, "context": {"diagnostics": []}})"))
            .only == std::nullopt);
  CHECK(decode_code_action(
            json::parse(R"({"textDocument": {"uri": "u"}, "context": {"only": ["quickfix"]}})"))
            .only == std::vector<std::string>{"quickfix"});

  const CodeAction action{"Run", "agentDoc", {"Run", "agentDoc.run", json::object{{"uri", "u"}}}};
  CHECK(
      json::serialize(encode(action)) ==
      R"({"title":"Run","kind":"agentDoc","command":{"title":"Run","command":"agentDoc.run","arguments":[{"uri":"u"}]}})");
  const ShowMessageRequestParams question{
      MessageType::Info, "May I?", {{"Yes", {{"agentDocOption", "y"}}}, {"No", {}}}};
  CHECK(
      json::serialize(encode(question)) ==
      R"({"type":3,"message":"May I?","actions":[{"title":"Yes","agentDocOption":"y"},{"title":"No"}]})");
  CHECK(
      json::serialize(encode_progress_begin("t", "claude", "thinking")) ==
      R"({"token":"t","value":{"kind":"begin","title":"claude","cancellable":true,"message":"thinking"}})");
  CHECK(json::serialize(encode_progress_report("t", "writing")) ==
        R"({"token":"t","value":{"kind":"report","cancellable":true,"message":"writing"}})");
  CHECK(json::serialize(encode_progress_end("t", "")) == R"({"token":"t","value":{"kind":"end"}})");
  CHECK(decode_progress_cancel(json::parse(R"({"token": "t"})")) == "t");
  CHECK(decode_progress_cancel(json::parse(R"({"token": 5})")).empty());
}

}  // namespace protocol_lsp_test
