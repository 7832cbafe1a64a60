// Symbols, folds, hovers, lenses and completion of session documents; their absence elsewhere.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_outline_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

const std::string kDocument =
    "---\nagent: claude\nresume: s-0\n---\n\n## User\n\nWhat?\n\n## "
    "Assistant\n\nBecause.\nSo.\n\n## User\n\nWhy?\n";

json::value ask(LspWorld& world, std::string_view method, json::object extra = {}) {
  json::object params{{"textDocument", json::object{{"uri", kUri}}}};
  for (const auto& field : extra) params[field.key()] = field.value();
  return std::get<json::value>(world.call(method, params));
}

json::value ask_at(LspWorld& world, std::string_view method, int line, int character) {
  return ask(world, method, {{"position", json::object{{"line", line}, {"character", character}}}});
}

/// One line per lens: "LINE title".
std::string lenses(LspWorld& world) {
  std::string result;
  const json::value list = ask(world, "textDocument/codeLens");
  for (const json::value& lens : list.as_array()) {
    result += std::to_string(lens.at("range").at("start").at("line").as_int64()) + " " +
              std::string(lens.at("command").at("title").as_string()) + "\n";
  }
  return result;
}

std::string hover(LspWorld& world, int line, int character) {
  const json::value result = ask_at(world, "textDocument/hover", line, character);
  return result.is_null() ? std::string()
                          : std::string(result.at("contents").at("value").as_string());
}

/// "label -> newText" per item.
std::string completions(LspWorld& world, int line, int character) {
  std::string result;
  const json::value list = ask_at(world, "textDocument/completion", line, character);
  for (const json::value& item : list.as_array()) {
    result += std::string(item.at("label").as_string()) + " -> " +
              std::string(item.at("textEdit").at("newText").as_string()) + "\n";
  }
  return result;
}

void answer(LspWorld& world, const std::string& text) {
  world.agent().say_session("s-1");
  world.agent().say_message_start(text);
  world.agent().say_text(text);
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
}

TEST_CASE("symbols: prompts, and their replies below them") {
  LspWorld world(kShowingCapabilities, kDocument);
  CHECK(
      json::serialize(ask(world, "textDocument/documentSymbol")) ==
      R"([{"name":"What?","detail":"User","kind":24,)"
      R"("range":{"start":{"line":5,"character":0},"end":{"line":12,"character":3}},)"
      R"("selectionRange":{"start":{"line":5,"character":0},"end":{"line":5,"character":7}},)"
      R"("children":[{"name":"Because.","detail":"Assistant","kind":15,)"
      R"("range":{"start":{"line":9,"character":0},"end":{"line":12,"character":3}},)"
      R"("selectionRange":{"start":{"line":9,"character":0},"end":{"line":9,"character":12}},"children":[]}]},)"
      R"({"name":"Why?","detail":"User","kind":24,)"
      R"("range":{"start":{"line":14,"character":0},"end":{"line":16,"character":4}},)"
      R"("selectionRange":{"start":{"line":14,"character":0},"end":{"line":14,"character":7}},"children":[]}])");
}

TEST_CASE("symbols for a client without children") {
  LspWorld world(kPlainCapabilities, "---\nagent: claude\n---\nWhat?\n\n## Assistant\n\nSo.\n");
  CHECK(json::serialize(ask(world, "textDocument/documentSymbol")) ==
        R"([{"name":"What?","kind":3,"location":{"uri":"file:///w/doc.md",)"
        R"("range":{"start":{"line":3,"character":0},"end":{"line":7,"character":3}}}},)"
        R"({"name":"So.","kind":15,"location":{"uri":"file:///w/doc.md",)"
        R"("range":{"start":{"line":5,"character":0},"end":{"line":7,"character":3}}}}])");
}

TEST_CASE("folds: the front matter, prompts and replies") {
  LspWorld world(kPlainCapabilities, kDocument);
  CHECK(
      json::serialize(ask(world, "textDocument/foldingRange")) ==
      R"([{"startLine":0,"endLine":3,"kind":"region"},{"startLine":5,"endLine":7,"kind":"region"},)"
      R"({"startLine":9,"endLine":12,"kind":"region"},{"startLine":14,"endLine":16,"kind":"region"}])");
}

TEST_CASE("hover: headings of turns and keys of the front matter") {
  LspWorld world(kShowingCapabilities, kDocument);
  CHECK(hover(world, 1, 2) == "Which agent replies in this document.");
  CHECK(hover(world, 1, 9) == "");
  CHECK(hover(world, 5, 0) == "Prompt 1 of 2");
  CHECK(hover(world, 7, 2) == "");
  CHECK(hover(world, 9, 3) ==
        "Reply 1 of 1\n\nIt was not written since agent-doc started, so no more is known of it.");
  world.run();
  world.agent().say(
      R"({"type":"system","subtype":"init","cwd":"/w","session_id":"s-0","tools":[],"model":"model-1"})");
  answer(world, "Since.");
  CHECK(hover(world, 19, 0) == "Reply 2 of 2\n\nclaude · done · model-1 · 0.0 s\n\nsession s-1");
}

TEST_CASE("hover of earlier turns of this server") {
  LspWorld world(kShowingCapabilities, "Hello?\n");
  world.run();
  answer(world, "One.");
  world.type(world.editor.size(), "More?");
  world.run();
  answer(world, "Two.");
  CHECK(world.editor.text() == kFrontMatter +
                                   "Hello?\n\n## Assistant\n\nOne.\n\n## User\n\nMore?\n\n## "
                                   "Assistant\n\nTwo.\n\n## User\n\n");
  CHECK(hover(world, 8, 0) == "Reply 1 of 2\n\nclaude · done · model-1 · 0.0 s\n\nsession s-1");
  CHECK(hover(world, 16, 0) == "Reply 2 of 2\n\nclaude · done · model-1 · 0.0 s\n\nsession s-1");
}

TEST_CASE("lenses: Run, then Stop, then what the reply was, Retry, Fork and New session") {
  LspWorld world(kShowingCapabilities, "---\nagent: claude\n---\n\nHello?\n");
  CHECK(lenses(world) == "4 ▶ Run\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.agent().say_text("Hi.");
  world.pass(milliseconds{200});
  CHECK(lenses(world) == "8 ■ Stop\n");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(lenses(world) == "3 Fork\n3 New session\n8 Retry\n8 claude · done · model-1 · 0.2 s\n");
  world.type(world.editor.size(), "And now?");
  world.settle();
  CHECK(lenses(world) ==
        "3 Fork\n3 New session\n8 Retry\n8 claude · done · model-1 · 0.2 s\n12 ▶ Run\n");
}

TEST_CASE("lenses of a question that waits") {
  LspWorld world(kShowingCapabilities, "---\nagent: claude\n---\n\nHello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_permission("p1");
  world.pass(milliseconds{200});
  CHECK(lenses(world) == "8 ■ Stop\n8 Allow once: Write /w/out.txt\n8 Deny: Write /w/out.txt\n");
}

TEST_CASE("lenses are asked for again when a turn changes, not when its text grows") {
  LspWorld world(kShowingCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.pass(milliseconds{200});
  const std::size_t before = world.heard["workspace/codeLens/refresh"].size();
  CHECK(before > 0);
  for (int i = 0; i < 50; ++i) {
    world.agent().say_text("word ");
    world.pass(milliseconds{50});
  }
  CHECK(world.heard["workspace/codeLens/refresh"].size() == before);
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(world.heard["workspace/codeLens/refresh"].size() > before);
}

TEST_CASE("completion: keys that are not there yet, agents, models that were used, fixed values") {
  LspWorld world(kShowingCapabilities, "---\nagent: \nthinking:\nmodel: \nag\n---\n\nHello?\n");
  CHECK(completions(world, 1, 7) == "claude -> claude\ntour -> tour\n");
  CHECK(completions(world, 2, 9) == "none ->  none\nfold ->  fold\n");
  CHECK(completions(world, 3, 7) == "");
  CHECK(
      completions(world, 4, 2) ==
      "rounds -> rounds: \ndrift -> drift: \nagent_doc_cwd -> agent_doc_cwd: \nresume -> resume: \n"
      "forked_from -> forked_from: \nagent_doc_archive -> agent_doc_archive: \n"
      "agent_doc_archive_of -> agent_doc_archive_of: \n"
      "agent_doc_archived -> agent_doc_archived: \nagent_doc_session -> agent_doc_session: \n");
  CHECK(completions(world, 7, 3) == "");
  world.run();
  answer(world, "Hi.");
  const std::string text = world.editor.text();
  CHECK(completions(world, 3, 7) == "model-1 -> model-1\n");
}

TEST_CASE("a fork is opened by clients that can") {
  LspWorld world(kShowingCapabilities, kDocument);
  world.command("agentDoc.fork", json::object{{"uri", kUri}});
  world.settle();
  REQUIRE(world.heard["window/showDocument"].size() == 1);
  CHECK(json::serialize(world.heard["window/showDocument"][0]) ==
        R"({"uri":"file:///w/doc-fork.md","takeFocus":true})");
}

TEST_CASE("a fork is opened by Helix, which does not say that it can") {
  LspWorld world;
  world.initialize(kPlainCapabilities, "helix");
  world.open(std::string(kDocument));
  world.command("agentDoc.fork", json::object{{"uri", kUri}});
  world.settle();
  REQUIRE(world.heard["window/showDocument"].size() == 1);
  CHECK(json::serialize(world.heard["window/showDocument"][0]) ==
        R"({"uri":"file:///w/doc-fork.md","takeFocus":true})");
}

TEST_CASE(
    "nothing of all that in a markdown file that is no session document, nor in a file that is not "
    "open") {
  LspWorld world(
      kShowingCapabilities,
      "---\ntitle: A readme\nenv: prod\n---\n\n## User\n\nguide\n\n## Assistant\n\n```\n");
  world.pass(milliseconds{1000});
  for (const char* method :
       {"textDocument/codeLens", "textDocument/documentSymbol", "textDocument/foldingRange"}) {
    CHECK(json::serialize(ask(world, method)) == "[]");
  }
  CHECK(hover(world, 5, 0) == "");
  CHECK(hover(world, 1, 0) == "");
  CHECK(completions(world, 1, 0) == "");
  CHECK(world.heard["textDocument/publishDiagnostics"].empty());
  const json::object other{{"textDocument", json::object{{"uri", "file:///w/other.md"}}},
                           {"position", json::object{{"line", 0}, {"character", 0}}}};
  CHECK(json::serialize(std::get<json::value>(world.call("textDocument/hover", other))) == "null");
  CHECK(json::serialize(std::get<json::value>(world.call("textDocument/completion", other))) ==
        "[]");
  CHECK(json::serialize(std::get<json::value>(world.call("textDocument/codeLens", other))) == "[]");
}

}  // namespace lsp_outline_test
