// What it is: documents as VS Code holds them, for tests: a text and a version per document,
// applyEdit accepted only at exactly that version and refused without a reason otherwise, didChange
// (incremental, in UTF-16 unless told otherwise) sent before the answer. A test types into a
// document at any time by byte offset or by a caret that moves along.
// What it is not: forgiving. What an editor may do anything with (positions that do not exist,
// overlapping or empty edits, no version, a label, a document that is not open) is refused and
// written down in violations(), which a test checks to be empty. It shares no code with server/text
// on purpose.
// Thread rule: one thread. The Editor must live as long as the endpoint receives.
//
//   LspClient client({...});
//   Editor editor(client.endpoint());
//   client.initialize();
//   EditorModel& document = editor.open("file:///tmp/a.md", "Hello\n");
//   const Caret person = document.add_caret(5);
//   client.notify(...); client.run_for(25ms); document.type(person, "!");
//   CHECK(document.text() == ...); CHECK(editor.violations().empty());
#pragma once

#include "protocol/endpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

enum class ColumnUnit { Utf8, Utf16 };

/// Names one caret of one document.
enum class Caret : std::size_t {};

class EditorModel {
 public:
  EditorModel(protocol::Endpoint& endpoint, std::string uri, std::string text, std::int64_t version,
              ColumnUnit unit);

  const std::string& uri() const { return uri_; }
  const std::string& text() const { return text_; }
  std::int64_t version() const { return version_; }
  std::size_t applied() const { return applied_; }
  std::size_t refused() const { return refused_; }

  // --- the person; each call is one change, one version, one didChange. Offsets are bytes, where a
  // caret can stand ---
  void insert(std::size_t offset, std::string_view text) { replace(offset, offset, text); }
  void erase(std::size_t begin, std::size_t end) { replace(begin, end, {}); }
  void replace(std::size_t begin, std::size_t end, std::string_view text);
  /// The whole text at once, without a range.
  void replace_all(std::string text);
  void save();
  void close();

  /// A caret is pushed along by text that is inserted exactly at it, as in VS Code.
  Caret add_caret(std::size_t offset);
  std::size_t offset_of(Caret caret) const { return carets_[static_cast<std::size_t>(caret)]; }
  void type(Caret caret, std::string_view text) { insert(offset_of(caret), text); }
  /// Deletes the code point or the line end before the caret, if there is one.
  void backspace(Caret caret);

  // --- moments inside an applyEdit, where a test can type ---
  std::function<void()> before_check;  ///< the edit has arrived, its version was not looked at yet
  std::function<void()>
      before_answer;  ///< applied or refused, didChange is sent, the answer is not

  /// `workspace/applyEdit` for this document: the answer. `violation` gets what no server should
  /// send.
  boost::json::value apply_edit(const protocol::Fields& text_document_edit,
                                const std::function<void(std::string)>& violation);

 private:
  struct PlacedEdit {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };

  std::optional<std::size_t> offset_at(const protocol::Fields& position) const;
  boost::json::object position_at(std::size_t offset) const;
  /// The edits from the last to the first, or nothing and a violation.
  std::optional<std::vector<PlacedEdit>> place(
      const std::vector<protocol::Fields>& edits,
      const std::function<void(std::string)>& violation) const;
  boost::json::value refuse();
  /// Changes the text and the carets; the content change for didChange.
  boost::json::object change(std::size_t begin, std::size_t end, std::string_view text);
  void send_did_change(boost::json::array changes);

  protocol::Endpoint& endpoint_;
  std::string uri_;
  std::string text_;
  std::int64_t version_;
  ColumnUnit unit_;
  std::vector<std::size_t> carets_;
  std::size_t applied_ = 0;
  std::size_t refused_ = 0;
};

class Editor {
 public:
  /// Registers `workspace/applyEdit`.
  explicit Editor(protocol::Endpoint& endpoint, ColumnUnit unit = ColumnUnit::Utf16);
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  /// Sends didOpen. The reference is good until close().
  EditorModel& open(std::string uri, std::string text, std::int64_t version = 1);
  EditorModel& document(const std::string& uri) { return *documents_.at(uri); }
  /// Sends didClose and forgets the document.
  void close(const std::string& uri);

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  boost::json::value apply_edit(const boost::json::value& params);

  protocol::Endpoint& endpoint_;
  ColumnUnit unit_;
  std::map<std::string, std::unique_ptr<EditorModel>> documents_;
  std::vector<std::string> violations_;
};

}  // namespace agent_doc::fakes
