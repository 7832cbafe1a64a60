#include "tests/fakes/editor_model.hpp"

#include "protocol/lsp.hpp"
#include "server/text/text_buffer.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace agent_doc::fakes {
namespace editor_model_test {

using Texts = std::vector<std::string>;

/// An Editor, and the server's side of its connection: every message it sends, and the text as a
/// server knows it.
struct EditorSession {
  explicit EditorSession(ColumnUnit unit = ColumnUnit::Utf16) : unit_(unit), editor(*client, unit) {
    server->on_notification("textDocument/didOpen", [this](const boost::json::value& params) {
      shadow = text::TextBuffer(protocol::decode_did_open(params).text);
    });
    server->on_notification("textDocument/didChange",
                            [this](const boost::json::value& params) { fold(params); });
    server->on_notification("textDocument/didSave", [](const boost::json::value&) {});
    server->on_notification("textDocument/didClose", [](const boost::json::value&) {});
  }

  std::string ask(const boost::json::value& params) {
    std::string outcome = "no answer";
    server->request("workspace/applyEdit", params, [&](const protocol::Result& result) {
      const auto* error = std::get_if<protocol::Error>(&result);
      outcome = error != nullptr ? error->message
                                 : protocol::serialise_json(std::get<boost::json::value>(result));
    });
    return outcome;
  }

  /// An applyEdit of document "u" with `edits`, each [line, column, line, column, text].
  std::string apply(const std::string& at_version, const std::string& edits) {
    boost::json::array listed;
    const boost::json::value parsed = protocol::parse_json(edits).value();
    for (const boost::json::value& it : parsed.as_array()) {
      const auto place = [&](std::size_t i) {
        return boost::json::object{{"line", it.at(i)}, {"character", it.at(i + 1)}};
      };
      listed.push_back(boost::json::object{
          {"range", boost::json::object{{"start", place(0)}, {"end", place(2)}}},
          {"newText", it.at(4)}});
    }
    boost::json::object document{{"uri", "u"},
                                 {"version", protocol::parse_json(at_version).value()}};
    boost::json::object change{{"textDocument", std::move(document)}, {"edits", std::move(listed)}};
    return ask(boost::json::object{
        {"edit", boost::json::object{{"documentChanges", boost::json::array{std::move(change)}}}}});
  }

  void fold(const boost::json::value& params) {
    const auto encoding =
        unit_ == ColumnUnit::Utf8 ? text::PositionEncoding::Utf8 : text::PositionEncoding::Utf16;
    const auto event = protocol::decode_did_change(params);
    version = event.version;
    for (const auto& change : event.contentChanges) {
      if (!change.range) {
        shadow = text::TextBuffer(change.text);
        continue;
      }
      CHECK(shadow.contains(change.range->start, encoding));
      CHECK(shadow.contains(change.range->end, encoding));
      shadow.apply({shadow.offset_of(change.range->start, encoding),
                    shadow.offset_of(change.range->end, encoding), change.text});
    }
  }

  Texts sent;
  text::TextBuffer shadow;
  std::int64_t version = 0;
  ColumnUnit unit_;
  std::shared_ptr<protocol::Endpoint> server =
      protocol::Endpoint::make([this](const std::string& body) { client->receive(body); },
                               [](std::string_view line) { FAIL_CHECK(std::string(line)); });
  std::shared_ptr<protocol::Endpoint> client = protocol::Endpoint::make(
      [this](std::string body) {
        sent.push_back(body);
        server->receive(body);
      },
      [](std::string_view) {});
  Editor editor;
};

TEST_CASE("what the person does is told to the server, byte for byte") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "Å😀b\r\nx", 7);
  document.insert(6, "c");
  document.erase(0, 2);
  document.replace(6, 8, "y\nz");
  document.replace_all("new");
  document.save();
  session.editor.close("u");
  CHECK(
      session.sent ==
      Texts{
          R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","languageId":"markdown","version":7,"text":"Å😀b\r\nx"}}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":8},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":3}},"text":"c"}]}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":9},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":""}]}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":10},"contentChanges":[{"range":{"start":{"line":0,"character":4},"end":{"line":1,"character":0}},"text":"y\nz"}]}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":11},"contentChanges":[{"text":"new"}]}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"u"}}})",
          R"({"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"u"}}})",
      });
}

TEST_CASE("an edit of exactly this version is applied, and didChange comes before the answer") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "one\n😀two\n", 3);
  session.sent.clear();
  CHECK(session.apply("3", R"([[1,2,1,3,"T"]])") == R"({"applied":true})");
  CHECK(document.text() == "one\n😀Two\n");
  CHECK(document.version() == 4);
  CHECK(
      session.sent ==
      Texts{
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":4},"contentChanges":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"text":"T"}]}})",
          R"({"jsonrpc":"2.0","id":1,"result":{"applied":true}})",
      });
  CHECK(session.shadow.text() == document.text());
  CHECK(document.applied() == 1);
  CHECK(session.editor.violations().empty());
}

TEST_CASE("a stale edit is refused without a reason and without a change") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "text", 3);
  document.insert(0, "x");
  session.sent.clear();
  CHECK(session.apply("3", R"([[0,0,0,0,"y"]])") == R"({"applied":false})");
  CHECK(document.text() == "xtext");
  CHECK(document.version() == 4);
  CHECK(session.sent == Texts{R"({"jsonrpc":"2.0","id":1,"result":{"applied":false}})"});
  CHECK(document.refused() == 1);
  CHECK(session.editor.violations().empty());
}

TEST_CASE("several edits of one document") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "abc\ndef", 1);
  CHECK(session.apply(
            "1", R"([[0,1,0,2,"B"],[1,3,1,3,"1"],[1,3,1,3,"2"],[0,0,0,1,""],[1,0,1,1,"D\n"]])") ==
        R"({"applied":true})");
  CHECK(document.text() == "Bc\nD\nef12");
  CHECK(session.shadow.text() == document.text());
  CHECK(document.version() == 2);
}

TEST_CASE("what no server should send is refused and written down") {
  struct Case {
    std::string version;
    std::string edits;
    Texts violations;
  };
  for (const Case& it : {
           Case{"null", R"([[0,0,0,0,"y"]])", {"an edit without a version"}},
           Case{"9", R"([[0,0,0,0,"y"]])", {"an edit for version 9, which does not exist yet"}},
           Case{"3", "[]", {"an edit of nothing"}},
           Case{"3",
                R"([[0,0,0,0,""]])",
                {"params.edit.documentChanges[0].edits[0]: changes nothing"}},
           Case{"3",
                R"([[0,0,0,1,"a"]])",
                {"params.edit.documentChanges[0].edits[0]: changes nothing"}},
           Case{"3",
                R"([[0,0,0,0,"y"],[0,1,0,4,"y"]])",
                {"params.edit.documentChanges[0].edits[1].range: no such place in the document"}},
           Case{"3",
                R"([[0,2,0,2,"y"]])",
                {"params.edit.documentChanges[0].edits[0].range: no such place in the document"}},
           Case{"3",
                R"([[2,0,2,0,"y"]])",
                {"params.edit.documentChanges[0].edits[0].range: no such place in the document"}},
           Case{"3",
                R"([[1,1,0,0,"y"]])",
                {"params.edit.documentChanges[0].edits[0].range: no such place in the document"}},
           Case{"3", R"([[0,0,1,0,"y"],[0,1,1,1,"z"]])", {"two edits overlap"}},
           Case{"3",
                R"([[0,0,0,1,5]])",
                {"params.edit.documentChanges[0].edits[0].newText: expected a string"}},
           Case{"3",
                R"([[0,-1,0,1,"y"]])",
                {"params.edit.documentChanges[0].edits[0].range.start.character: expected an "
                 "integer from 0 to 2147483647"}},
       }) {
    CAPTURE(it.edits);
    EditorSession session;
    EditorModel& document = session.editor.open("u", "a😀\nb", 3);
    CHECK(session.apply(it.version, it.edits) != R"({"applied":true})");
    CHECK(session.editor.violations() == it.violations);
    CHECK(document.text() == "a😀\nb");
    CHECK(document.version() == 3);
  }
}

TEST_CASE("workspace edits of a wrong shape are refused and written down") {
  struct Case {
    std::string params;
    std::string answer;
    std::string violation;
  };
  const std::string change =
      R"({"textDocument":{"uri":"u","version":1},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"y"}]})";
  for (const Case& it : {
           Case{R"({"edit":{"changes":{"u":[]}}})", R"({"applied":false})",
                "an edit without versions (edit.changes)"},
           Case{R"({"edit":{"documentChanges":[]}})", R"({"applied":false})",
                "an edit of 0 documents"},
           Case{R"({"edit":{"documentChanges":[{},{}]}})", R"({"applied":false})",
                "an edit of 2 documents"},
           Case{R"({"edit":{"documentChanges":[{"textDocument":{"uri":"other","version":1}}]}})",
                R"({"applied":false})", "an edit of a document that is not open"},
           Case{R"({"edit":{"documentChanges":[{"kind":"delete","uri":"u"}]}})",
                R"({"applied":false})", "an edit of a document that is not open"},
           Case{R"({"label":"agent","edit":{"documentChanges":[)" + change + "]}}",
                R"({"applied":true})", "an edit with a label"},
           Case{R"({})", "params.edit: expected an object", "params.edit: expected an object"},
       }) {
    CAPTURE(it.params);
    EditorSession session;
    session.editor.open("u", "a");
    CHECK(session.ask(protocol::parse_json(it.params).value()) == it.answer);
    CHECK(session.editor.violations() == Texts{it.violation});
  }
}

TEST_CASE("a person types between an edit's arrival, its check and its answer") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "ab", 1);
  document.before_check = [&] { document.insert(1, "x"); };
  CHECK(session.apply("1", R"([[0,2,0,2,"!"]])") == R"({"applied":false})");
  CHECK(document.text() == "axb");

  document.before_check = nullptr;
  document.before_answer = [&] {
    CHECK(document.text() == "axb!");
    CHECK(session.shadow.text() == "axb!");
    document.erase(0, 1);
  };
  CHECK(session.apply("2", R"([[0,3,0,3,"!"]])") == R"({"applied":true})");
  CHECK(document.text() == "xb!");
  CHECK(session.shadow.text() == "xb!");
  CHECK(session.version == document.version());
}

TEST_CASE("carets move along") {
  struct Case {
    std::size_t caret;
    std::size_t begin;
    std::size_t end;
    std::string_view text;
    std::size_t then;
  };
  for (const Case& it : {
           Case{3, 3, 3, "xy", 5},
           Case{3, 4, 4, "xy", 3},
           Case{3, 0, 1, "xyz", 5},
           Case{3, 0, 3, "x", 1},
           Case{3, 2, 5, "xy", 4},
           Case{3, 3, 5, "xy", 3},
           Case{3, 1, 5, "", 1},
           Case{6, 6, 6, "x", 7},
       }) {
    EditorSession session;
    EditorModel& document = session.editor.open("u", "abcdef");
    const Caret caret = document.add_caret(it.caret);
    document.replace(it.begin, it.end, it.text);
    CAPTURE(document.text());
    CHECK(document.offset_of(caret) == it.then);
  }
}

TEST_CASE("typing and deleting at a caret while edits arrive above it") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "reply\nnote:\r\n");
  const Caret person = document.add_caret(11);
  document.type(person, " h😀");
  CHECK(session.apply("2", R"([[0,5,0,5," text"]])") == R"({"applied":true})");
  document.backspace(person);
  document.type(person, "i");
  CHECK(document.text() == "reply text\nnote: hi\r\n");
  const Caret end = document.add_caret(document.text().size());
  document.backspace(end);
  CHECK(document.text() == "reply text\nnote: hi");
  const Caret begin = document.add_caret(0);
  document.backspace(begin);
  CHECK(document.text() == "reply text\nnote: hi");
  CHECK(session.shadow.text() == document.text());
}

TEST_CASE("a test cannot edit where no caret can stand") {
  EditorSession session;
  EditorModel& document = session.editor.open("u", "Å\r\n");
  CHECK_THROWS_AS(document.insert(1, "x"), std::out_of_range);
  CHECK_THROWS_AS(document.insert(3, "x"), std::out_of_range);
  CHECK_THROWS_AS(document.insert(5, "x"), std::out_of_range);
  CHECK_THROWS_AS(document.erase(2, 0), std::out_of_range);
  CHECK(document.version() == 1);
}

TEST_CASE("the server's text buffer follows any editing") {
  for (const ColumnUnit unit : {ColumnUnit::Utf8, ColumnUnit::Utf16}) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      test::RandomText random(seed);
      EditorSession session(unit);
      EditorModel& document = session.editor.open("u", random.text(60));
      const auto place = [&](std::size_t from) {
        std::size_t at = from + random.boundary(std::string_view(document.text()).substr(from));
        if (at > 0 && at < document.text().size() && document.text()[at - 1] == '\r' &&
            document.text()[at] == '\n')
          ++at;
        return at;
      };
      for (int i = 0; i < 50; ++i) {
        const std::size_t begin = place(0);
        document.replace(begin, place(begin), random.text(6));
        REQUIRE(session.shadow.text() == document.text());
      }
    }
  }
}

}  // namespace editor_model_test
}  // namespace agent_doc::fakes
