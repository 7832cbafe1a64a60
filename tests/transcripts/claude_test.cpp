// What it is: the recordings of the real claude, line by line through its protocol, the turn and the reply: whole, cut after every line, mixed with
// unknown events, and in both directions.
// What it is not: bytes and processes: how stdout is cut into lines is tested with the line reader and end to end.
#include "plugins/registry.hpp"
#include "server/turn/turn.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc {
namespace {

namespace json = boost::json;

const std::filesystem::path kFolder = std::filesystem::path(AGENT_DOC_TEST_DATA) / "transcripts" / "claude";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Recording {
  std::string name;
  std::vector<std::string> lines;
  plugins::ExitStatus exit;
};

Recording read_recording(const std::string& name) {
  Recording recording{name, lines_of(read_file(kFolder / (name + ".ndjson"))), {}};
  const std::string exit = read_file(kFolder / (name + ".exit"));
  if (exit.starts_with("signal")) {
    recording.exit.signal = 9;
  } else {
    recording.exit.code = std::stoi(exit);
  }
  recording.exit.stderr_tail = read_file(kFolder / (name + ".stderr"));
  return recording;
}

const json::object& expected() {
  static const json::value kExpected = json::parse(read_file(kFolder / "EXPECTED.json"));
  return kExpected.as_object().at("recordings").as_object();
}

std::vector<std::string> recording_names() {
  std::vector<std::string> names;
  for (const auto& entry : expected()) names.emplace_back(entry.key());
  return names;
}

std::string_view name_of(plugins::FailureKind kind) {
  switch (kind) {
    case plugins::FailureKind::Auth:
      return "auth";
    case plugins::FailureKind::RateLimit:
      return "rate_limit";
    case plugins::FailureKind::Invalid:
      return "invalid";
    case plugins::FailureKind::Network:
      return "network";
    case plugins::FailureKind::Refused:
      return "refused";
    case plugins::FailureKind::MaxTokens:
      return "max_tokens";
    case plugins::FailureKind::SessionUnknown:
      return "session_unknown";
    case plugins::FailureKind::Crashed:
      return "crashed";
    case plugins::FailureKind::Unknown:
      return "unknown";
  }
  return "";
}

/// Applies the edits of a reply, as a document would.
class Document : public turn::ReplyEdits {
 public:
  void append(std::string_view text) override {
    CHECK_FALSE(text.empty());
    text_.append(text);
  }
  void replace_from(std::size_t offset, std::string_view text) override {
    REQUIRE(offset <= text_.size());
    text_.resize(offset);
    text_.append(text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One claude process and the turns of its session.
class Player : public plugins::Actions {
 public:
  struct Played {
    Document document;
    std::unique_ptr<turn::Turn> turn;
    int ends = 0;
  };

  explicit Player(turn::Rounds rounds) : rounds_(rounds), protocol_(plugins::make_protocol({"claude", "claude", "claude", {}, {}})) {}

  void begin(const std::string& prompt) {
    turns_.push_back(std::make_unique<Played>());
    turns_.back()->turn = std::make_unique<turn::Turn>(rounds_, turn::Thinking::None, turns_.back()->document);
    protocol_->begin_turn({prompt}, *this);
  }
  void line(std::string_view line) {
    turns_.back()->turn->on_line(line.size());
    protocol_->on_line(line, *this);
  }
  void exit(const plugins::ExitStatus& status) { protocol_->on_exit(status, *this); }
  void cancel() { protocol_->cancel(*this); }
  void answer(const std::string& option) {
    REQUIRE(last().turn->permission().has_value());
    const std::string id = last().turn->permission()->id;
    protocol_->answer(id, option, *this);
    last().turn->permission_answered();
  }

  void emit(const plugins::AgentEvent& event) override {
    if (std::holds_alternative<plugins::TurnEnded>(event)) ++turns_.back()->ends;
    turns_.back()->turn->on_event(event);
    CHECK(turns_.back()->document.text() == turns_.back()->turn->reply().text());
  }
  void write_line(std::string line) override { written.push_back(std::move(line)); }
  void close_stdin() override { FAIL("the protocol closed standard input"); }
  void send_signal(plugins::Signal) override { FAIL("the protocol sent a signal"); }

  Played& last() { return *turns_.back(); }
  const std::vector<std::unique_ptr<Played>>& turns() const { return turns_; }

  std::vector<std::string> written;

 private:
  turn::Rounds rounds_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  std::vector<std::unique_ptr<Played>> turns_;
};

std::string expected_text(const json::object& turn, turn::Rounds rounds) {
  const json::array& texts = turn.at("rounds").as_array();
  if (texts.empty()) return {};
  if (rounds == turn::Rounds::Last) return std::string(texts.back().as_string());
  std::string all;
  for (const json::value& text : texts) {
    if (!all.empty()) all += "\n\n";
    all += std::string_view(text.as_string());
  }
  return all;
}

void check_turn(const Player::Played& played, const json::object& expectation, turn::Rounds rounds) {
  const turn::Turn& turn = *played.turn;
  CHECK(played.ends == 1);
  CHECK(played.document.text() == expected_text(expectation, rounds));
  CHECK(name_of(turn.state()) == std::string_view(expectation.at("state").as_string()));
  const json::value* failure = expectation.if_contains("failure");
  if (failure != nullptr) {
    CHECK(name_of(turn.failure_kind()) == std::string_view(failure->as_string()));
    CHECK(turn.failure_message().starts_with("claude: "));
  } else {
    CHECK(turn.failure_message().empty());
  }
  CHECK(turn.session_id() == std::string_view(expectation.at("session").as_string()));
  CHECK(turn.model() == std::string_view(expectation.at("model").as_string()));
  const plugins::Usage& usage = turn.usage();
  const json::array told{usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost_micros};
  CHECK(told == expectation.at("usage").as_array());
  CHECK(turn.status().empty());
}

/// Plays `lines` as a session: a turn begins at the start and after each end while expected turns are left.
void play(Player& player, const std::vector<std::string>& lines, std::size_t turns) {
  player.begin("prompt 1");
  for (const std::string& line : lines) {
    if (player.last().ends > 0 && player.turns().size() < turns) player.begin("next prompt");
    player.line(line);
  }
}

std::string text_of_one_turn(const std::vector<std::string>& lines, const plugins::ExitStatus& exit) {
  Player player(turn::Rounds::All);
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
      Player player(rounds);
      play(player, recording.lines, turns.size());
      player.exit(recording.exit);
      REQUIRE(player.turns().size() == turns.size());
      for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        CAPTURE(turn);
        check_turn(*player.turns()[turn], turns[turn].as_object(), rounds);
      }
    }
  }
}

TEST_CASE("rounds that were replaced are kept") {
  const Recording recording = read_recording("multitool.partial");
  Player player(turn::Rounds::Last);
  play(player, recording.lines, 1);
  CHECK(player.last().turn->reply().earlier_rounds() == std::vector<std::string>{"Running two commands.", "One more."});
}

TEST_CASE("a recording that ends after any of its lines ends its turn exactly once") {
  for (const std::string& name : recording_names()) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    const std::size_t step = recording.lines.size() > 300 ? 31 : 1;
    for (std::size_t cut = 0; cut <= recording.lines.size(); cut += step) {
      CAPTURE(cut);
      Player player(turn::Rounds::Last);
      play(player, {recording.lines.begin(), recording.lines.begin() + static_cast<std::ptrdiff_t>(cut)}, 1);
      player.exit({1, 0, "killed"});
      CHECK(player.last().ends == 1);
      CHECK(turn::is_terminal(player.last().turn->state()));
    }
  }
}

TEST_CASE("a cancelled turn whose process dies is cancelled, with the text that came") {
  for (const char* name :
       {"cancel-SIGTERM.partial", "cancel-SIGKILL.partial", "cancel-thinking-SIGTERM.partial", "cancel-tool-SIGTERM.partial"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    Player player(turn::Rounds::Last);
    play(player, recording.lines, 1);
    player.cancel();
    player.exit(recording.exit);
    CHECK(player.last().turn->state() == turn::TurnState::Cancelled);
    CHECK(player.last().document.text() == expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::Last));
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
    Player player(turn::Rounds::Last);
    play(player, mixed, turns.size());
    player.exit(recording.exit);
    for (std::size_t turn = 0; turn < turns.size(); ++turn) check_turn(*player.turns()[turn], turns[turn].as_object(), turn::Rounds::Last);
  }
}

TEST_CASE("garbage between any two lines changes no text") {
  const std::vector<std::string> garbage = {
      "{", "}{", R"({"type":"stream_event","event":{"type":"content_bl)", "Segmentation fault", "[1,2]", "\x01\x02"};
  for (const char* name : {"plain.partial", "multitool.partial", "drop.partial", "tool"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    std::vector<std::string> mixed;
    for (const std::string& line : recording.lines) {
      mixed.insert(mixed.end(), garbage.begin(), garbage.end());
      mixed.push_back(line);
    }
    CHECK(text_of_one_turn(mixed, recording.exit) == expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::All));
  }
}

TEST_CASE("two objects on a line are two events, with or without an SSE prefix") {
  for (const char* name : {"plain.partial", "multitool.partial", "subagent.partial"}) {
    CAPTURE(name);
    const Recording recording = read_recording(name);
    std::vector<std::string> pairs;
    for (std::size_t line = 0; line < recording.lines.size(); line += 2) {
      pairs.push_back("data: " + recording.lines[line] + (line + 1 < recording.lines.size() ? recording.lines[line + 1] : "") + " \r");
    }
    CHECK(text_of_one_turn(pairs, recording.exit) == expected_text(expected().at(name).as_array().front().as_object(), turn::Rounds::All));
  }
}

namespace {

/// What one side of a two-way recording says, without what differs between two runs.
json::value comparable(json::value frame) {
  json::object& object = frame.as_object();
  if (json::value* id = object.if_contains("request_id")) *id = "ID";
  if (json::value* response = object.if_contains("response")) {
    if (json::object* answer = response->as_object()["response"].if_object(); answer != nullptr && answer->contains("message")) {
      answer->at("message") = "MESSAGE";
    }
  }
  return frame;
}

void play_duplex(const std::string& name, Player& player, json::array& ours) {
  std::size_t taken = 0;
  for (const std::string& line : lines_of(read_file(kFolder / (name + ".duplex.ndjson")))) {
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
    CHECK(json::serialize(comparable(json::parse(player.written[taken++]))) == json::serialize(comparable(frame)));
    ours.push_back(json::parse(player.written[taken - 1]));
  }
  CHECK(player.written.size() == taken);
}

}  // namespace

TEST_CASE("in a two-way recording we write what the recorded host wrote, and every turn comes out right") {
  for (const std::string& name : recording_names()) {
    if (!std::filesystem::exists(kFolder / (name + ".duplex.ndjson"))) continue;
    CAPTURE(name);
    const json::array& turns = expected().at(name).as_array();
    Player player(turn::Rounds::Last);
    json::array ours;
    play_duplex(name, player, ours);
    player.exit(read_recording(name).exit);
    REQUIRE(player.turns().size() == turns.size());
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
      CAPTURE(turn);
      check_turn(*player.turns()[turn], turns[turn].as_object(), turn::Rounds::Last);
    }
  }
}

}  // namespace agent_doc
