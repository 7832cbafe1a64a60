// What an editor shows of changes that the agent has not seen yet: the lens, the hints, the code
// actions and their commands. Which changes these are: session_seen_test.cpp.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_unseen_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

constexpr std::string_view kReply = "One.\\nTwo.\\nThree.\\nFour.\\nFive.\\nSix.\\nSeven.\\nEight.";

/// A document with one question, answered.
struct Answered : LspWorld {
  explicit Answered(std::string front_matter = "",
                    std::string_view capabilities = kShowingCapabilities)
      : LspWorld(capabilities, front_matter + "## User\n\nHello?\n") {
    run();
    agent().say_session("s-1");
    agent().say_message_start("m1");
    agent().say_text(std::string(kReply));
    agent().say_result("s-1");
    pass(milliseconds{1000});
  }

  std::int64_t line_of(std::string_view words) const {
    const std::size_t at = editor.text().find(words);
    REQUIRE(at != std::string::npos);
    return std::count(editor.text().begin(),
                      editor.text().begin() + static_cast<std::ptrdiff_t>(at), '\n');
  }
  /// "LINE:FROM-TO severity code: message", a line for each of the last published diagnostics.
  std::string published() {
    std::string result;
    if (heard["textDocument/publishDiagnostics"].empty()) return "-";
    for (const json::value& one :
         heard["textDocument/publishDiagnostics"].back().at("diagnostics").as_array()) {
      const json::value& range = one.at("range");
      result += std::to_string(range.at("start").at("line").as_int64()) + ":" +
                std::to_string(range.at("start").at("character").as_int64()) + "-" +
                std::to_string(range.at("end").at("character").as_int64()) + " " +
                std::to_string(one.at("severity").as_int64()) + " " +
                std::string(one.at("code").as_string()) + ": " +
                std::string(one.at("message").as_string()) + "\n";
    }
    return result;
  }
  std::string run_lens() {
    const auto lenses =
        call("textDocument/codeLens", json::object{{"textDocument", json::object{{"uri", kUri}}}});
    for (const json::value& lens : std::get<json::value>(lenses).as_array()) {
      const std::string title(lens.at("command").at("title").as_string());
      if (lens.at("command").at("command") == "agentDoc.run") return title;
    }
    return "-";
  }
  /// The code actions on a line, those of any line left out.
  json::array actions(std::int64_t line) {
    const json::object place{{"line", line}, {"character", 0}};
    const auto result =
        call("textDocument/codeAction",
             json::object{{"textDocument", json::object{{"uri", kUri}}},
                          {"range", json::object{{"start", place}, {"end", place}}},
                          {"context", json::object{{"diagnostics", json::array{}}}}});
    json::array list;
    for (const json::value& action : std::get<json::value>(result).as_array()) {
      const std::string_view title = action.at("title").as_string();
      if (title.find("Run") == std::string_view::npos &&
          title.find("Retry") == std::string_view::npos && title != "agent-doc: Fork" &&
          title.find("New session") == std::string_view::npos)
        list.push_back(action);
    }
    return list;
  }
  std::string titles(std::int64_t line) {
    std::string text;
    for (const json::value& action : actions(line))
      text += std::string(action.at("title").as_string()) + "\n";
    return text;
  }
};

TEST_CASE("unseen: the lens counts the changes, and hints mark them, at a rest of the keyboard") {
  Answered world;
  CHECK(world.published() == "-");
  CHECK(world.run_lens() == "-");
  world.type(world.editor.text().find("Seven."), "(why?) ");
  world.pass(milliseconds{299});
  CHECK(world.published() == "-");
  const std::size_t refreshed = world.heard["workspace/codeLens/refresh"].size();
  world.pass(milliseconds{1});
  const std::string first =
      std::to_string(world.line_of("(why?)")) + ":0-13 4 not-seen: Not yet seen by claude.\n";
  CHECK(world.published() == first);
  CHECK(world.heard["workspace/codeLens/refresh"].size() == refreshed + 1);
  CHECK(world.run_lens() == "▶ Run · 1 change above goes with it");
  world.type(world.editor.text().find("Hello?"), "Well: ");
  world.pass(milliseconds{300});
  CHECK(world.published() == std::to_string(world.line_of("Well:")) +
                                 ":0-12 4 not-seen: Not yet seen by claude.\n" + first);
  world.type(world.editor.text().size(), "And now?\n");
  world.pass(milliseconds{300});
  CHECK(world.run_lens() == "▶ Run · 2 changes above go with it");
  world.run();
  world.pass(milliseconds{0});
  CHECK(world.published().empty());  // at once, though the text goes on changing
  world.type(world.editor.text().find("Four."), "(2 + 2) ");
  world.pass(milliseconds{1000});
  CHECK(world.published().empty());  // while the turn runs nothing is looked for
  world.agent().say_message_start("m2");
  world.agent().say_text("Yes.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  CHECK(world.published() ==
        std::to_string(world.line_of("(2 + 2)")) + ":0-13 4 not-seen: Not yet seen by claude.\n");
}

TEST_CASE("unseen: with `drift: quiet` nothing is marked, and the lens still tells it") {
  Answered world("---\nagent: claude\ndrift: quiet\n---\n\n");
  world.type(world.editor.text().find("Seven."), "(why?) ");
  world.pass(milliseconds{300});
  CHECK(world.published() == "-");
  CHECK(world.run_lens() == "▶ Run · 1 change above goes with it");
}

TEST_CASE("unseen: what was taken out is marked where the text goes on") {
  Answered world;
  const std::string text = world.editor.text();
  const std::size_t five = text.find("Five.\n");
  world.close();
  world.open(text.substr(0, five) + text.substr(five + 6));
  world.pass(milliseconds{300});
  CHECK(world.published() == std::to_string(world.line_of("Six.")) +
                                 ":0-4 4 not-seen: What was taken out above this is not yet seen "
                                 "by claude.\n");
}

TEST_CASE("unseen: the actions on a change, on the prompt and elsewhere") {
  Answered world;
  world.type(world.editor.text().find("Seven."), "(why?) ");
  world.type(world.editor.text().size(), "And now?\n");
  CHECK(world.titles(world.line_of("(why?)")).empty());  // not looked at yet
  world.pass(milliseconds{300});
  CHECK(world.titles(world.line_of("(why?)")) ==
        "agent-doc: Show what will be sent\nagent-doc: Leave this change out\n");
  CHECK(world.titles(world.line_of("Four.")).empty());
  CHECK(world.titles(world.line_of("And now?")) ==
        "agent-doc: Show what will be sent\nagent-doc: Leave the change above out\n");
  world.type(world.editor.text().find("Hello?"), "Well: ");
  world.pass(milliseconds{300});
  CHECK(world.titles(world.line_of("And now?")) ==
        "agent-doc: Show what will be sent\nagent-doc: Leave the 2 changes above out\n");
}

TEST_CASE("unseen: a fork from before a change ends behind the answer above it") {
  Answered world;
  world.type(world.editor.text().size(), "Second?\n");
  world.run();
  world.agent().say_message_start("m2");
  world.agent().say_text("Yes.");
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  world.type(world.editor.text().find("Second?"), "My ");
  world.pass(milliseconds{300});
  const json::array offered = world.actions(world.line_of("My Second?"));
  REQUIRE(offered.size() == 3);
  CHECK(offered.at(2).at("title") == "agent-doc: Fork from before this change");
  CHECK(json::serialize(offered.at(2).at("arguments")) ==
        R"([{"uri":"file:///w/doc.md","turn":1}])");
  const auto forked = world.command("agentDoc.fork", offered.at(2).at("arguments").at(0));
  CHECK(json::serialize(std::get<json::value>(forked)) == R"({"uri":"file:///w/doc-fork.md"})");
  CHECK(world.environment.files.at("/w/doc-fork.md").find("Second?") == std::string::npos);
}

TEST_CASE("unseen: a change is left out by its action, and then neither marked nor sent") {
  Answered world;
  world.type(world.editor.text().find("Seven."), "(why?) ");
  world.pass(milliseconds{300});
  const json::array offered = world.actions(world.line_of("(why?)"));
  REQUIRE(offered.size() == 2);
  const auto left = world.command("agentDoc.leaveOut", offered.at(1).at("arguments").at(0));
  CHECK(json::serialize(std::get<json::value>(left)) == R"({"places":1})");
  world.pass(milliseconds{0});
  CHECK(world.published().empty());
  CHECK(world.run_lens() == "-");
  world.type(world.editor.text().size(), "And now?\n");
  const auto preview = world.command("agentDoc.preview", json::object{{"uri", kUri}});
  CHECK(std::get<json::value>(preview).at("text") == "And now?");
}

TEST_CASE("unseen: what will be sent is shown as a file, which goes with the server") {
  Answered world;
  world.type(world.editor.text().size(), "And now?\n");
  const auto shown = world.command("agentDoc.showPrompt", json::object{{"uri", kUri}});
  CHECK(json::serialize(std::get<json::value>(shown)) == R"({"uri":"file:///run/shown-1"})");
  CHECK(world.environment.files.at("/run/shown-1") == "And now?\n");
  CHECK(json::serialize(world.heard["window/showDocument"].back()) ==
        R"({"uri":"file:///run/shown-1","takeFocus":true})");
  for (int more = 0; more < 8; ++more)
    world.command("agentDoc.showPrompt", json::object{{"uri", kUri}});
  CHECK_FALSE(world.environment.files.contains("/run/shown-1"));
  CHECK(world.environment.files.contains("/run/shown-2"));
  world.environment.file_error =
      boost::system::errc::make_error_code(boost::system::errc::no_space_on_device);
  const auto refused = world.command("agentDoc.showPrompt", json::object{{"uri", kUri}});
  CHECK(std::get<agent_doc::protocol::Error>(refused).message ==
        "What will be sent could not be put into a file to show it.");
}

TEST_CASE("unseen: a client that can show no document is told where the text is") {
  Answered world("", kPlainCapabilities);
  world.type(world.editor.text().size(), "And now?\n");
  world.command("agentDoc.showPrompt", json::object{{"uri", kUri}});
  CHECK(world.heard["window/showMessage"].back().at("message") ==
        "What will be sent is in /run/shown-1.");
}

}  // namespace lsp_unseen_test
