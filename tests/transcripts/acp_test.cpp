// What it is: the recordings of real ACP agents in both directions: what we write is compared with
// what the recorded client wrote, what the agent wrote comes out as its scenario says: whole, cut
// after every line, mixed with unknown messages and garbage.
// What it is not: bytes and processes, and what no agent was recorded to say
// (tests/unit/plugins_acp_*_test.cpp).
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/transcripts/player.hpp"

#include "plugins/json_rpc_lines.hpp"
#include "plugins/system_note.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc {
namespace {

namespace json = boost::json;

using tests::check_turn;
using tests::Player;

const json::object& expected() {
  static const json::value kExpected = tests::read_expected("acp");
  return kExpected.as_object().at("recordings").as_object();
}

std::string agent_of(std::string_view name) {
  for (const char* agent : {"claude-agent-acp", "claude-code-acp", "gemini", "opencode", "qwen"}) {
    if (name.starts_with(agent)) return agent;
  }
  return {};
}

plugins::AgentSpec spec_of(std::string_view name) {
  const json::value* dialect = expected().at(name).as_object().if_contains("dialect");
  const std::string agent = agent_of(name);
  return {agent, dialect != nullptr ? std::string(dialect->as_string()) : agent, agent, {}, {}};
}

plugins::LaunchRequest request_of(std::string_view name, const std::vector<json::object>& frames) {
  const json::string& start = expected().at(name).at("start").as_string();
  plugins::LaunchRequest request;
  request.cwd = "/srv/proj";
  if (start == "new") return request;
  request.start = start == "fork" ? plugins::SessionStart::Fork : plugins::SessionStart::Resume;
  for (const json::object& frame : frames) {
    const json::value* method = frame.at("frame").as_object().if_contains("method");
    if (frame.at("dir").as_string() != "send" || method == nullptr ||
        !method->as_string().starts_with("session/"))
      continue;
    request.session_id = frame.at("frame").at("params").at("sessionId").as_string();
    break;
  }
  return request;
}

std::vector<json::object> frames_of(const std::string& name) {
  std::vector<json::object> frames;
  for (const std::string& line : tests::read_lines("acp", name + ".ndjson"))
    frames.push_back(json::parse(line).as_object());
  return frames;
}

std::string_view method_of(const json::object& frame) {
  const json::value* method = frame.if_contains("method");
  return method != nullptr ? std::string_view(method->as_string()) : std::string_view();
}

/// What one side says, without what is our own: ids, who we are, what every agent is told.
std::string comparable(json::object frame) {
  if (method_of(frame).empty()) return json::serialize(json::value(std::move(frame)));
  frame["id"] = "ID";
  json::object& params = frame["params"].as_object();
  if (method_of(frame) == "initialize")
    return "initialize version " + json::serialize(params["protocolVersion"]);
  params.erase("_meta");
  if (json::value* prompt = params.if_contains("prompt");
      prompt != nullptr && prompt->as_array().size() == 2) {
    CHECK(prompt->at(1).at("text").as_string() == "\n\n" + std::string(plugins::kSystemNote));
    prompt->as_array().pop_back();
  }
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : params) sorted[std::string(key)] = json::serialize(value);
  std::string text = std::string(method_of(frame));
  for (const auto& [key, value] : sorted) text += " " + key + "=" + value;
  return text;
}

/// One recording, played to its end or cut.
class Duplex {
 public:
  explicit Duplex(const std::string& name)
      : name_(name),
        frames_(frames_of(name)),
        player_(spec_of(name), turn::Rounds::All, request_of(name, frames_)) {}

  /// `between` is what the agent says before each of its own lines.
  void play(const std::vector<std::string>& between = {},
            std::size_t cut = std::numeric_limits<std::size_t>::max()) {
    player_.begin(next_prompt(0));
    take_written();
    for (std::size_t at = 0; at < frames_.size() && at < cut; ++at) {
      const json::object& frame = frames_[at].at("frame").as_object();
      if (player_.last().ends > 0 && !has_prompt(at)) return;
      if (frames_[at].at("dir").as_string() == "send") {
        drive(frame, at);
      } else {
        const bool has_barrier = barrier_.has_value();
        for (const std::string& line : between) hear(line);
        hear(json::serialize(json::value(with_our_id(frame))));
        if (has_barrier) answer_barrier();
      }
    }
  }

  Player& player() { return player_; }
  /// All that the recorded client wrote was compared with what we wrote.
  bool all_compared() const { return recorded_.empty() && ours_.empty(); }

 private:
  bool has_prompt(std::size_t from) const {
    return std::any_of(frames_.begin() + static_cast<std::ptrdiff_t>(from), frames_.end(),
                       [](const json::object& f) {
                         return method_of(f.at("frame").as_object()) == "session/prompt";
                       });
  }

  std::string next_prompt(std::size_t from) const {
    for (std::size_t at = from; at < frames_.size(); ++at) {
      const json::object& frame = frames_[at].at("frame").as_object();
      if (method_of(frame) == "session/prompt")
        return std::string(frame.at("params").at("prompt").at(0).at("text").as_string());
    }
    return "Hi.";
  }

  void hear(std::string_view line) {
    check_.from_agent(line);
    player_.line(line);
    take_written();
  }

  /// What we wrote: barriers and second thoughts are answered here, the rest waits for its
  /// counterpart.
  void take_written() {
    while (taken_ < player_.written.size()) {
      CAPTURE(player_.written[taken_]);
      CHECK(check_.from_client(player_.written[taken_]).empty());
      const json::object line = json::parse(player_.written[taken_++]).as_object();
      if (method_of(line) == "_agent-doc/barrier") {
        barrier_ = line.at("id").as_int64();
      } else if (method_of(line) == "session/resume" && !was_recorded("session/resume")) {
        refuse(line.at("id").as_int64());
      } else if (!is_answer_to_unknown(line)) {
        ours_.push_back(line);
      }
    }
  }

  bool was_recorded(std::string_view method) const {
    return std::any_of(frames_.begin(), frames_.end(), [method](const json::object& f) {
      return method_of(f.at("frame").as_object()) == method;
    });
  }

  static bool is_answer_to_unknown(const json::object& line) {
    return line.contains("error") &&
           line.at("error").at("code").as_int64() == plugins::kRpcMethodNotFound;
  }

  void refuse(std::int64_t id) {
    hear(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"error":{"code":-32603,"message":"Internal error"}})");
  }

  void answer_barrier() {
    if (!barrier_) return;
    const std::int64_t id = *std::exchange(barrier_, std::nullopt);
    hear(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"error":{"code":-32601,"message":"\"Method not found\": _agent-doc/barrier"}})");
  }

  void drive(const json::object& frame, std::size_t at) {
    const std::string_view method = method_of(frame);
    if (method.empty()) return answer(frame);
    if (method == "session/prompt" && player_.last().ends > 0) player_.begin(next_prompt(at));
    if (method == "session/cancel") player_.cancel();
    take_written();
    // gemini replays after its answer, so that the recorded prompt came in the middle of it: ours
    // waits.
    const bool waits = barrier_ && agent_of(name_) == "gemini";
    while (barrier_ && !waits) answer_barrier();
    recorded_.push_back(frame);
    compare();
  }

  void compare() {
    while (!recorded_.empty() && !ours_.empty()) {
      const json::object theirs = recorded_.front();
      const json::object our = ours_.front();
      recorded_.erase(recorded_.begin());
      ours_.erase(ours_.begin());
      CHECK(comparable(our) == comparable(theirs));
      if (theirs.contains("id") && our.contains("id"))
        our_ids_[theirs.at("id").to_number<std::int64_t>()] = our.at("id");
    }
  }

  void answer(const json::object& frame) {
    const json::value* result = frame.if_contains("result");
    if (result != nullptr && result->as_object().contains("outcome")) {
      const json::value* option = result->at("outcome").as_object().if_contains("optionId");
      player_.answer(option != nullptr ? std::string(option->as_string()) : std::string());
    } else if (!player_.writes.empty()) {
      player_.protocol().file_answered(player_.writes.back().id, {true, {}, false}, player_);
      player_.writes.clear();
    } else {
      REQUIRE_FALSE(player_.reads.empty());
      const bool found = result != nullptr;
      const std::string text(found ? result->at("content").as_string()
                                   : frame.at("error").at("message").as_string());
      player_.protocol().file_answered(player_.reads.back().id, {found, text, !found}, player_);
    }
    take_written();
    REQUIRE_FALSE(ours_.empty());
    json::object theirs = frame;
    if (json::value* error = theirs.if_contains("error")) error->as_object().erase("data");
    CHECK(comparable(ours_.front()) == comparable(theirs));
    ours_.erase(ours_.begin());
  }

  /// An answer carries the id of our request.
  json::object with_our_id(json::object frame) {
    compare();
    if (frame.contains("method")) return frame;
    const auto ours = our_ids_.find(frame.at("id").to_number<std::int64_t>());
    if (ours != our_ids_.end()) frame["id"] = ours->second;
    return frame;
  }

  std::string name_;
  std::vector<json::object> frames_;
  Player player_;
  fakes::AcpWireCheck check_;
  std::size_t taken_ = 0;
  std::optional<std::int64_t> barrier_;
  std::vector<json::object> ours_, recorded_;
  std::map<std::int64_t, json::value> our_ids_;
};

void check_turns(Player& player, const std::string& name) {
  const json::array& turns = expected().at(name).at("turns").as_array();
  REQUIRE(player.turns().size() == turns.size());
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    CAPTURE(turn);
    check_turn(*player.turns()[turn], turns[turn].as_object(), turn::Rounds::All, agent_of(name));
  }
}

/// What an agent that was asked for its sessions comes to.
class ListHost final : public plugins::Actions {
 public:
  explicit ListHost(const std::string& name)
      : protocol_(
            plugins::make_protocol({agent_of(name), agent_of(name), agent_of(name), {}, {}})) {
    plugins::LaunchRequest request;
    request.cwd = "/srv/proj";
    protocol_->launch(request);
    protocol_->list_sessions(*this);
  }

  /// Up to the frame `cut`; our requests have the recorded ids and one.
  void play(const std::vector<json::object>& frames, std::size_t cut) {
    std::size_t sent = 0;
    for (std::size_t at = 0; at < frames.size() && at < cut; ++at) {
      json::object frame = frames[at].at("frame").as_object();
      if (frames[at].at("dir").as_string() == "send") {
        if (sent == written.size())
          break;  // an agent that does not say that it can list is not asked
        CHECK(comparable(json::parse(written[sent++]).as_object()) == comparable(frame));
      } else {
        frame["id"] = frame.at("id").as_int64() + 1;
        protocol_->on_line(json::serialize(frame), *this);
      }
    }
    protocol_->on_exit({0, 0, {}}, *this);
  }

  void emit(const plugins::AgentEvent& event) override {
    const auto* listed = std::get_if<plugins::SessionsListed>(&event);
    if (listed == nullptr) return;
    ++lists;
    listing = listed->listing;
    sessions = json::array();
    for (const plugins::KeptSession& session : listed->sessions)
      sessions.push_back(json::array{session.id, session.used_ms.value_or(0), session.title});
  }
  void write_line(std::string line) override {
    CHECK(fakes::AcpWireCheck().from_client(line).empty());
    written.push_back(std::move(line));
  }
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

  int lists = 0;
  plugins::Listing listing = plugins::Listing::Failed;
  json::array sessions;
  std::vector<std::string> written;

 private:
  std::unique_ptr<plugins::AgentProtocol> protocol_;
};

}  // namespace

TEST_CASE("ACP: the recorded lists of sessions come out whole, and once wherever they are cut") {
  const json::value all = tests::read_expected("acp");
  for (const auto& [key, wanted] : all.at("lists").as_object()) {
    const std::string name(key);
    CAPTURE(name);
    const std::vector<json::object> frames = frames_of(name);
    ListHost whole(name);
    whole.play(frames, frames.size());
    CHECK(whole.lists == 1);
    CHECK(whole.listing == (wanted.at("listing").as_string() == "whole"
                                ? plugins::Listing::Whole
                                : plugins::Listing::Unsupported));
    CHECK(whole.sessions == wanted.at("sessions").as_array());
    for (std::size_t cut = 0; cut < frames.size(); ++cut) {
      CAPTURE(cut);
      ListHost host(name);
      host.play(frames, cut);
      CHECK(host.lists == 1);
    }
  }
}

TEST_CASE(
    "ACP: every recording comes out as its scenario says, and we write what the recorded client "
    "wrote") {
  for (const auto& entry : expected()) {
    const std::string name(entry.key());
    CAPTURE(name);
    Duplex duplex(name);
    duplex.play();
    duplex.player().exit(tests::read_recording("acp", name).exit);
    check_turns(duplex.player(), name);
    CHECK(duplex.all_compared());
  }
}

TEST_CASE("ACP: a recording that ends after any of its lines ends its turn exactly once") {
  for (const auto& entry : expected()) {
    const std::string name(entry.key());
    CAPTURE(name);
    const std::size_t frames = frames_of(name).size();
    const std::size_t step = frames > 300 ? 31 : 1;
    for (std::size_t cut = 0; cut <= frames; cut += step) {
      CAPTURE(cut);
      Duplex duplex(name);
      duplex.play({}, cut);
      duplex.player().exit({1, 0, "killed"});
      for (const auto& played : duplex.player().turns()) {
        CHECK(played->ends == 1);
        CHECK(turn::is_terminal(played->turn->state()));
      }
    }
  }
}

TEST_CASE(
    "ACP: unknown messages between any two lines change nothing, and every unknown request is "
    "answered") {
  const std::vector<std::string> unknown = {
      R"({"jsonrpc":"2.0","method":"session/brand_new","params":{"text":"never shown"}})",
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"never shown"}}}})",
      R"({"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"brand_new","content":{"type":"text","text":"never shown"}}}})",
      R"({"jsonrpc":"2.0","method":"session/update","params":{}})",
      R"({"jsonrpc":"2.0","id":"theirs","method":"terminal/create","params":{"command":"rm"}})",
      R"({"jsonrpc":"2.0","id":4711,"result":{"stopReason":"end_turn"}})",
      R"({"jsonrpc":"2.0","id":4712,"error":{"code":1,"message":"never shown"}})",
      R"({"jsonrpc":"2.0"})",
      R"({})",
      "",
  };
  for (const auto& entry : expected()) {
    const std::string name(entry.key());
    CAPTURE(name);
    Duplex duplex(name);
    duplex.play(unknown);
    duplex.player().exit(tests::read_recording("acp", name).exit);
    check_turns(duplex.player(), name);
    const auto refusals = std::count_if(
        duplex.player().written.begin(), duplex.player().written.end(),
        [](const std::string& line) {
          return line ==
                 R"({"jsonrpc":"2.0","id":"theirs","error":{"code":-32601,"message":"agent-doc does not know the method \"terminal/create\""}})";
        });
    CHECK(refusals > 0);
  }
}

TEST_CASE("ACP: garbage between any two lines changes nothing") {
  const std::vector<std::string> garbage = {"{",
                                            "}{",
                                            R"({"jsonrpc":"2.0","method":"session/upd)",
                                            "(node:42) Warning: something",
                                            "[1,2]",
                                            "\x01\x02"};
  for (const auto& entry : expected()) {
    const std::string name(entry.key());
    CAPTURE(name);
    Duplex duplex(name);
    duplex.play(garbage);
    duplex.player().exit(tests::read_recording("acp", name).exit);
    check_turns(duplex.player(), name);
  }
}

}  // namespace agent_doc
