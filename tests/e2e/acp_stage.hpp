// What it is: a desk with a document whose agent is a script (tests/fakes/scripted_acp_agent.cpp),
// run by the whole program, and what these scripts have in common.
// What it is not: a test.
// Thread rule: one thread.
#pragma once

#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e::acp_stage {

using tests::read_file;
using tests::write_file;

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// In a mode that asks.
inline const std::string kInitialize =
    R"("initialize":[{"result":{"protocolVersion":1,"agentCapabilities":{}}}])";
inline const std::string kModes =
    R"("modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]})";
inline const std::string kNew = R"("session/new":[{"result":{"sessionId":"s1",)" + kModes + "}}]";

/// An agent that can be asked, with `prompts` as its entries for session/prompt.
inline std::string script(const std::string& prompts) {
  return "{" + kInitialize + "," + kNew + R"(,"session/prompt":[)" + prompts + "]}";
}

inline const std::string kSaysDone =
    R"({"do":[{"say":"Done."}],"result":{"stopReason":"end_turn"}})";

struct Finished {
  int code;
  std::string out, error;
};

/// A desk with a document, whose default agent is the script.
class Stage {
 public:
  /// `table` is more of the agent's table in the configuration, `top` of what comes before it.
  explicit Stage(const std::string& script, const std::string& table = {},
                 const std::string& top = {}, const std::string& dialect = "acp") {
    write_file(desk_.home() + "/script.json", with_gate(script));
    REQUIRE(::mkfifo(gate().c_str(), 0600) == 0);
    write_file(desk_.home() + "/config/agent-doc/config.toml",
               top + "default_agent = \"fake\"\n[agents.fake]\ndialect = \"" + dialect +
                   "\"\ncommand = \"" SCRIPTED_ACP_AGENT "\"\nargs = [\"" + desk_.home() +
                   "/script.json\", \"" + heard_file() + "\"]\n" + table);
    write_file(document(), "Question?\n");
  }

  const Desk& desk() const { return desk_; }
  std::string document() const { return desk_ / "a.md"; }
  /// Lets the agent go on that waits at {"gate":"GATE"}, once it waits there.
  void open_gate() const { ::close(::open(gate().c_str(), O_WRONLY | O_CLOEXEC)); }

  Finished run(std::vector<std::string> arguments = {"run", "a.md"},
               RunSettings settings = {}) const {
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

  void ask(std::string_view question) const {
    write_file(document(), read_file(document()) + std::string(question) + "\n");
  }

  /// What the agent was sent, a line each: a method with the fields that tell most, or an answer's
  /// outcome.
  std::string heard() const {
    std::istringstream lines(std::filesystem::exists(heard_file()) ? read_file(heard_file())
                                                                   : std::string());
    std::string all;
    for (std::string line; std::getline(lines, line);) all += told(line) + "\n";
    return all;
  }

 private:
  std::string gate() const { return desk_.home() + "/gate"; }
  std::string with_gate(std::string script) const {
    const std::size_t at = script.find("\"GATE\"");
    if (at != std::string::npos) script.replace(at, 6, "\"" + gate() + "\"");
    return script;
  }
  std::string heard_file() const { return desk_.home() + "/heard"; }

  static std::string told(const std::string& line) {
    if (line.starts_with("INVALID")) return line;
    const boost::json::value frame = boost::json::parse(line);
    const auto text = [&frame](std::string_view pointer) {
      boost::system::error_code error;
      const boost::json::value* found = frame.find_pointer({pointer.data(), pointer.size()}, error);
      return found != nullptr && found->is_string() ? " " + std::string(found->get_string())
                                                    : std::string();
    };
    if (text("/method").empty())
      return "answer" + text("/result/outcome/outcome") + text("/result/outcome/optionId");
    return text("/method").substr(1) + text("/params/sessionId") + text("/params/methodId") +
           text("/params/modeId") + text("/params/value") + text("/params/prompt/0/text");
  }

  Desk desk_;
};

}  // namespace agent_doc::e2e::acp_stage
