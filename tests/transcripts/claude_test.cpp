// What it is: the recordings of the real claude, line by line through its protocol, the turn and
// the reply: whole, cut after every line, mixed with unknown events, and in both directions.
// What it is not: bytes and processes: how stdout is cut into lines is tested with the line reader
// and end to end.
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <memory>
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

Recording read_recording(const std::string& name) {
  return tests::read_recording("claude", name);
}

const plugins::AgentSpec kClaude{"claude", "claude", "claude", {}, {}};

const json::object& expected() {
  static const json::value kExpected = tests::read_expected("claude");
  return kExpected.as_object().at("recordings").as_object();
}

std::vector<std::string> recording_names() {
  std::vector<std::string> names;
  for (const auto& entry : expected()) names.emplace_back(entry.key());
  return names;
}

/// Plays `lines` as a session: a turn begins at the start and after each end while expected turns
/// are left.
void play(Player& player, const std::vector<std::string>& lines, std::size_t turns) {
  player.begin("prompt 1");
  for (const std::string& line : lines) {
    if (player.last().ends > 0 && player.turns().size() < turns) player.begin("next prompt");
    player.line(line);
  }
}

std::string text_of_one_turn(const std::vector<std::string>& lines,
                             const plugins::ExitStatus& exit) {
  Player player(kClaude, turn::Rounds::All);
  play(player, lines, 1);
  player.exit(exit);
  CHECK(player.last().ends == 1);
  return player.last().document.text();
}

}  // namespace

TEST_CASE("every recording comes out as its scenario says") {
  for (const std::string& name : recording_names()) {
    const Recording recording = read_recording(name);
    const json::array& turns = expected().at(name).as_array();
    for (const turn::Rounds rounds : {turn::Rounds::Last, turn::Rounds::All}) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(rounds));
      Player player(kClaude, rounds);
      play(player, recording.lines, turns.size());
      player.exit(recording.exit);
      REQUIRE(player.turns().size() == turns.size());
      for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        CAPTURE(turn);
        check_turn(*player.turns()[turn], turns[turn].as_object(), rounds, "claude");
      }
    }
  }
}

TEST_CASE("rounds that were replaced are kept") {
  const Recording recording = read_recording("multitool.partial");
  Player player(kClaude, turn::Rounds::Last);
  play(player, recording.lines, 1);
  CHECK(player.last().turn->reply().earlier_rounds() ==
        std::vector<std::string>{"Running two commands.", "One more."});
}

TEST_CASE("a recording that ends after any of its lines ends its turn exactly once") {
  for (const std::string& name : recording_names()) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    const std::size_t step = recording.lines.size() > 300 ? 31 : 1;
    for (std::size_t cut = 0; cut <= recording.lines.size(); cut += step) {
      CAPTURE(cut);
      Player player(kClaude, turn::Rounds::Last);
      play(player,
           {recording.lines.begin(), recording.lines.begin() + static_cast<std::ptrdiff_t>(cut)},
           1);
      player.exit({1, 0, "killed"});
      CHECK(player.last().ends == 1);
      CHECK(turn::is_terminal(player.last().turn->state()));
    }
  }
}

TEST_CASE("a cancelled turn whose process dies is cancelled, with the text that came") {
  for (const char* name : {"cancel-SIGTERM.partial", "cancel-SIGKILL.partial",
                           "cancel-thinking-SIGTERM.partial", "cancel-tool-SIGTERM.partial"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    Player player(kClaude, turn::Rounds::Last);
    play(player, recording.lines, 1);
    player.cancel();
    player.exit(recording.exit);
    CHECK(player.last().turn->state() == turn::TurnState::Cancelled);
    CHECK(player.last().document.text() ==
          expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::Last));
  }
}

TEST_CASE("unknown events between any two lines change nothing") {
  const std::vector<std::string> unknown = {
      R"({"type":"brand_new","text":"never shown"})",
      R"({"type":"system","subtype":"brand_new","session_id":"x"})",
      R"({"type":"stream_event","event":{"type":"brand_new","index":0},"parent_tool_use_id":null})",
      R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","text":"never shown"}}})",
      R"({"type":"control_response","response":{"subtype":"success","request_id":"other"}})",
      R"({"type":["not","a","name"]})",
      R"({})",
      "",
  };
  for (const std::string& name : recording_names()) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    std::vector<std::string> mixed = unknown;
    for (const std::string& line : recording.lines) {
      mixed.push_back(line);
      mixed.insert(mixed.end(), unknown.begin(), unknown.end());
    }
    const json::array& turns = expected().at(name).as_array();
    Player player(kClaude, turn::Rounds::Last);
    play(player, mixed, turns.size());
    player.exit(recording.exit);
    for (std::size_t turn = 0; turn < turns.size(); ++turn)
      check_turn(*player.turns()[turn], turns[turn].as_object(), turn::Rounds::Last, "claude");
  }
}

TEST_CASE("garbage between any two lines changes no text") {
  const std::vector<std::string> garbage = {"{",
                                            "}{",
                                            R"({"type":"stream_event","event":{"type":"content_bl)",
                                            "Segmentation fault",
                                            "[1,2]",
                                            "\x01\x02"};
  for (const char* name : {"plain.partial", "multitool.partial", "drop.partial", "tool"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    std::vector<std::string> mixed;
    for (const std::string& line : recording.lines) {
      mixed.insert(mixed.end(), garbage.begin(), garbage.end());
      mixed.push_back(line);
    }
    CHECK(text_of_one_turn(mixed, recording.exit) ==
          expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::All));
  }
}

TEST_CASE("two objects on a line are two events, with or without an SSE prefix") {
  for (const char* name : {"plain.partial", "multitool.partial", "subagent.partial"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    std::vector<std::string> pairs;
    for (std::size_t line = 0; line < recording.lines.size(); line += 2) {
      pairs.push_back("data: " + recording.lines[line] +
                      (line + 1 < recording.lines.size() ? recording.lines[line + 1] : "") + " \r");
    }
    CHECK(text_of_one_turn(pairs, recording.exit) ==
          expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::All));
  }
}

namespace {

/// What one side of a two-way recording says, without what differs between two runs.
json::value comparable(json::value frame) {
  json::object& object = frame.as_object();
  if (json::value* id = object.if_contains("request_id")) *id = "ID";
  if (json::value* response = object.if_contains("response")) {
    if (json::object* answer = response->as_object()["response"].if_object();
        answer != nullptr && answer->contains("message")) {
      answer->at("message") = "MESSAGE";
    }
  }
  return frame;
}

void play_duplex(const std::string& name, Player& player, json::array& ours) {
  std::size_t taken = 0;
  for (const std::string& line : tests::read_lines("claude", name + ".duplex.ndjson")) {
    if (line.empty()) continue;
    const json::value entry = json::parse(line);
    const json::object& frame = entry.at("frame").as_object();
    if (entry.at("dir").as_string() == "out") {
      if (!player.turns().empty()) player.line(json::serialize(frame));
      continue;
    }
    const std::string_view type = frame.at("type").as_string();
    if (type == "user") {
      player.begin(std::string(frame.at("message").at("content").at(0).at("text").as_string()));
    } else if (type == "control_response") {
      const bool allow = frame.at("response").at("response").at("behavior").as_string() == "allow";
      player.answer(allow ? "allow" : "deny");
    } else if (frame.at("request").at("subtype").as_string() == "interrupt") {
      player.cancel();
    } else {
      continue;  // initialize, set_model, …: agent-doc does not send them
    }
    REQUIRE(player.written.size() == taken + 1);
    CHECK(json::serialize(comparable(json::parse(player.written[taken++]))) ==
          json::serialize(comparable(frame)));
    ours.push_back(json::parse(player.written[taken - 1]));
  }
  CHECK(player.written.size() == taken);
}

}  // namespace

TEST_CASE(
    "in a two-way recording we write what the recorded host wrote, and every turn comes out "
    "right") {
  for (const std::string& name : recording_names()) {
    if (tests::read_lines("claude", name + ".duplex.ndjson").empty()) continue;
    CAPTURE(name);
    const json::array& turns = expected().at(name).as_array();
    Player player(kClaude, turn::Rounds::Last);
    json::array ours;
    play_duplex(name, player, ours);
    player.exit(read_recording(name).exit);
    REQUIRE(player.turns().size() == turns.size());
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
      CAPTURE(turn);
      check_turn(*player.turns()[turn], turns[turn].as_object(), turn::Rounds::Last, "claude");
    }
  }
}

}  // namespace agent_doc
