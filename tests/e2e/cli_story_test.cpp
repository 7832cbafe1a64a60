// docs/story.md, done: each command of it is run, each change of it is made, and what is printed
// and what the documents are is compared with the page. Only ids, days and the folder are masked.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace cli_story_e2e_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

/// A fenced block of the page.
struct Block {
  std::string kind;
  std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  bool is_inside = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      if (!is_inside) blocks.push_back({line.substr(3), {}});
      is_inside = !is_inside;
    } else if (is_inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The words of a command; those in quotes are one.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool is_quoted = false;
  for (const char c : command + " ") {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  return words;
}

std::string masked(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.replace(at, folder.size(), "~/notes");
  static const std::regex kId("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  static const std::regex kTime("20[0-9]{2}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2})?|\\([0-9]+ s\\)");
  text = std::regex_replace(text, kId, "ID");
  return std::regex_replace(text, kTime, "TIME");
}

/// A conversation with an agent that speaks like claude and says what the page says that it says.
class Story {
 public:
  explicit Story(const Desk& desk) : desk_(desk) {
    write_file(desk.home() + "/config/agent-doc/config.toml",
               "default_agent = \"claude\"\n[agents.claude]\ncommand = \"" +
                   std::string(REPLAY_AGENT) + "\"\nargs = [\"" + recording() + "\"]\n");
  }

  void take(const Block& block) {
    if (block.kind == "console") return run_all(block);
    if (block.kind == "diff") return edit(block);
    if (block.kind == "markdown")
      CHECK(masked(read_file(desk_ / "cache.md"), {" "}) == masked(joined(block.lines), {" "}));
  }
  int commands() const { return commands_; }

 private:
  std::string recording() const { return desk_.home() + "/said.ndjson"; }

  /// The next prompt gets this reply, in the session that it is sent to.
  void let_agent_say(const std::string& text, bool is_fork) {
    const std::string session =
        is_fork ? "22222222-2222-4222-8222-222222222222" : "11111111-1111-4111-8111-111111111111";
    const json::object init{{"type", "system"},      {"subtype", "init"},      {"cwd", "/"},
                            {"session_id", session}, {"tools", json::array{}}, {"model", "opus"}};
    const json::object message{
        {"id", "m" + std::to_string(++replies_)},
        {"role", "assistant"},
        {"content", json::array{json::object{{"type", "text"}, {"text", text}}}}};
    const json::object said{{"type", "assistant"},
                            {"message", message},
                            {"parent_tool_use_id", nullptr},
                            {"session_id", session}};
    const json::object result{{"type", "result"},
                              {"subtype", "success"},
                              {"is_error", false},
                              {"result", text},
                              {"session_id", session}};
    write_file(recording(), json::serialize(init) + "\n" + json::serialize(said) + "\n" +
                                json::serialize(result) + "\n");
  }

  void run_all(const Block& block) {
    for (std::size_t at = 0; at < block.lines.size();) {
      const std::string command = block.lines[at++];
      REQUIRE(command.starts_with("$ agent-doc "));
      std::vector<std::string> printed;
      while (at < block.lines.size() && !block.lines[at].starts_with("$ "))
        printed.push_back(block.lines[at++]);
      run(words_of(command.substr(12)), joined(printed));
    }
  }

  void run(const std::vector<std::string>& words, const std::string& expected) {
    CAPTURE(words.front());
    const bool asks = words.front() == "run" || words.back() == "--run";
    if (asks)
      let_agent_say(expected.substr(0, expected.size() - 1),
                    words.size() > 1 && words[1].find("fork") != std::string::npos);
    CommandRun command(desk_, words);
    CHECK(command.wait() == 0);
    CHECK(masked(command.out() + command.error(), desk_.docs()) == masked(expected, desk_.docs()));
    ++commands_;
  }

  /// The person makes the change.
  void edit(const Block& block) {
    std::string before;
    std::string after;
    for (const std::string& line : block.lines) {
      if (line[0] != '+') before += line.substr(1) + "\n";
      if (line[0] != '-') after += line.substr(1) + "\n";
    }
    std::string text = read_file(desk_ / "cache.md");
    const std::size_t at = text.find(before);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.find(before, at + 1) == std::string::npos);
    write_file(desk_ / "cache.md", text.replace(at, before.size(), after));
  }

  const Desk& desk_;
  int replies_ = 0;
  int commands_ = 0;
};

TEST_CASE("story: every command of docs/story.md prints what it says there") {
  const Desk desk;
  Story story(desk);
  for (const Block& block : blocks_of(read_file(AGENT_DOC_SOURCE_DIR "/docs/story.md")))
    story.take(block);
  CHECK(story.commands() == 10);
}

}  // namespace cli_story_e2e_test
