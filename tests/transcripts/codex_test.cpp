// What it is: the recordings of the real codex, line by line through its two dialects, the turn and
// the reply: whole, cut after every line, mixed with unknown events. Those of app-server are played
// in both directions: what we write is compared with what the recorded host wrote.
// What it is not: bytes and processes: how stdout is cut into lines is tested with the line reader
// and end to end.
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <limits>
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

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

const plugins::AgentSpec kCodex{"codex", "codex", "codex", {}, {}};
const plugins::AgentSpec kCodexExec{"codex-exec", "codex-exec", "codex", {}, {}};

const json::object& expected() {
  static const json::value kExpected = tests::read_expected("codex");
  return kExpected.as_object().at("recordings").as_object();
}

bool is_app_server(std::string_view name) {
  return name.starts_with("app-server-");
}

enum class Dialect { AppServer, Exec };

std::vector<std::string> recording_names(Dialect dialect) {
  std::vector<std::string> names;
  for (const auto& entry : expected()) {
    if (is_app_server(entry.key()) == (dialect == Dialect::AppServer))
      names.emplace_back(entry.key());
  }
  return names;
}

plugins::LaunchRequest launch_of(std::string_view name) {
  plugins::LaunchRequest request;
  request.cwd = "/srv/proj";
  if (name == "fork") request.start = plugins::SessionStart::Fork;
  if (name.starts_with("resume")) request.start = plugins::SessionStart::Resume;
  if (request.start != plugins::SessionStart::New)
    request.session_id = "01a1f83f-657a-7201-8327-96fdc65f41b7";
  return request;
}

void check_turns(const std::string& name, const Player& player, turn::Rounds rounds) {
  const json::array& turns = expected().at(name).as_array();
  REQUIRE(player.turns().size() == turns.size());
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    CAPTURE(turn);
    check_turn(*player.turns()[turn], turns[turn].as_object(), rounds,
               is_app_server(name) ? "codex" : "codex-exec");
  }
}

// --- exec ---

void play_exec(Player& player, const std::vector<std::string>& lines, std::size_t count = kAll) {
  player.begin("prompt");
  for (std::size_t line = 0; line < std::min(count, lines.size()); ++line) player.line(lines[line]);
}

// --- app-server ---

/// Plays the host's side of a recording of app-server with our protocol, and hands it what the
/// agent answered.
class Duplex {
 public:
  Duplex(const std::string& name, turn::Rounds rounds)
      : player(kCodex, rounds, launch_of(name)),
        frames_(tests::read_recording("codex", name).lines),
        turns_(expected().at(name).as_array().size()) {}

  std::size_t size() const { return frames_.size(); }

  /// `between` comes before every line of the agent.
  void play(const std::vector<std::string>& between = {}, std::size_t count = kAll) {
    player.begin(next_prompt(0));
    for (std::size_t frame = 0; frame < std::min(count, frames_.size()); ++frame) {
      const json::value entry = json::parse(frames_[frame]);
      const json::object& message = entry.at("frame").as_object();
      if (entry.at("dir").as_string() == "send") {
        if (player.last().ends == 0 || player.turns().size() < turns_) host_wrote(message, frame);
        continue;
      }
      for (const std::string& line : between) player.line(line);
      player.line(json::serialize(message));
    }
  }

  Player player;
  std::vector<std::string> host;  ///< what the recorded host wrote while our turns ran

 private:
  std::string next_prompt(std::size_t frame) const {
    for (; frame < frames_.size(); ++frame) {
      const json::value entry = json::parse(frames_[frame]);
      const json::value* method = entry.at("frame").as_object().if_contains("method");
      if (entry.at("dir").as_string() == "send" && method != nullptr && *method == "turn/start") {
        return std::string(entry.at("frame").at("params").at("input").at(0).at("text").as_string());
      }
    }
    return {};
  }

  void host_wrote(const json::object& message, std::size_t frame) {
    host.push_back(json::serialize(message));
    if (message.contains("result")) {
      player.answer(std::string(message.at("result").at("decision").as_string()));
    } else if (message.at("method") == "turn/interrupt") {
      player.cancel();
    } else if (message.at("method") == "turn/start" && player.last().ends > 0) {
      player.begin(next_prompt(frame));
    }
  }

  std::vector<std::string> frames_;
  std::size_t turns_;
};

/// What one side says, without what the two hosts want differently: who they are, which model, and
/// what the agent may do.
std::string comparable(const std::string& line) {
  json::value message = json::parse(line);
  const json::value* method = message.as_object().if_contains("method");
  if (method == nullptr) return json::serialize(message);
  if (*method == "initialize" || *method == "thread/start") message.at("params") = json::object();
  if (*method == "turn/start") message.at("params").as_object().erase("model");
  return json::serialize(message);
}

std::vector<std::string> comparable(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (const std::string& line : lines) result.push_back(comparable(line));
  return result;
}

const std::vector<std::string> kUnknown = {
    R"({"type":"brand_new","text":"never shown"})",
    R"({"type":"item.completed","item":{"id":"item_99","type":"brand_new","text":"never shown"}})",
    R"({"type":"item.brand_new","item":{"id":"item_99","type":"agent_message","text":"never shown"}})",
    R"({"type":["not","a","name"]})",
    R"({"method":"brand/new","params":{"text":"never shown"}})",
    R"({"method":"item/completed","params":{"item":{"type":"brandNew","id":"x","text":"never shown"}}})",
    R"({"method":"item/agentMessage/delta","params":{"threadId":"another","turnId":"another","itemId":"x","delta":"never shown"}})",
    R"({"method":"turn/completed","params":{"threadId":"another","turn":{"id":"another","status":"failed"}}})",
    R"({"method":"mcpServer/startupStatus/updated","params":{"name":"files","status":"failed"}})",
    R"({"method":"account/login/completed","params":{"success":false,"error":"never shown"}})",
    R"({"id":987654,"result":{"turn":{"id":"another"}}})",
    R"({"id":"987654","error":{"code":-1,"message":"never shown"}})",
    R"({"method":"turn/completed","params":[]})",
    "{}",
    "",
};

}  // namespace

TEST_CASE("codex exec: every recording comes out as its scenario says") {
  for (const std::string& name : recording_names(Dialect::Exec)) {
    CAPTURE(name);
    const Recording recording = tests::read_recording("codex", name);
    for (const turn::Rounds rounds : {turn::Rounds::Last, turn::Rounds::All}) {
      Player player(kCodexExec, rounds, launch_of(name));
      play_exec(player, recording.lines);
      player.exit(recording.exit);
      check_turns(name, player, rounds);
      CHECK(player.written == std::vector<std::string>{"prompt"});
      CHECK(player.closed_stdin);
    }
  }
}

TEST_CASE("codex exec: a recording that ends after any of its lines ends its turn exactly once") {
  for (const std::string& name : recording_names(Dialect::Exec)) {
    CAPTURE(name);
    const Recording recording = tests::read_recording("codex", name);
    for (std::size_t cut = 0; cut <= recording.lines.size(); ++cut) {
      CAPTURE(cut);
      Player player(kCodexExec, turn::Rounds::Last, launch_of(name));
      play_exec(player, recording.lines, cut);
      player.exit({1, 0, "killed"});
      CHECK(player.last().ends == 1);
      CHECK(turn::is_terminal(player.last().turn->state()));
    }
  }
}

TEST_CASE("codex exec: a cancelled turn is cancelled, with the text that came") {
  for (const char* name :
       {"cancel-SIGINT", "cancel-SIGTERM", "cancel-SIGKILL", "cancel-tool-SIGINT"}) {
    CAPTURE(name);
    const Recording recording = tests::read_recording("codex", name);
    Player player(kCodexExec, turn::Rounds::Last, launch_of(name));
    play_exec(player, recording.lines);
    player.cancel();
    CHECK(player.signals == std::vector<plugins::Signal>{plugins::Signal::Interrupt});
    player.exit(recording.exit);
    CHECK(player.last().turn->state() == turn::TurnState::Cancelled);
    CHECK(player.last().document.text() ==
          expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::Last));
  }
}

TEST_CASE("codex exec: unknown events between any two lines change nothing") {
  for (const std::string& name : recording_names(Dialect::Exec)) {
    CAPTURE(name);
    const Recording recording = tests::read_recording("codex", name);
    std::vector<std::string> mixed = kUnknown;
    for (const std::string& line : recording.lines) {
      mixed.push_back(line);
      mixed.insert(mixed.end(), kUnknown.begin(), kUnknown.end());
    }
    Player player(kCodexExec, turn::Rounds::Last, launch_of(name));
    play_exec(player, mixed);
    player.exit(recording.exit);
    check_turns(name, player, turn::Rounds::Last);
  }
}

TEST_CASE(
    "codex app-server: every recording comes out as its scenario says, and we write what the "
    "recorded host wrote") {
  for (const std::string& name : recording_names(Dialect::AppServer)) {
    CAPTURE(name);
    for (const turn::Rounds rounds : {turn::Rounds::Last, turn::Rounds::All}) {
      Duplex duplex(name, rounds);
      duplex.play();
      duplex.player.exit({0, 0, ""});
      check_turns(name, duplex.player, rounds);
      CHECK(comparable(duplex.player.written) == comparable(duplex.host));
    }
  }
}

TEST_CASE(
    "codex app-server: a recording that ends after any of its lines ends its turn exactly once") {
  for (const std::string& name : recording_names(Dialect::AppServer)) {
    CAPTURE(name);
    const std::size_t size = Duplex(name, turn::Rounds::Last).size();
    const std::size_t step = size > 300 ? 31 : 1;
    for (std::size_t cut = 0; cut <= size; cut += step) {
      CAPTURE(cut);
      Duplex duplex(name, turn::Rounds::Last);
      duplex.play({}, cut);
      duplex.player.exit({1, 0, "killed"});
      for (const auto& played : duplex.player.turns()) {
        CHECK(played->ends == 1);
        CHECK(turn::is_terminal(played->turn->state()));
      }
    }
  }
}

TEST_CASE("codex app-server: unknown events and garbage between any two lines change nothing") {
  const std::vector<std::string> garbage = {
      "{", "}{", R"({"method":"item/agentMessage/de)", "Segmentation fault", "[1,2]", "\x01\x02"};
  for (const std::string& name : recording_names(Dialect::AppServer)) {
    CAPTURE(name);
    for (const std::vector<std::string>& between : {kUnknown, garbage}) {
      Duplex duplex(name, turn::Rounds::Last);
      duplex.play(between);
      duplex.player.exit({0, 0, ""});
      check_turns(name, duplex.player, turn::Rounds::Last);
      CHECK(comparable(duplex.player.written) == comparable(duplex.host));
    }
  }
}

TEST_CASE("codex app-server: the agent's questions say what it wants to do") {
  constexpr std::size_t kFramesUpToTheQuestion = 18;
  Duplex duplex("app-server-approval-accept", turn::Rounds::Last);
  duplex.play({}, kFramesUpToTheQuestion);
  const auto& permission = duplex.player.last().turn->permission();
  REQUIRE(permission.has_value());
  CHECK(permission->tool == "command");
  CHECK(permission->detail == "/bin/bash -lc 'echo oops >&2; exit 3'\ncwd: /srv/proj");
  std::vector<std::string> options;
  for (const plugins::PermissionOption& option : permission->options)
    options.push_back(option.id + ": " + option.label);
  CHECK(options ==
        std::vector<std::string>{
            "accept: Allow once",
            "acceptWithRule: Always allow what begins with: /bin/bash -lc echo oops >&2; exit 3",
            "decline: Deny"});
}

}  // namespace agent_doc
