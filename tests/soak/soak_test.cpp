// What it is: many turns of every dialect in one process, with lines of all sizes (0 to 10 MB):
// each turn ends, nothing throws, and memory stays flat. A part of it by default; with
// AGENT_DOC_SOAK=whole all of it: 10,000 turns and 1,000,000 lines.
// What it is not: processes, pipes and disks.
// Thread rule: one thread.
#include "server/process/line_reader.hpp"
#include "tests/fakes/session_world.hpp"
#include "tests/soak/counted_memory.hpp"
#include "tests/soak/soak_lines.hpp"
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

namespace agent_doc::soak {

namespace json = boost::json;

namespace {

struct Agent {
  std::string name;    ///< of its dialect, too
  std::string folder;  ///< of its recordings
  std::string recording;
  plugins::GenericAgent generic = {};
};

const std::vector<Agent>& agents() {
  using Format = plugins::GenericAgent::Format;
  static const std::vector<Agent> kAgents = {
      {"claude", "claude", "tool.partial"},
      {"codex", "codex", "app-server-plain"},
      {"gemini", "acp", "gemini-tool"},
      {"opencode", "acp", "opencode-thinking"},
      {"claude-code-acp", "acp", "claude-code-acp-tool"},
      {"codex-exec", "codex", "tool"},
      {"gemini-stream", "gemini-stream", "tool"},
      {"opencode-run", "opencode-run", "tool"},
      {"cursor-agent", "cursor-agent", "tool"},
      {"generic", "gemini-stream", "plain"},
      {"generic-text", "gemini-stream", "plain", {Format::Text, {}, {}, {}, {}, {}}},
  };
  return kAgents;
}

/// What an agent says in one turn, and what it answers to our requests, from its recording.
struct Script {
  std::vector<std::string> lines;  ///< the last one ends the turn
  std::map<std::string, json::value> results;
  std::string prompt;  ///< the request that begins a turn; empty for agents of lines
};

Script script_of(const Agent& agent) {
  Script script;
  std::map<std::int64_t, std::string> asked;
  for (const std::string& line : tests::read_lines(agent.folder, agent.recording + ".ndjson")) {
    const json::value value = json::parse(line);
    const json::object& object = value.as_object();
    if (!object.contains("dir")) {
      script.lines.push_back(line);
      continue;
    }
    const json::object& frame = object.at("frame").as_object();
    const bool has_method = frame.contains("method");
    if (object.at("dir") == "send") {
      if (!has_method || !frame.contains("id")) continue;
      const std::string method(frame.at("method").as_string());
      asked[frame.at("id").as_int64()] = method;
      if (method == "session/prompt" || method == "turn/start") script.prompt = method;
    } else if (has_method && !script.prompt.empty() && !frame.contains("id")) {
      script.lines.push_back(json::serialize(frame));
    } else if (!has_method && frame.contains("result")) {
      script.results[asked[frame.at("id").as_int64()]] = frame.at("result");
    }
  }
  REQUIRE(script.lines.size() > 1);
  return script;
}

/// A document whose agent says the lines of a script and of a soak, turn after turn.
class SoakedDocument {
 public:
  SoakedDocument(const Agent& agent, std::uint32_t seed)
      : script_(script_of(agent)),
        soak_(script_.lines, seed),
        world_("---\nagent: " + agent.name + "\n---\n\n## User\n\nHello?\n") {
    world_.other_agents[agent.name] = {
        agent.name,   agent.name == "generic-text" ? "generic" : agent.name, "agent", {}, {}, {},
        agent.generic};
  }

  void turn(std::size_t count, Sizes sizes) {
    REQUIRE(std::holds_alternative<std::string>(world_.session.run({})));
    if (script_.prompt.empty()) {
      play(count, sizes);
    } else {
      answer(count, sizes);
    }
    if (!is_over()) world_.exit({0, 0, {}});
    ++turns;
    largest_turn_ = std::max(largest_turn_, std::exchange(turn_bytes_, 0));
    REQUIRE(is_over());
    // That sentence is what becomes of an exception.
    CHECK(world_.views.back().failure.find("mistake in agent-doc") == std::string::npos);
    world_.run_until_quiet();
    forget();
  }

  /// In bytes.
  std::size_t largest_turn() const { return largest_turn_; }

  std::size_t turns = 0;
  std::size_t lines = 0;

 private:
  bool is_over() const { return turn::is_terminal(world_.views.back().state); }

  void say(const std::string& line) {
    constexpr std::size_t kPipe = 64 * 1024;
    if (world_.observer != reading_) reader_ = std::make_unique<process::LineReader>();
    reading_ = world_.observer;
    ++lines;
    const std::string bytes = line + "\n";
    turn_bytes_ += bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += kPipe) {
      reader_->feed(std::string_view(bytes).substr(at, kPipe));
      while (const auto read = reader_->next()) {
        world_.observer->on_line(std::get<std::string_view>(*read));
      }
    }
    world_.clock += std::chrono::milliseconds(5);
    world_.session.wake();
    if (lines % 10 == 0) world_.step();
  }

  void play(std::size_t count, Sizes sizes) {
    for (std::size_t line = 0; line + 1 < script_.lines.size(); ++line) {
      say(script_.lines[line]);
      const std::size_t share = count / script_.lines.size() + 1;
      for (std::size_t extra = 0; extra < share && !is_over(); ++extra) say(soak_.next(sizes));
    }
    say(script_.lines.back());
  }

  /// Plays the side of an agent of JSON-RPC until it has answered the prompt.
  void answer(std::size_t count, Sizes sizes) {
    for (std::size_t next = 0; next < world_.written.size() && !is_over(); ++next) {
      boost::system::error_code error;
      const json::value asked = json::parse(world_.written[next], error);
      const json::object* request = error ? nullptr : asked.if_object();
      if (request == nullptr || !request->contains("method") || !request->contains("id")) continue;
      const std::string method(request->at("method").as_string());
      const auto result = script_.results.find(method);
      json::object answer{{"jsonrpc", "2.0"}, {"id", request->at("id")}};
      if (result == script_.results.end()) {
        answer["error"] = json::object{{"code", -32601}, {"message", "Method not found"}};
      } else {
        answer["result"] = result->second;
      }
      if (method == "session/prompt") play(count, sizes);
      say(json::serialize(answer));
      if (method == "turn/start") play(count, sizes);
    }
  }

  /// What the fakes keep, and the reply: the person goes on in a document without it.
  void forget() {
    world_.views.clear();
    world_.written.clear();
    world_.messages.clear();
    world_.launches.clear();
    world_.asked.clear();
    world_.withdrawn.clear();
    world_.file_writes.clear();
    world_.reply = {};
    world_.recorded.turns.clear();
    const std::string& text = world_.editor.text();
    world_.type(text.find("\n## User"), text.size(), "\n## User\n\nGo on.\n");
    world_.run_until_quiet();
  }

  Script script_;
  SoakLines soak_;
  fakes::SessionWorld world_;
  std::size_t turn_bytes_ = 0;
  std::size_t largest_turn_ = 0;
  process::ChildObserver* reading_ = nullptr;
  std::unique_ptr<process::LineReader> reader_;
};

struct Extent {
  std::size_t documents;  ///< of each dialect; the first one only warms up
  std::size_t turns;      ///< in each
  std::size_t lines;      ///< in each turn, about
};

Extent extent() {
  const char* wish = std::getenv("AGENT_DOC_SOAK");
  if (wish != nullptr && std::string_view(wish) == "whole") return {11, 100, 100};
  return {2, 5, 30};
}

std::size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

/// One document of each dialect that came: how much was allocated when it was gone.
std::size_t soak_once(const Agent& agent, const Extent& extent, std::uint32_t seed,
                      std::size_t& turns, std::size_t& lines) {
  constexpr std::size_t kKeptTurns = 4'000'000;  // what is remembered of earlier turns is bounded
  constexpr std::size_t kTimesLargest = 24;      // buffers that keep their capacity
  const std::size_t before = live_bytes();
  {
    SoakedDocument document(agent, seed);
    const std::size_t begun = live_bytes();
    document.turn(40, Sizes::AboveBuffer);
    for (std::size_t turn = 0; turn < extent.turns; ++turn) {
      document.turn(extent.lines, Sizes::Everything);
      CHECK(live_bytes() < begun + kKeptTurns + kTimesLargest * document.largest_turn());
    }
    turns += document.turns;
    lines += document.lines;
  }
  return live_bytes() - std::min(before, live_bytes());
}

}  // namespace

TEST_CASE("soak: turns of every dialect with lines of all sizes end, and memory stays flat") {
  constexpr std::size_t kNothing = 64 * 1024;  // tables that grow once
  const Extent whole = extent();
  std::size_t turns = 0;
  std::size_t lines = 0;
  std::size_t resident = 0;
  for (std::size_t round = 0; round < whole.documents; ++round) {
    for (const Agent& agent : agents()) {
      CAPTURE(agent.name);
      CAPTURE(round);
      const auto seed = static_cast<std::uint32_t>(round);
      const std::size_t kept = soak_once(agent, whole, seed, turns, lines);
      if (round > 0) CHECK(kept < kNothing);
    }
    if (round == 1) resident = resident_kilobytes();
  }
  MESSAGE(turns << " turns, " << lines << " lines, " << resident_kilobytes() << " KB resident");
  if (whole.documents > 2) {
    CHECK(turns >= 10'000);
    CHECK(lines >= 1'000'000);
    CHECK(resident_kilobytes() < resident + 200'000);
  }
}

}  // namespace agent_doc::soak
