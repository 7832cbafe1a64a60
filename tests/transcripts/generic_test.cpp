// What it is: the recordings of all agents, read by the dialect `generic`, which knows none of
// them: the text must be the same as their own plugin gives.
// What it is not: shapes of streams that no recording has
// (tests/unit/plugins_generic_shapes_test.cpp).
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc {
namespace {

namespace json = boost::json;

using tests::expected_text;
using tests::Player;
using tests::Recording;

/// What `generic` cannot read as the agent's own plugin does, and why. A recording or, ending in
/// `*`, the begin of its name.
struct Exception {
  std::string_view agent;
  std::string_view recording;
  std::string_view reason;
};

constexpr auto kExceptions = std::to_array<Exception>({
    {"acp", "*",
     "a conversation in JSON-RPC: it says nothing before a handshake, which `generic` does not "
     "make"},
    {"codex", "app-server*",
     "a conversation in JSON-RPC: it says nothing before a handshake, which `generic` does not "
     "make"},
    {"claude", "stream-input*",
     "several turns in one process, whose prompts are JSON: a process of `generic` has one turn, "
     "whose prompt is text"},
});

/// Every folder of recordings.
std::vector<std::string> agents() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(AGENT_DOC_TEST_DATA) / "transcripts")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_excepted(std::string_view agent, std::string_view recording) {
  return std::any_of(kExceptions.begin(), kExceptions.end(), [&](const Exception& one) {
    const bool is_begin = one.recording.ends_with('*');
    const std::string_view name =
        one.recording.substr(0, one.recording.size() - (is_begin ? 1 : 0));
    return one.agent == agent && (is_begin ? recording.starts_with(name) : recording == name);
  });
}

/// The only turn of a recording; those of conversations have several.
const json::object& turn_of(const json::value& expected) {
  const json::array& turns =
      expected.is_object() ? expected.at("turns").as_array() : expected.as_array();
  REQUIRE(turns.size() == 1);
  return turns.front().as_object();
}

}  // namespace

TEST_CASE("generic reads every recording as the agent's own plugin does") {
  std::size_t compared = 0;
  for (const std::string& agent : agents()) {
    const json::value expected = tests::read_expected(agent);
    for (const auto& [key, turns] : expected.at("recordings").as_object()) {
      const std::string name(key);
      if (is_excepted(agent, name)) continue;
      CAPTURE(agent);
      CAPTURE(name);
      const json::object& expectation = turn_of(turns);
      const Recording recording = tests::read_recording(agent, name);
      plugins::AgentSpec spec{agent, "generic", "program", {}, {}};
      spec.generic.resume_args = {"--session", "{session_id}"};
      Player player(spec, turn::Rounds::All);
      player.begin("a prompt");
      for (const std::string& line : recording.lines) player.line(line);
      player.exit(recording.exit);
      CHECK(player.last().ends == 1);
      CHECK(player.last().document.text() == expected_text(expectation, turn::Rounds::All));
      // A stop is no failure of its own: nobody has told this agent to stop.
      const std::string_view state = expectation.at("state").as_string();
      if (state == "done" && !player.last().document.text().empty())
        CHECK(player.last().turn->state() == turn::TurnState::Done);
      ++compared;
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("generic: every exception is of a recording that there is, and has its reason") {
  for (const Exception& one : kExceptions) {
    CAPTURE(one.agent);
    CAPTURE(one.recording);
    CHECK_FALSE(one.reason.empty());
    const json::value expected = tests::read_expected(one.agent);
    const json::object& recordings = expected.at("recordings").as_object();
    CHECK(std::any_of(recordings.begin(), recordings.end(), [&](const auto& recording) {
      return is_excepted(one.agent, recording.key());
    }));
  }
}

}  // namespace agent_doc
