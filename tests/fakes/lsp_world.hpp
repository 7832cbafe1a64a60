// What it is: a language server and an editor in one thread without any I/O: messages wait in
// queues and are delivered one by one, so that nothing is re-entrant, as in the real server. The
// editor checks versions strictly and reports its changes before it answers, as VS Code does. All
// that is said is checked against the schema of the protocol.
// What it is not: the real program (tests/e2e), nor an editor that misbehaves (tests/simulation).
// Thread rule: one thread.
#pragma once

#include "protocol/endpoint.hpp"
#include "protocol/fields.hpp"
#include "protocol/lsp.hpp"
#include "server/lsp/language_server.hpp"
#include "server/text/text_buffer.hpp"
#include "tests/fakes/manual_environment.hpp"
#include "tests/fakes/wire_check.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

namespace json = boost::json;

inline constexpr std::string_view kUri = "file:///w/doc.md";

/// What the first run of a document writes above it, in the world's first session.
inline const std::string kFrontMatter =
    "---\nagent_doc_session: uuid-2\nagent: claude\nresume: s-1\n---\n\n";

/// What VS Code says that it can.
inline constexpr std::string_view kAllCapabilities = R"({
  "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}},
  "window": {"workDoneProgress": true},
  "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}}})";
/// What shows a document's turns and problems, beside that.
inline constexpr std::string_view kShowingCapabilities = R"({
  "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}, "codeLens": {"refreshSupport": true}},
  "window": {"showDocument": {"support": true}},
  "textDocument": {
    "publishDiagnostics": {}, "hover": {"contentFormat": ["markdown", "plaintext"]},
    "documentSymbol": {"hierarchicalDocumentSymbolSupport": true, "symbolKind": {"valueSet": [1, 15, 24]}}}})";
/// As little as a reply needs.
inline constexpr std::string_view kPlainCapabilities =
    R"({"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}}})";
/// As our own plugins.
inline constexpr std::string_view kPluginCapabilities = R"({
  "workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true}},
  "experimental": {"agentDoc": {"turn": true, "reply": true, "strictEdits": true}}})";

class LspWorld {
  std::deque<std::string>
      to_server_;  ///< first, so that they are still there when everything else is destroyed
  std::deque<std::string> to_client_;

 public:
  std::vector<std::string> sent;  ///< all that the server sent, in order

  /// A connection on which nothing was said yet.
  LspWorld()
      : client(protocol::Endpoint::make(
            [this](std::string body) { to_server_.push_back(std::move(body)); },
            [this](std::string_view line) { client_log.emplace_back(line); })),
        server(std::make_unique<lsp::LanguageServer>(environment, [this](std::string body) {
          sent.push_back(body);
          to_client_.push_back(std::move(body));
        })) {
    for (const char* method :
         {"window/showMessage", "window/logMessage", "$/progress", "agentDoc/turn",
          "agentDoc/reply", "textDocument/publishDiagnostics"}) {
      client->on_notification(
          method, [this, method](const json::value& params) { heard[method].push_back(params); });
    }
    client->on_request("workspace/applyEdit",
                       [this](const json::value& params, protocol::Replier reply) {
                         on_apply_edit(params, std::move(reply));
                       });
    client->on_request("window/workDoneProgress/create",
                       [this](const json::value& params, protocol::Replier reply) {
                         heard["window/workDoneProgress/create"].push_back(params);
                         create_replies.push_back(std::move(reply));
                         if (answers_create) answer_create();
                       });
    for (const char* method : {"workspace/codeLens/refresh", "window/showDocument"}) {
      client->on_request(method,
                         [this, method](const json::value& params, protocol::Replier reply) {
                           heard[method].push_back(params);
                           reply.result(nullptr);
                         });
    }
    client->on_request("window/showMessageRequest",
                       [this](const json::value& params, protocol::Replier reply) {
                         questions.push_back({params, std::move(reply)});
                       });
  }

  /// Initialized, with `text` open as kUri.
  LspWorld(std::string_view capabilities, std::string text) : LspWorld() {
    initialize(capabilities);
    open(std::move(text));
  }

  /// The connection goes first: what was not answered stays so.
  ~LspWorld() { client->close(); }

  // --- the client ---
  json::value initialize(std::string_view capabilities, std::string_view name = "Test Editor") {
    const json::value params = json::object{
        {"processId", nullptr},
        {"clientInfo", json::object{{"name", name}}},
        {"workspaceFolders", json::array{json::object{{"uri", "file:///w"}, {"name", "w"}}}},
        {"capabilities", json::parse(capabilities)}};
    const json::value result = std::get<json::value>(call("initialize", params));
    for (const auto one : {text::PositionEncoding::Utf8, text::PositionEncoding::Utf16,
                           text::PositionEncoding::Utf32}) {
      if (result.at("capabilities").at("positionEncoding").as_string() == text::name_of(one))
        encoding = one;
    }
    notify("initialized", json::object{});
    return result;
  }
  void open(std::string text, std::string_view uri = kUri, std::string_view language = "markdown") {
    editor = text::TextBuffer(text);
    version = 1;
    notify("textDocument/didOpen",
           json::object{
               {"textDocument",
                json::object{
                    {"uri", uri}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  }
  void close() {
    notify("textDocument/didClose",
           json::object{{"textDocument", json::object{{"uri", typed_uri}}}});
  }
  /// Tells that the file has another name; the document is still open by the old one.
  void rename(std::string_view from, std::string_view to) {
    const json::object file{{"oldUri", from}, {"newUri", to}};
    notify("workspace/didRenameFiles", json::object{{"files", json::array{file}}});
  }
  void notify(std::string_view method, const json::value& params) {
    client->notify(method, params);
    settle();
  }
  protocol::Result call(std::string_view method, const json::value& params) {
    std::optional<protocol::Result> answer;
    client->request(method, params, [&](protocol::Result result) { answer = std::move(result); });
    settle();
    return answer ? std::move(*answer)
                  : protocol::Result(
                        protocol::Error{protocol::ErrorCode::InternalError, "no answer", nullptr});
  }
  protocol::Result command(std::string_view name, const json::value& argument) {
    return call("workspace/executeCommand",
                json::object{{"command", name}, {"arguments", json::array{argument}}});
  }
  /// The id of the turn that began; empty when it was refused.
  std::string run() {
    const auto result = command("agentDoc.run", json::object{{"uri", typed_uri}});
    const auto* value = std::get_if<json::value>(&result);
    return value == nullptr ? std::string() : std::string(value->at("turn").as_string());
  }
  /// The person types; the server hears of it with the next message.
  void type(std::size_t at, std::string typed) {
    const text::Position position = editor.position_of(at, encoding);
    change({position, position}, std::move(typed));
  }

  // --- time ---
  /// Delivers all messages, and calls what is due now.
  void settle() {
    while (deliver_one() || environment.call_one()) {
    }
  }
  void pass(std::chrono::milliseconds time) {
    const session::TimePoint until = environment.clock + time;
    settle();
    for (auto next = environment.next_call(); next && *next <= until;
         next = environment.next_call()) {
      environment.clock = std::max(environment.clock, *next);
      settle();
    }
    environment.clock = until;
    settle();
  }

  ScriptedAgent& agent() { return environment.agents_started.last(); }
  std::string last_state() const {
    const auto found = heard.find("agentDoc/turn");
    return found == heard.end() ? std::string()
                                : std::string(found->second.back().at("state").as_string());
  }

  void answer_create() {
    create_replies.back().result(nullptr);
    settle();
  }

  enum class Editing {
    Strict,    ///< applies an edit of its version, refuses any other
    Refuses,   ///< `applied: false`
    Errors,    ///< a JSON-RPC error
    IsSilent,  ///< applies nothing, answers nothing
  };

  WireCheck wire_check;
  ManualEnvironment environment;
  std::shared_ptr<protocol::Endpoint> client;
  std::unique_ptr<lsp::LanguageServer> server;

  std::string typed_uri{
      kUri};  ///< of the document that is typed in; what is told of others changes nothing here
  text::TextBuffer editor;
  std::int64_t version = 0;
  text::PositionEncoding encoding = text::PositionEncoding::Utf16;
  Editing editing = Editing::Strict;
  bool answers_create = true;

  struct Question {
    json::value params;
    protocol::Replier reply;
  };
  std::map<std::string, std::vector<json::value>, std::less<>>
      heard;                       ///< notifications and some requests, by method
  std::vector<json::value> edits;  ///< params of workspace/applyEdit
  std::vector<protocol::Replier> create_replies;
  std::vector<Question> questions;
  std::vector<protocol::Replier> silent_edits;
  std::vector<std::string> client_log;

 private:
  bool deliver_one() {
    if (!to_server_.empty()) {
      const std::string body = std::exchange(to_server_.front(), {});
      to_server_.pop_front();
      wire_check.from_client(body);
      server->receive(body);
      return true;
    }
    if (to_client_.empty()) return false;
    const std::string body = std::exchange(to_client_.front(), {});
    to_client_.pop_front();
    wire_check.from_server(body);
    for (const std::string& problem : wire_check.take_problems()) FAIL_CHECK(problem);
    client->receive(body);
    return true;
  }

  void change(const text::Range& range, std::string replacement) {
    editor.apply({editor.offset_of(range.start, encoding), editor.offset_of(range.end, encoding),
                  replacement});
    json::object event{{"range", protocol::encode_range(range)}, {"text", replacement}};
    client->notify(
        "textDocument/didChange",
        json::object{{"textDocument", json::object{{"uri", typed_uri}, {"version", ++version}}},
                     {"contentChanges", json::array{std::move(event)}}});
  }

  void on_apply_edit(const json::value& params, protocol::Replier reply) {
    edits.push_back(params);
    if (editing == Editing::IsSilent) return silent_edits.push_back(std::move(reply));
    if (editing == Editing::Errors)
      return reply.error({protocol::ErrorCode::InternalError, "the buffer is busy", nullptr});
    const json::object& edit = params.at("edit").as_object();
    const json::value* versioned = edit.if_contains("documentChanges");
    const bool current = versioned == nullptr ||
                         versioned->at(0).at("textDocument").at("version").as_int64() == version;
    if (editing == Editing::Refuses || !current)
      return reply.result(json::object{{"applied", false}});
    const json::value& piece = versioned != nullptr ? versioned->at(0).at("edits").at(0)
                                                    : edit.at("changes").at(typed_uri).at(0);
    change(protocol::decode_range(protocol::Fields(piece.at("range"), "range")),
           std::string(piece.at("newText").as_string()));
    reply.result(json::object{{"applied", true}});
  }
};

}  // namespace agent_doc::fakes
