// The whole program with an ACP agent that behaves as real ones were seen to (tests/fakes/scripted_acp_agent.cpp): modes that write without asking, questions
// without their subject, denials that end turns, silent retries, logins, sessions that must be loaded. Whatever the agent is sent is valid by the protocol's
// schema, or the turn fails.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

namespace cli_acp_agent_test {

using tests::read_file;
using tests::write_file;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// In a mode that asks.
const std::string kInitialize = R"("initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{}}}])";
const std::string kModes = R"("modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]})";
const std::string kNew = R"("session/new":[{"result":{"sessionId":"s1",)" + kModes + "}}]";

/// An agent that can be asked, with `prompts` as its entries for session/prompt.
std::string script(const std::string& prompts) {
  return "{" + kInitialize + "," + kNew + R"(,"session/prompt":[)" + prompts + "]}";
}

const std::string kSaysDone = R"({"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"}})";

struct Finished {
  int code;
  std::string out, error;
};

/// A desk with a document, whose default agent is the script.
class Stage {
 public:
  /// `table` is more of the agent's table in the configuration, `top` of what comes before it.
  explicit Stage(const std::string& script, const std::string& table = {}, const std::string& top = {}) {
    write_file(desk_.home() + "/script.json", script);
    write_file(desk_.home() + "/config/agent-doc/config.toml",
               top + "default_agent = \"fake\"\n[agents.fake]\ndialect = \"acp\"\ncommand = \"" SCRIPTED_ACP_AGENT "\"\nargs = [\"" +
                   desk_.home() + "/script.json\", \"" + heard_file() + "\"]\n" + table);
    write_file(document(), "Question?\n");
  }

  const Desk& desk() const { return desk_; }
  std::string document() const { return desk_ / "a.md"; }
  std::string gate() const { return desk_.home() + "/gate"; }

  Finished run(std::vector<std::string> arguments = {"run", "a.md"}, RunSettings settings = {}) const {
    CommandRun run(desk_, std::move(arguments), settings);
    const int code = run.wait();
    return {code, run.out(), run.error()};
  }

  /// A run on a terminal in which every question is answered with `keys`.
  Finished run_and_answer(const std::string& keys) const {
    CommandRun run(desk_, {"run", "a.md"}, {.terminal = Terminal::All});
    REQUIRE(run.wait_until([&] { return contains(run.out(), "Allow? "); }));
    run.type(keys);
    const int code = run.wait();
    return {code, run.out(), run.error()};
  }

  /// The document from its first reply on; empty when it has none.
  std::string replies() const {
    const std::string text = read_file(document());
    const std::size_t at = text.find("## Assistant");
    return at == std::string::npos ? std::string() : text.substr(at);
  }

  void ask(std::string_view question) const { write_file(document(), read_file(document()) + std::string(question) + "\n"); }

  /// What the agent was sent, a line each: a method with the fields that tell most, or an answer's outcome.
  std::string heard() const {
    std::istringstream lines(std::filesystem::exists(heard_file()) ? read_file(heard_file()) : std::string());
    std::string all;
    for (std::string line; std::getline(lines, line);) all += told(line) + "\n";
    return all;
  }

 private:
  std::string heard_file() const { return desk_.home() + "/heard"; }

  static std::string told(const std::string& line) {
    if (line.starts_with("INVALID")) return line;
    const boost::json::value frame = boost::json::parse(line);
    const auto text = [&frame](std::string_view pointer) {
      boost::system::error_code error;
      const boost::json::value* found = frame.find_pointer({pointer.data(), pointer.size()}, error);
      return found != nullptr && found->is_string() ? " " + std::string(found->get_string()) : std::string();
    };
    if (text("/method").empty()) return "answer" + text("/result/outcome/outcome") + text("/result/outcome/optionId");
    return text("/method").substr(1) + text("/params/sessionId") + text("/params/methodId") + text("/params/modeId") + text("/params/value") +
           text("/params/prompt/0/text");
  }

  Desk desk_;
};

}  // namespace cli_acp_agent_test

using namespace cli_acp_agent_test;  // NOLINT: this file's own names

TEST_CASE("probe") {
  const Stage stage(script(kSaysDone));
  const Finished run = stage.run();
  MESSAGE(run.code, run.out, run.error);
  MESSAGE(read_file(stage.document()));
  MESSAGE(stage.heard());
}

}  // namespace agent_doc::e2e
