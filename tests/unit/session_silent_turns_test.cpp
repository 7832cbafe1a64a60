// What it is: what counts as a word of an agent, by the recordings of all agents: every turn that
// an agent calls done and in which it said or did something is done, one without its texts as well,
// and one in which it did neither has failed.
// What it is not: the events one by one (tests/unit/turn_heard_test.cpp).
#include "tests/fakes/session_world.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace session_silent_turns_test {

using namespace agent_doc;

namespace json = boost::json;

std::string_view text_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code problem;
  const json::value* found = value.find_pointer(pointer, problem);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view();
}

std::vector<std::string> read_recording(std::string_view folder, const std::string& name) {
  std::ifstream file(
      std::filesystem::path(AGENT_DOC_TEST_DATA) / "transcripts" / folder / (name + ".ndjson"),
      std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  REQUIRE_FALSE(lines.empty());
  return lines;
}

/// A turn of a recording, through everything between the agent's lines and the document.
struct Turn {
  Turn(std::string_view dialect, const std::vector<std::string>& recording,
       const std::function<bool(json::value&)>& is_kept)
      : world("Hello?\n") {
    const std::string name(dialect);
    world.other_agents.emplace(name, plugins::AgentSpec{name, name, "program", {}, {}});
    session::RunRequest request;
    request.agent = name;
    REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
    for (const std::string& line : recording) {
      json::value value = json::parse(line);
      if (is_kept(value)) world.say(json::serialize(value));
    }
    world.exit({});
    world.run_until_quiet();
  }

  const session::TurnView& view() const { return world.views.back(); }

  fakes::SessionWorld world;
};

struct Agent {
  std::string_view dialect, folder;
};
const std::vector<Agent> kAgents = {
    {"claude", "claude"}, {"codex-exec", "codex"}, {"opencode-run", "opencode-run"}};

TEST_CASE(
    "recordings: a turn in which the agent said and did nothing has failed, for every agent "
    "alike") {
  for (const auto& [dialect, folder] : kAgents) {
    CAPTURE(dialect);
    Turn turn(dialect, read_recording(folder, "empty"), [](json::value&) { return true; });
    CHECK(turn.view().state == turn::TurnState::Failed);
    CHECK(turn.view().failure == std::string(dialect) +
                                     ": The agent ended its turn without a word. Run again; "
                                     "`agent-doc doctor` shows whether the agent works.");
    CHECK(turn.world.editor.text().find("## Assistant") == std::string::npos);
  }
}

TEST_CASE("recordings: a turn that only made tool calls and said nothing is done") {
  const auto has_no_text = [](json::value& line) {
    if (text_at(line, "/message/content/0/type") == "text" ||
        text_at(line, "/item/type") == "agent_message")
      return false;
    if (text_at(line, "/type") == "text") return false;
    if (text_at(line, "/type") == "result") line.as_object()["result"] = "";
    return true;
  };
  for (const auto& [dialect, folder] : kAgents) {
    CAPTURE(dialect);
    Turn turn(dialect, read_recording(folder, "tool"), has_no_text);
    CHECK(turn.view().state == turn::TurnState::Done);
    CHECK(turn.view().failure.empty());
    CHECK(turn.world.reply.empty());
  }
}

TEST_CASE(
    "recordings: what an agent printed in a turn of which nothing was understood is in the log, "
    "line by line") {
  const auto is_of_tomorrow = [](json::value& line) {
    const std::string_view type = text_at(line, "/type");
    if (type == "assistant" || type == "user" || type == "text" || type == "tool_use" ||
        type.starts_with("item."))
      line.as_object()["type"] = "of tomorrow";
    if (type == "result") line.as_object()["result"] = "";
    return true;
  };
  for (const auto& [dialect, folder] : kAgents) {
    CAPTURE(dialect);
    const std::vector<std::string> recording = read_recording(folder, "tool");
    Turn turn(dialect, recording, is_of_tomorrow);
    CHECK(turn.view().state == turn::TurnState::Failed);
    CHECK(turn.view().failure ==
          std::string(dialect) +
              ": The agent ended its turn without a word that was understood; `agent-doc log` "
              "shows what it printed "
              "instead. Run again; `agent-doc doctor` shows whether the agent works.");
    std::string expected;
    for (const std::string& line : recording) {
      json::value value = json::parse(line);
      is_of_tomorrow(value);
      if (text_at(value, "/type") == "of tomorrow") expected += json::serialize(value) + "\n";
    }
    CHECK(expected.find("I will run a command.") != std::string::npos);
    CHECK(turn.world.recorded.turns.begin()->second.printed == std::vector<std::string>{expected});
  }
}

}  // namespace session_silent_turns_test
