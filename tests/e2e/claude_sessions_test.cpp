// Every recording of the real claude that has both directions, lived through again in one document
// at the real server: as many runs as it has turns in one process, the agent's questions answered
// as they were, stopped where it was stopped: whole, in odd chunks, and cut off at sampled bytes.
// What each must come to is written by hand in tests/transcripts/claude/EXPECTED.json.

#include "tests/e2e/recorded_session.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace claude_sessions_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::tests::read_file;

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/claude/";

HeardLine hear(const json::value& line) {
  const json::object& frame = line.as_object();
  if (frame.at("type") == "result") return {{}, true};
  if (frame.at("type") != "stream_event" || frame.at("event").at("type") != "content_block_delta")
    return {};
  const json::object& delta = frame.at("event").at("delta").as_object();
  return delta.at("type") == "text_delta"
             ? HeardLine{std::string(delta.at("text").as_string()), false}
             : HeardLine{};
}

/// What the recorded host wrote goes into `turns`; what is no prompt, no answer and no interruption
/// agent-doc never sends.
void take_host_frame(const json::object& frame, const std::string& text_before,
                     std::vector<RecordedTurn>& turns) {
  const std::string_view type = frame.at("type").as_string();
  if (type == "user") {
    turns.emplace_back().prompt =
        frame.at("message").at("content").at(0).at("text").as_string().c_str();
  } else if (type == "control_response") {
    turns.back().answers.emplace_back(
        frame.at("response").at("response").at("behavior").as_string());
  } else if (frame.at("request").at("subtype") == "interrupt") {
    turns.back().cancelled_after = text_before;
  }
}

RecordedSession read_session(const std::string& name, const json::array& expected) {
  RecordedSession session;
  session.file = kRecordings + name + ".duplex.ndjson";
  session.program = REPLAY_AGENT;
  session.dialect = "claude";
  session.hear = hear;
  std::string text;
  std::istringstream lines(read_file(session.file));
  for (std::string line; std::getline(lines, line);) {
    const json::value entry = json::parse(line);
    if (entry.at("dir") == "in") {
      take_host_frame(entry.at("frame").as_object(), text, session.turns);
      text.clear();
    } else {
      text += hear(entry.at("frame")).text;
    }
  }
  REQUIRE(session.turns.size() == expected.size());
  for (std::size_t turn = 0; turn < expected.size(); ++turn)
    expect(session.turns[turn], expected[turn].as_object());
  return session;
}

std::vector<RecordedSession> sessions() {
  std::vector<RecordedSession> result;
  const json::value all = json::parse(read_file(kRecordings + "EXPECTED.json"));
  for (const auto& [name, turns] : all.at("recordings").as_object()) {
    if (std::filesystem::exists(kRecordings + std::string(name) + ".duplex.ndjson"))
      result.push_back(read_session(std::string(name), turns.as_array()));
  }
  return result;
}

TEST_CASE(
    "every recording of claude in both directions, played by a child process, gives exactly its "
    "document") {
  const std::vector<RecordedSession> all = sessions();
  CHECK(all.size() >= 11);
  for (const RecordedSession& session : all) play(session);
}

TEST_CASE("claude in both directions, in chunks of 7 and of 4,099 bytes") {
  for (const RecordedSession& session : sessions()) {
    for (const char* chunk : {"7", "4099"}) play(session, {"--chunk", chunk});
  }
}

/// All that it says comes in deltas, too.
bool is_in_deltas(const RecordedSession& session) {
  return session.file.find(".partial") != std::string::npos ||
         session.file.find("close-midway") != std::string::npos;
}

TEST_CASE("claude in both directions, cut off at any byte") {
  int cuts = 0;
  for (const RecordedSession& session : sessions()) {
    if (!is_in_deltas(session)) continue;
    for (std::size_t cut = 1; play_cut(session, cut); cut += 2'003) ++cuts;
  }
  CHECK(cuts > 40);
}

}  // namespace claude_sessions_test
