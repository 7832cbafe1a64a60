#include "protocol/lsp.hpp"

#include "protocol/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace agent_doc::protocol {

namespace json = boost::json;

namespace {

/// Follows nested objects; returns null as soon as one is missing or has another type. A malformed
/// capability counts as absent and is never an error.
const json::value* look(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* at = &from;
  for (const std::string_view name : path) {
    const json::object* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

bool is_true(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* value = look(from, path);
  return value != nullptr && value->is_bool() && value->get_bool();
}

bool is_object(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* value = look(from, path);
  return value != nullptr && value->is_object();
}

HoverForm hover_form(const json::value& capabilities) {
  const json::value* formats = look(capabilities, {"textDocument", "hover", "contentFormat"});
  if (formats == nullptr || !formats->is_array()) return HoverForm::String;
  for (const json::value& format : formats->get_array()) {
    if (format == "markdown") return HoverForm::Markdown;
    if (format == "plaintext") return HoverForm::PlainText;
  }
  return HoverForm::String;
}

bool lists_event_symbols(const json::value& capabilities) {
  const json::value* kinds =
      look(capabilities, {"textDocument", "documentSymbol", "symbolKind", "valueSet"});
  if (kinds == nullptr || !kinds->is_array()) return false;
  const json::array& listed = kinds->get_array();
  return std::find(listed.begin(), listed.end(),
                   json::value(static_cast<int>(SymbolKind::Event))) != listed.end();
}

std::vector<text::PositionEncoding> encodings(const json::value& capabilities) {
  std::vector<text::PositionEncoding> known;
  const json::value* listed = look(capabilities, {"general", "positionEncodings"});
  if (listed == nullptr || !listed->is_array()) return known;
  for (const json::value& name : listed->get_array()) {
    if (!name.is_string()) continue;
    for (const auto encoding : {text::PositionEncoding::Utf8, text::PositionEncoding::Utf16,
                                text::PositionEncoding::Utf32}) {
      if (std::string_view(name.get_string()) == text::name_of(encoding)) known.push_back(encoding);
    }
  }
  return known;
}

ClientCapabilities capabilities_of(const json::value& json) {
  ClientCapabilities capabilities;
  const json::value* operations = look(json, {"workspace", "workspaceEdit", "resourceOperations"});
  capabilities.applyEdit = is_true(json, {"workspace", "applyEdit"});
  capabilities.documentChanges = is_true(json, {"workspace", "workspaceEdit", "documentChanges"}) ||
                                 (operations != nullptr && operations->is_array());
  capabilities.workDoneProgress = is_true(json, {"window", "workDoneProgress"});
  capabilities.codeActionLiterals =
      is_object(json, {"textDocument", "codeAction", "codeActionLiteralSupport"});
  capabilities.codeLensRefresh = is_true(json, {"workspace", "codeLens", "refreshSupport"});
  capabilities.showDocument = is_true(json, {"window", "showDocument", "support"});
  capabilities.hierarchicalSymbols =
      is_true(json, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"});
  capabilities.publishDiagnostics = is_object(json, {"textDocument", "publishDiagnostics"});
  capabilities.eventSymbols = lists_event_symbols(json);
  capabilities.hover = hover_form(json);
  capabilities.positionEncodings = encodings(json);
  capabilities.turn = is_true(json, {"experimental", "agentDoc", "turn"});
  capabilities.reply = is_true(json, {"experimental", "agentDoc", "reply"});
  capabilities.strictEdits = is_true(json, {"experimental", "agentDoc", "strictEdits"});
  capabilities.slowEdits = is_true(json, {"experimental", "agentDoc", "slowEdits"});
  return capabilities;
}

std::vector<WorkspaceFolder> folders(const Fields& fields, std::string_view name) {
  std::vector<WorkspaceFolder> result;
  if (fields.optional_array(name) == nullptr) return result;
  for (const Fields& folder : fields.objects(name)) result.push_back({folder.string("uri")});
  return result;
}

json::value progress(std::string_view token, json::object value) {
  return json::object{{"token", token}, {"value", std::move(value)}};
}

/// FileOperationRegistrationOptions. Folders are included, because renaming one renames the
/// documents in it.
json::object renames_of_markdown() {
  const auto filter = [](std::string_view glob, std::string_view kind) {
    return json::object{{"scheme", "file"},
                        {"pattern", json::object{{"glob", glob}, {"matches", kind}}}};
  };
  return json::object{
      {"filters", json::array{filter("**/*.md", "file"), filter("**/*.markdown", "file"),
                              filter("**", "folder")}}};
}

}  // namespace

text::Position decode_position(const Fields& fields) {
  text::Position position;
  position.line = static_cast<std::uint32_t>(fields.integer("line", kUnsignedRange));
  position.column = static_cast<std::uint32_t>(fields.integer("character", kUnsignedRange));
  return position;
}

text::Range decode_range(const Fields& fields) {
  return {decode_position(fields.object("start")), decode_position(fields.object("end"))};
}

json::value encode_position(text::Position position) {
  return json::object{{"line", position.line}, {"character", position.column}};
}

json::value encode_range(const text::Range& range) {
  return json::object{{"start", encode_position(range.start)}, {"end", encode_position(range.end)}};
}

InitializeParams decode_initialize(const json::value& params) {
  const Fields fields(params, "params");
  InitializeParams result;
  result.processId = fields.optional_integer("processId");
  if (const auto client = fields.optional_object("clientInfo")) {
    result.clientName = client->string("name");
    result.clientVersion = client->optional_string("version").value_or("");
  }
  result.workspaceFolders = folders(fields, "workspaceFolders");
  if (result.workspaceFolders.empty()) {
    const std::string root = fields.optional_string("rootUri").value_or("");
    if (!root.empty()) result.workspaceFolders.push_back({root});
    if (root.empty()) result.rootPath = fields.optional_string("rootPath").value_or("");
  }
  if (fields.optional_object("capabilities"))
    result.capabilities = capabilities_of(fields.any("capabilities"));
  return result;
}

text::PositionEncoding negotiate(const std::vector<text::PositionEncoding>& listed) {
  const auto lists = [&](text::PositionEncoding encoding) {
    return std::find(listed.begin(), listed.end(), encoding) != listed.end();
  };
  if (lists(text::PositionEncoding::Utf8)) return text::PositionEncoding::Utf8;
  if (lists(text::PositionEncoding::Utf32) && !lists(text::PositionEncoding::Utf16))
    return text::PositionEncoding::Utf32;
  return text::PositionEncoding::Utf16;
}

json::value encode(const InitializeResult& result) {
  json::array commands(result.commands.begin(), result.commands.end());
  json::value code_actions(true);
  if (!result.codeActionKinds.empty()) {
    code_actions = json::object{{"codeActionKinds", json::array(result.codeActionKinds.begin(),
                                                                result.codeActionKinds.end())}};
  }
  json::object capabilities{
      {"positionEncoding", text::name_of(result.positionEncoding)},
      {"textDocumentSync",
       json::object{
           {"openClose", true}, {"change", 2}, {"save", json::object{{"includeText", false}}}}},
      {"codeActionProvider", std::move(code_actions)},
      {"codeLensProvider", json::object{}},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"hoverProvider", true},
      {"completionProvider", json::object{{"triggerCharacters", json::array{":"}}}},
      {"executeCommandProvider", json::object{{"commands", std::move(commands)}}},
      {"workspace",
       json::object{
           {"workspaceFolders", json::object{{"supported", true}, {"changeNotifications", true}}},
           {"fileOperations", json::object{{"didRename", renames_of_markdown()}}}}},
      {"experimental", json::object{{"agentDoc", json::object{{"protocol", result.protocol},
                                                              {"version", result.serverVersion}}}}},
  };
  return json::object{
      {"capabilities", std::move(capabilities)},
      {"serverInfo", json::object{{"name", result.serverName}, {"version", result.serverVersion}}},
  };
}

DidChangeWorkspaceFoldersParams decode_did_change_workspace_folders(const json::value& params) {
  const Fields event = Fields(params, "params").object("event");
  return {folders(event, "added"), folders(event, "removed")};
}

DidOpenTextDocumentParams decode_did_open(const json::value& params) {
  const Fields document = Fields(params, "params").object("textDocument");
  return {document.string("uri"), document.optional_string("languageId").value_or(""),
          document.integer("version"), document.string("text")};
}

DidChangeTextDocumentParams decode_did_change(const json::value& params) {
  const Fields fields(params, "params");
  const Fields document = fields.object("textDocument");
  DidChangeTextDocumentParams result{document.string("uri"), document.integer("version"), {}};
  for (const Fields& change : fields.objects("contentChanges")) {
    TextDocumentContentChangeEvent event;
    if (const auto range = change.optional_object("range")) event.range = decode_range(*range);
    event.text = change.string("text");
    result.contentChanges.push_back(std::move(event));
  }
  return result;
}

std::vector<FileRename> decode_did_rename_files(const json::value& params) {
  std::vector<FileRename> renames;
  for (const Fields& file : Fields(params, "params").objects("files"))
    renames.push_back({file.string("oldUri"), file.string("newUri")});
  return renames;
}

std::string decode_text_document_uri(const json::value& params) {
  return Fields(params, "params").object("textDocument").string("uri");
}

json::value encode(const ApplyWorkspaceEditParams& edit, WorkspaceEditForm form) {
  json::array edits;
  edits.push_back(json::object{{"range", encode_range(edit.range)}, {"newText", edit.newText}});
  json::object workspace_edit;
  if (form == WorkspaceEditForm::DocumentChanges) {
    json::array documents;
    documents.push_back(json::object{
        {"textDocument", json::object{{"uri", edit.uri}, {"version", edit.version}}},
        {"edits", std::move(edits)},
    });
    workspace_edit["documentChanges"] = std::move(documents);
  } else {
    workspace_edit["changes"] = json::object{{edit.uri, std::move(edits)}};
  }
  return json::object{{"edit", std::move(workspace_edit)}};
}

bool decode_applied(const json::value& result) {
  return Fields(result, "result").boolean("applied");
}

ExecuteCommandParams decode_execute_command(const json::value& params) {
  const Fields fields(params, "params");
  ExecuteCommandParams result{fields.string("command"), json::object{}};
  const json::array* arguments = fields.optional_array("arguments");
  if (arguments != nullptr && !arguments->empty()) result.argument = arguments->front();
  return result;
}

CodeActionParams decode_code_action(const json::value& params) {
  const Fields fields(params, "params");
  CodeActionParams result;
  result.uri = fields.object("textDocument").string("uri");
  if (const auto range = fields.optional_object("range")) result.range = decode_range(*range);
  const auto context = fields.optional_object("context");
  if (context && context->optional_array("only") != nullptr) result.only = context->strings("only");
  constexpr std::int64_t kAutomatic = 2;
  if (context && context->optional_integer("triggerKind") == kAutomatic)
    result.trigger = CodeActionTrigger::Automatic;
  return result;
}

json::value encode(const Command& command) {
  return json::object{{"title", command.title},
                      {"command", command.command},
                      {"arguments", json::array{command.argument}}};
}

json::value encode(const CodeAction& action) {
  return json::object{
      {"title", action.title}, {"kind", action.kind}, {"command", encode(action.command)}};
}

json::value encode(const CodeLens& lens) {
  return json::object{{"range", encode_range(lens.range)}, {"command", encode(lens.command)}};
}

TextDocumentPositionParams decode_text_document_position(const json::value& params) {
  const Fields fields(params, "params");
  return {fields.object("textDocument").string("uri"), decode_position(fields.object("position"))};
}

json::value encode(const DocumentSymbol& symbol) {
  json::array children;
  for (const DocumentSymbol& child : symbol.children) children.push_back(encode(child));
  return json::object{
      {"name", symbol.name},
      {"detail", symbol.detail},
      {"kind", static_cast<int>(symbol.kind)},
      {"range", encode_range(symbol.range)},
      {"selectionRange", encode_range(symbol.selectionRange)},
      {"children", std::move(children)},
  };
}

json::value encode_symbol_information(const DocumentSymbol& symbol, std::string_view uri) {
  return json::object{
      {"name", symbol.name},
      {"kind", static_cast<int>(symbol.kind)},
      {"location", json::object{{"uri", uri}, {"range", encode_range(symbol.range)}}},
  };
}

json::value encode(const FoldingRange& range) {
  return json::object{
      {"startLine", range.startLine}, {"endLine", range.endLine}, {"kind", "region"}};
}

json::value encode(const Hover& hover) {
  json::value contents(hover.value);
  if (hover.form != HoverForm::String) {
    contents = json::object{{"kind", hover.form == HoverForm::Markdown ? "markdown" : "plaintext"},
                            {"value", hover.value}};
  }
  return json::object{{"contents", std::move(contents)}, {"range", encode_range(hover.range)}};
}

json::value encode(const CompletionItem& item) {
  json::object object{{"label", item.label}, {"kind", static_cast<int>(item.kind)}};
  if (!item.detail.empty()) object["detail"] = item.detail;
  if (!item.documentation.empty()) object["documentation"] = item.documentation;
  object["textEdit"] = json::object{{"range", encode_range(item.range)}, {"newText", item.newText}};
  return object;
}

json::value encode_publish_diagnostics(std::string_view uri,
                                       const std::vector<Diagnostic>& diagnostics) {
  json::array list;
  for (const Diagnostic& diagnostic : diagnostics) {
    list.push_back(json::object{
        {"range", encode_range(diagnostic.range)},
        {"severity", static_cast<int>(diagnostic.severity)},
        {"code", diagnostic.code},
        {"source", "agent-doc"},
        {"message", diagnostic.message},
    });
  }
  return json::object{{"uri", uri}, {"diagnostics", std::move(list)}};
}

json::value encode_show_document(std::string_view uri) {
  return json::object{{"uri", uri}, {"takeFocus", true}};
}

json::value encode_message(MessageType type, std::string_view message) {
  return json::object{{"type", static_cast<int>(type)}, {"message", message}};
}

json::value encode(const ShowMessageRequestParams& question) {
  json::array actions;
  for (const MessageActionItem& item : question.actions) {
    json::object action{{"title", item.title}};
    for (const auto& property : item.properties) action[property.key()] = property.value();
    actions.push_back(std::move(action));
  }
  json::object params{{"type", static_cast<int>(question.type)},
                      {"message", question.message},
                      {"actions", std::move(actions)}};
  for (const auto& property : question.properties) params[property.key()] = property.value();
  return params;
}

json::value encode_progress_create(std::string_view token) {
  return json::object{{"token", token}};
}

json::value encode_progress_begin(std::string_view token, std::string_view title,
                                  std::string_view message) {
  return progress(
      token, {{"kind", "begin"}, {"title", title}, {"cancellable", true}, {"message", message}});
}

json::value encode_progress_report(std::string_view token, std::string_view message) {
  return progress(token, {{"kind", "report"}, {"cancellable", true}, {"message", message}});
}

json::value encode_progress_end(std::string_view token, std::string_view message) {
  json::object value{{"kind", "end"}};
  if (!message.empty()) value["message"] = message;
  return progress(token, std::move(value));
}

std::string decode_progress_cancel(const json::value& params) {
  const json::value& token = Fields(params, "params").any("token");
  return token.is_string() ? std::string(token.get_string()) : std::string();
}

}  // namespace agent_doc::protocol
