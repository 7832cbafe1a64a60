// What it is: the structs of LSP 3.17 that we use, under their own names (so that a reader can
// search the specification), and their JSON.
// What it is not: complete, nor a mirror: fields that we do not use are not here, and the client's
// capabilities are flattened to what we ask of them. Our own commands and notifications are
// agent_doc.hpp.
// Thread rule: plain values and pure functions. A decoder throws InvalidField (fields.hpp) with the
// path of the field that is wrong.
#pragma once

#include "server/text/position.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::protocol {

class Fields;

// --- places in a text ---

text::Position decode_position(const Fields& fields);
text::Range decode_range(const Fields& fields);
boost::json::value encode_position(text::Position position);
boost::json::value encode_range(const text::Range& range);

// --- initialize ---

/// How a hover may be sent.
enum class HoverForm {
  String,     ///< a MarkedString, which every client takes: LSP had nothing else before 3.3
  PlainText,  ///< MarkupContent of this kind
  Markdown,   ///< MarkupContent of this kind
};

/// What we ask of a client's capabilities; each with the path it comes from, below `capabilities`.
struct ClientCapabilities {
  bool applyEdit = false;           ///< workspace.applyEdit
  bool documentChanges = false;     ///< workspace.workspaceEdit.documentChanges, or
                                    ///< .resourceOperations, which exist in documentChanges only
  bool workDoneProgress = false;    ///< window.workDoneProgress
  bool codeActionLiterals = false;  ///< textDocument.codeAction.codeActionLiteralSupport
  bool codeLensRefresh = false;     ///< workspace.codeLens.refreshSupport
  bool showDocument = false;        ///< window.showDocument.support
  bool hierarchicalSymbols =
      false;  ///< textDocument.documentSymbol.hierarchicalDocumentSymbolSupport
  bool eventSymbols =
      false;  ///< textDocument.documentSymbol.symbolKind.valueSet lists SymbolKind::Event
  bool publishDiagnostics = false;      ///< textDocument.publishDiagnostics
  HoverForm hover = HoverForm::String;  ///< textDocument.hover.contentFormat: the first that
                                        ///< exists, for the client prefers it
  std::vector<text::PositionEncoding>
      positionEncodings;  ///< general.positionEncodings, those that exist, in the client's order
  bool turn = false;      ///< experimental.agentDoc.turn: wants `agentDoc/turn`
  bool reply = false;     ///< experimental.agentDoc.reply: wants `agentDoc/reply`
  bool strictEdits =
      false;  ///< experimental.agentDoc.strictEdits: checks versions strictly, wants the fast pace
  bool slowEdits = false;  ///< experimental.agentDoc.slowEdits: takes tens of milliseconds for an
                           ///< edit, however small
};

struct WorkspaceFolder {
  std::string uri;
};

struct InitializeParams {
  std::optional<std::int64_t> processId;
  std::string clientName;                         ///< clientInfo.name
  std::string clientVersion;                      ///< clientInfo.version
  std::vector<WorkspaceFolder> workspaceFolders;  ///< `workspaceFolders`, else `rootUri`
  std::string rootPath;                           ///< of clients that send neither; empty otherwise
  ClientCapabilities capabilities;
};
InitializeParams decode_initialize(const boost::json::value& params);

/// utf-8 when the client lists it, else utf-16 (also when it lists nothing), else utf-32.
text::PositionEncoding negotiate(const std::vector<text::PositionEncoding>& listed);

struct InitializeResult {
  text::PositionEncoding positionEncoding = text::PositionEncoding::Utf16;
  std::string serverName;
  std::string serverVersion;
  int protocol = 0;  ///< experimental.agentDoc.protocol
  std::vector<std::string> commands;
  std::vector<std::string> codeActionKinds;  ///< empty for a client without code action literals,
                                             ///< which takes no options either
};
boost::json::value encode(const InitializeResult& result);

struct DidChangeWorkspaceFoldersParams {
  std::vector<WorkspaceFolder> added;
  std::vector<WorkspaceFolder> removed;
};
DidChangeWorkspaceFoldersParams decode_did_change_workspace_folders(
    const boost::json::value& params);

// --- documents ---

struct DidOpenTextDocumentParams {
  std::string uri;
  std::string languageId;
  std::int64_t version = 0;
  std::string text;
};
DidOpenTextDocumentParams decode_did_open(const boost::json::value& params);

struct TextDocumentContentChangeEvent {
  std::optional<text::Range> range;  ///< nothing: `text` is the whole document
  std::string text;
};
struct DidChangeTextDocumentParams {
  std::string uri;
  std::int64_t version = 0;
  std::vector<TextDocumentContentChangeEvent> contentChanges;
};
DidChangeTextDocumentParams decode_did_change(const boost::json::value& params);

/// One of `files` in `workspace/didRenameFiles`.
struct FileRename {
  std::string oldUri;
  std::string newUri;
};
std::vector<FileRename> decode_did_rename_files(const boost::json::value& params);

/// `textDocument.uri`, all that didSave and didClose tell us, and all that is sure in a didChange
/// that cannot be read otherwise.
std::string decode_text_document_uri(const boost::json::value& params);

// --- edits ---

/// One piece of one document: what we send, and all that we send.
struct ApplyWorkspaceEditParams {
  std::string uri;
  std::int64_t version = 0;
  text::Range range;
  std::string newText;
};
enum class WorkspaceEditForm {
  DocumentChanges,  ///< with the version
  Changes,          ///< for clients without `documentChanges`: unversioned
};
/// Never with a label: Neovim shows it for every edit, and can block on it.
boost::json::value encode(const ApplyWorkspaceEditParams& edit, WorkspaceEditForm form);

/// `applied` of an ApplyWorkspaceEditResult.
bool decode_applied(const boost::json::value& result);

// --- commands and code actions ---

struct ExecuteCommandParams {
  std::string command;
  boost::json::value argument;  ///< the first of `arguments`; an empty object when there is none
};
ExecuteCommandParams decode_execute_command(const boost::json::value& params);

enum class CodeActionTrigger { Invoked, Automatic };
struct CodeActionParams {
  std::string uri;
  std::optional<std::vector<std::string>> only;  ///< context.only
  CodeActionTrigger trigger =
      CodeActionTrigger::Invoked;  ///< context.triggerKind; older clients do not say
};
CodeActionParams decode_code_action(const boost::json::value& params);

struct Command {
  std::string title;
  std::string command;
  boost::json::value argument;
};
boost::json::value encode(const Command& command);

struct CodeAction {
  std::string title;
  std::string kind;
  Command command;
};
boost::json::value encode(const CodeAction& action);

struct CodeLens {
  text::Range range;
  Command command;
};
boost::json::value encode(const CodeLens& lens);

// --- what is told about a place in a document ---

struct TextDocumentPositionParams {
  std::string uri;
  text::Position position;
};
TextDocumentPositionParams decode_text_document_position(const boost::json::value& params);

/// Some of SymbolKind; Event is the nearest to a turn. Every client knows those up to 18, others
/// only if it says so.
enum class SymbolKind : int { Namespace = 3, String = 15, Event = 24 };
struct DocumentSymbol {
  std::string name;
  std::string detail;
  SymbolKind kind = SymbolKind::Event;
  text::Range range;
  text::Range selectionRange;
  std::vector<DocumentSymbol> children;
};
boost::json::value encode(const DocumentSymbol& symbol);
/// For clients without hierarchical symbols: a SymbolInformation, without the children.
boost::json::value encode_symbol_information(const DocumentSymbol& symbol, std::string_view uri);

struct FoldingRange {
  std::uint32_t startLine = 0;
  std::uint32_t endLine = 0;
};
boost::json::value encode(const FoldingRange& range);

struct Hover {
  HoverForm form = HoverForm::String;
  std::string value;
  text::Range range;
};
boost::json::value encode(const Hover& hover);

/// Some of CompletionItemKind.
enum class CompletionItemKind : int { Property = 10, Value = 12 };
struct CompletionItem {
  std::string label;
  CompletionItemKind kind = CompletionItemKind::Value;
  std::string detail;         ///< left out when empty
  std::string documentation;  ///< left out when empty
  text::Range range;          ///< what `newText` replaces
  std::string newText;
};
boost::json::value encode(const CompletionItem& item);

enum class DiagnosticSeverity : int { Error = 1, Warning = 2, Information = 3 };
struct Diagnostic {
  text::Range range;
  DiagnosticSeverity severity = DiagnosticSeverity::Warning;
  std::string code;
  std::string message;
};
/// Without a version: some clients drop what is said about an older one, and ask no more.
boost::json::value encode_publish_diagnostics(std::string_view uri,
                                              const std::vector<Diagnostic>& diagnostics);

/// `window/showDocument`, with the focus.
boost::json::value encode_show_document(std::string_view uri);

// --- messages ---

enum class MessageType : int { Error = 1, Warning = 2, Info = 3, Log = 4 };

/// `window/showMessage` and `window/logMessage`.
boost::json::value encode_message(MessageType type, std::string_view message);

struct MessageActionItem {
  std::string title;
  boost::json::object
      properties;  ///< more than the title, for clients that ask for it; comes back with the answer
};
struct ShowMessageRequestParams {
  MessageType type = MessageType::Info;
  std::string message;
  std::vector<MessageActionItem> actions;
  boost::json::object properties = {};  ///< more than LSP has, for clients that ask for it
};
boost::json::value encode(const ShowMessageRequestParams& question);

// --- work-done progress ---

boost::json::value encode_progress_create(std::string_view token);
/// `$/progress` with a WorkDoneProgressBegin that can be cancelled.
boost::json::value encode_progress_begin(std::string_view token, std::string_view title,
                                         std::string_view message);
boost::json::value encode_progress_report(std::string_view token, std::string_view message);
boost::json::value encode_progress_end(std::string_view token, std::string_view message);
/// The token of `window/workDoneProgress/cancel`; empty for a number, which is never one of ours.
std::string decode_progress_cancel(const boost::json::value& params);

}  // namespace agent_doc::protocol
