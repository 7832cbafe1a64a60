// What it is: the recordings of the agents that run one process per turn, line by line through
// their protocol, the turn and the reply: whole, cut after every line, with garbage and unknown
// events in between, and stopped.
// What it is not: the same recordings read by the dialect `generic` (generic_test.cpp); bytes and
// processes: how stdout is cut into lines is tested with the line reader and end to end.
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc {
namespace {

namespace json = boost::json;

using tests::check_turn;
using tests::expected_text;
using tests::Player;
using tests::Recording;

plugins::AgentSpec agent(std::string_view dialect) {
  return {std::string(dialect), std::string(dialect), "program", {}, {}};
}

/// Calls `check` with each recording of each dialect and what it must give.
template <class Check>
void for_all(const Check& check) {
  for (const std::string_view dialect : tests::kOneShotDialects) {
    const json::value expected = tests::read_expected(dialect);
    for (const auto& [name, turns] : expected.at("recordings").as_object()) {
      CAPTURE(dialect);
      CAPTURE(std::string(name));
      check(dialect, tests::read_recording(dialect, std::string(name)),
            turns.as_array().front().as_object());
    }
  }
}

void play(Player& player, const std::vector<std::string>& lines) {
  player.begin("a prompt");
  for (const std::string& line : lines) player.line(line);
}

}  // namespace

TEST_CASE("one-shot: every recording comes out as its scenario says") {
  for_all(
      [](std::string_view dialect, const Recording& recording, const json::object& expectation) {
        for (const turn::Rounds rounds : {turn::Rounds::Last, turn::Rounds::All}) {
          Player player(agent(dialect), rounds);
          play(player, recording.lines);
          CHECK(player.last().ends == 0);
          player.exit(recording.exit);
          check_turn(player.last(), expectation, rounds, dialect);
          CHECK(player.last().turn->health().unrecognised.empty());
          CHECK(player.last().turn->health().malformed == 0);
        }
      });
}

TEST_CASE(
    "one-shot: a recording that ends after any of its lines ends its turn exactly once, with the "
    "text that came") {
  for_all([](std::string_view dialect, const Recording& recording,
             const json::object& expectation) {
    constexpr std::string_view kClosedFence = "\n```";
    if (recording.name == "tags") return;  // half of a tag is text
    const std::string whole = expected_text(expectation, turn::Rounds::All);
    const std::size_t step = recording.lines.size() > 300 ? 37 : 1;
    // The last line may be the one that says that all went well.
    for (std::size_t cut = 0; cut < recording.lines.size(); cut += step) {
      CAPTURE(cut);
      Player player(agent(dialect), turn::Rounds::All);
      play(player,
           {recording.lines.begin(), recording.lines.begin() + static_cast<std::ptrdiff_t>(cut)});
      player.exit({0, 9, "killed"});
      CHECK(player.last().ends == 1);
      CHECK(player.last().turn->state() == turn::TurnState::Failed);
      std::string_view text = player.last().document.text();
      if (!whole.starts_with(text) && text.ends_with(kClosedFence))
        text.remove_suffix(kClosedFence.size());
      CHECK(whole.starts_with(text));
    }
  });
}

TEST_CASE(
    "one-shot: a stop is one interrupt to the group, and the turn is cancelled with the text that "
    "came") {
  for_all(
      [](std::string_view dialect, const Recording& recording, const json::object& expectation) {
        if (!recording.name.starts_with("cancel")) return;
        Player player(agent(dialect), turn::Rounds::Last);
        play(player, recording.lines);
        player.cancel();
        CHECK(player.signals == std::vector<plugins::Signal>{plugins::Signal::Interrupt});
        player.exit(recording.exit);
        CHECK(player.last().ends == 1);
        CHECK(player.last().turn->state() == turn::TurnState::Cancelled);
        CHECK(player.last().document.text() == expected_text(expectation, turn::Rounds::Last));
      });
}

TEST_CASE("one-shot: unknown events and garbage between any two lines change nothing") {
  const std::vector<std::string> unknown = {R"({"type":"brand_new","text":"never shown"})",
                                            R"({"type":["not","a","name"]})",
                                            R"({"role":"assistant","content":"no type"})",
                                            R"({"type":"brand_new","part":{"text":"never shown"}})",
                                            "{}",
                                            "",
                                            "{",
                                            "}{",
                                            "Segmentation fault",
                                            "[1,2]",
                                            "\x01\x02"};
  for_all([&unknown](std::string_view dialect, const Recording& recording,
                     const json::object& expectation) {
    if (recording.lines.size() > 300) return;
    std::vector<std::string> mixed = unknown;
    for (const std::string& line : recording.lines) {
      mixed.push_back(line);
      mixed.insert(mixed.end(), unknown.begin(), unknown.end());
    }
    Player player(agent(dialect), turn::Rounds::Last);
    play(player, mixed);
    player.exit(recording.exit);
    check_turn(player.last(), expectation, turn::Rounds::Last, dialect);
  });
}

TEST_CASE("one-shot: two objects on a line are two events, with or without an SSE prefix") {
  for_all([](std::string_view dialect, const Recording& recording,
             const json::object& expectation) {
    std::vector<std::string> pairs;
    for (std::size_t line = 0; line < recording.lines.size(); line += 2) {
      pairs.push_back("data: " + recording.lines[line] +
                      (line + 1 < recording.lines.size() ? recording.lines[line + 1] : "") + " \r");
    }
    Player player(agent(dialect), turn::Rounds::Last);
    play(player, pairs);
    player.exit(recording.exit);
    check_turn(player.last(), expectation, turn::Rounds::Last, dialect);
  });
}

}  // namespace agent_doc
