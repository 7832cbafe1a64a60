// The parts of LSP 3.17 that we use, under the names of the specification, and their JSON. Neither
// complete nor a mirror: unused fields are left out, and the client's capabilities are flattened
// into the questions that we ask. Our own commands and notifications are in agent_doc.hpp. Decoders
// throw InvalidField (fields.hpp) with the path of the bad field.
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

/// The forms in which a hover can be sent.
enum class HoverForm {
  String,     ///< a MarkedString, which every client accepts: LSP before 3.3 had nothing else
  PlainText,  ///< MarkupContent of kind "plaintext"
  Markdown,   ///< MarkupContent of kind "markdown"
};

/// The client capabilities that we use, each with its path below `capabilities`.
struct ClientCapabilities {
  bool applyEdit = false;  ///< workspace.applyEdit
  /// workspace.workspaceEdit.documentChanges, or .resourceOperations, which implies it.
  bool documentChanges = false;
  bool workDoneProgress = false;    ///< window.workDoneProgress
  bool codeActionLiterals = false;  ///< textDocument.codeAction.codeActionLiteralSupport
  bool codeLensRefresh = false;     ///< workspace.codeLens.refreshSupport
  bool showDocument = false;        ///< window.showDocument.support
  /// textDocument.documentSymbol.hierarchicalDocumentSymbolSupport
  bool hierarchicalSymbols = false;
  /// textDocument.documentSymbol.symbolKind.valueSet lists SymbolKind::Event.
  bool eventSymbols = false;
  bool publishDiagnostics = false;  ///< textDocument.publishDiagnostics
  /// textDocument.hover.contentFormat: the first known entry, which the client prefers.
  HoverForm hover = HoverForm::String;
  /// general.positionEncodings: the known ones, in the client's order.
  std::vector<text::PositionEncoding> positionEncodings;
  bool turn = false;   ///< experimental.agentDoc.turn: wants `agentDoc/turn`
  bool reply = false;  ///< experimental.agentDoc.reply: wants `agentDoc/reply`
  /// experimental.agentDoc.strictEdits: checks versions strictly and wants the fast pace.
  bool strictEdits = false;
  /// experimental.agentDoc.slowEdits: needs tens of milliseconds for any edit.
  bool slowEdits = false;
};

struct WorkspaceFolder {
  std::string uri;
};

struct InitializeParams {
  std::optional<std::int64_t> processId;
  std::string clientName;                         ///< clientInfo.name
  std::string clientVersion;                      ///< clientInfo.version
  std::vector<WorkspaceFolder> workspaceFolders;  ///< `workspaceFolders`, or else `rootUri`
  std::string rootPath;  ///< from clients that send neither; otherwise empty
  ClientCapabilities capabilities;
};
InitializeParams decode_initialize(const boost::json::value& params);

/// Returns utf-8 when the client lists it, else utf-16 when it lists that or nothing at all, else
/// utf-32.
text::PositionEncoding negotiate(const std::vector<text::PositionEncoding>& listed);

struct InitializeResult {
  text::PositionEncoding positionEncoding = text::PositionEncoding::Utf16;
  std::string serverName;
  std::string serverVersion;
  int protocol = 0;  ///< experimental.agentDoc.protocol
  std::vector<std::string> commands;
  /// Empty for clients without code action literals, which take no options either.
  std::vector<std::string> codeActionKinds;
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
  std::optional<text::Range> range;  ///< absent: `text` is the whole document
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

/// Returns `textDocument.uri`: all that didSave and didClose carry, and all that is certain in a
/// didChange that cannot be decoded otherwise.
std::string decode_text_document_uri(const boost::json::value& params);

// --- edits ---

/// An edit with a single replacement in a single document, the only kind that we send.
struct ApplyWorkspaceEditParams {
  std::string uri;
  std::int64_t version = 0;
  text::Range range;
  std::string newText;
};
enum class WorkspaceEditForm {
  DocumentChanges,  ///< with the document's version
  Changes,          ///< without a version, for clients without `documentChanges`
};
/// Encodes the edit without a label: Neovim shows the label of every edit and can block on it.
boost::json::value encode(const ApplyWorkspaceEditParams& edit, WorkspaceEditForm form);

/// Returns `applied` of an ApplyWorkspaceEditResult.
bool decode_applied(const boost::json::value& result);

// --- commands and code actions ---

struct ExecuteCommandParams {
  std::string command;
  boost::json::value argument;  ///< the first of `arguments`, or an empty object
};
ExecuteCommandParams decode_execute_command(const boost::json::value& params);

enum class CodeActionTrigger { Invoked, Automatic };
struct CodeActionParams {
  std::string uri;
  text::Range range;
  std::optional<std::vector<std::string>> only;  ///< context.only
  /// context.triggerKind, which older clients do not send.
  CodeActionTrigger trigger = CodeActionTrigger::Invoked;
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

// --- features at a position ---

struct TextDocumentPositionParams {
  std::string uri;
  text::Position position;
};
TextDocumentPositionParams decode_text_document_position(const boost::json::value& params);

/// A subset of SymbolKind; Event comes closest to a turn. Every client knows the kinds up to 18,
/// and further ones only if it says so.
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
/// Encodes a SymbolInformation without the children, for clients without hierarchical symbols.
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

/// A subset of CompletionItemKind.
enum class CompletionItemKind : int { Property = 10, Value = 12 };
struct CompletionItem {
  std::string label;
  CompletionItemKind kind = CompletionItemKind::Value;
  std::string detail;         ///< omitted when empty
  std::string documentation;  ///< omitted when empty
  text::Range range;          ///< the range that `newText` replaces
  std::string newText;
};
boost::json::value encode(const CompletionItem& item);

enum class DiagnosticSeverity : int { Error = 1, Warning = 2, Information = 3, Hint = 4 };
struct Diagnostic {
  text::Range range;
  DiagnosticSeverity severity = DiagnosticSeverity::Warning;
  std::string code;
  std::string message;
};
/// Encodes diagnostics without a version: some clients drop those of an older version and do not
/// ask again.
boost::json::value encode_publish_diagnostics(std::string_view uri,
                                              const std::vector<Diagnostic>& diagnostics);

/// Encodes `window/showDocument`, with `takeFocus`.
boost::json::value encode_show_document(std::string_view uri);

// --- messages ---

enum class MessageType : int { Error = 1, Warning = 2, Info = 3, Log = 4 };

/// Encodes the params of `window/showMessage` and `window/logMessage`.
boost::json::value encode_message(MessageType type, std::string_view message);

struct MessageActionItem {
  std::string title;
  /// Additional properties, for clients that support them; they come back with the answer.
  boost::json::object properties;
};
struct ShowMessageRequestParams {
  MessageType type = MessageType::Info;
  std::string message;
  std::vector<MessageActionItem> actions;
  boost::json::object properties = {};  ///< extensions of LSP, for clients that ask for them
};
boost::json::value encode(const ShowMessageRequestParams& question);

// --- work-done progress ---

boost::json::value encode_progress_create(std::string_view token);
/// Encodes `$/progress` with a cancellable WorkDoneProgressBegin.
boost::json::value encode_progress_begin(std::string_view token, std::string_view title,
                                         std::string_view message);
boost::json::value encode_progress_report(std::string_view token, std::string_view message);
boost::json::value encode_progress_end(std::string_view token, std::string_view message);
/// Returns the token of `window/workDoneProgress/cancel`, or an empty string for a number, which is
/// never one of ours.
std::string decode_progress_cancel(const boost::json::value& params);

}  // namespace agent_doc::protocol
