// Every recording of the real claude that is one turn, played by a child process into a document by
// the real `agent-doc run`: whole, in odd chunks, and cut off at sampled bytes. What each must give
// is written by hand in tests/transcripts/claude/EXPECTED.json. (Recordings of both directions,
// several turns in one process, are in claude_sessions_test.cpp.)

#include "tests/e2e/command_run.hpp"
#include "tests/e2e/state_in_document.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using agent_doc::e2e::CommandRun;
using agent_doc::e2e::Desk;
using agent_doc::e2e::state_in_document;

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/claude/";

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What stands in the front matter behind `key: `; empty when it is not there.
std::string value_in(const std::string& document, const std::string& key) {
  const std::size_t at = document.find("\n" + key + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 3;
  return document.substr(begin, document.find('\n', begin) - begin);
}

struct Expected {
  std::string reply;
  std::string state;
  std::string session;
};

/// The document as a run leaves it. The id of the document is any UUID.
std::string whole_document(const std::string& actual, const Expected& expected) {
  std::string text =
      "---\nagent_doc_session: " + value_in(actual, "agent_doc_session") + "\nagent: fake\n";
  if (!expected.session.empty()) text += "resume: " + expected.session + "\n";
  text += "---\n\nThe question\n";
  if (!expected.reply.empty()) text += "\n## Assistant\n\n" + expected.reply + "\n\n## User\n\n";
  return text;
}

int exit_code_of(const std::string& state) {
  return state == "done" ? 0 : state == "cancelled" ? 130 : 1;
}

void play(const std::string& name, std::vector<std::string> shape, const Expected& expected) {
  CAPTURE(name);
  CAPTURE(shape);
  const Desk desk;
  const std::string path = desk / "doc.md";
  std::ofstream(path) << "The question\n";
  shape.push_back(kRecordings + name + ".ndjson");
  desk.use_agent(REPLAY_AGENT, shape);
  CommandRun run(desk, {"run", path});
  if (expected.state == "cancelled") {
    // The recorded interruption was asked for by its host; here the person presses Ctrl-C as soon
    // as the session is known.
    REQUIRE(run.wait_until([&] { return !value_in(read_file(path), "resume").empty(); }));
    run.signal(SIGINT);
  }
  CHECK(run.wait() == exit_code_of(expected.state));
  const std::string document = read_file(path);
  CHECK(document == whole_document(document, expected));
  CHECK(value_in(document, "agent_doc_session").size() == 36);
}

struct Recording {
  std::string name;
  Expected expected;
};

std::vector<Recording> recordings_of_one_turn() {
  std::vector<Recording> result;
  const boost::json::value all = boost::json::parse(read_file(kRecordings + "EXPECTED.json"));
  for (const auto& [name, turns] : all.at("recordings").as_object()) {
    const std::string file = kRecordings + std::string(name) + ".ndjson";
    if (turns.as_array().size() != 1 || name.ends_with(".duplex") || !std::filesystem::exists(file))
      continue;
    if (std::filesystem::exists(kRecordings + std::string(name) + ".duplex.ndjson")) continue;
    if (name == "output-json-verbose")
      continue;  // claude's other output format: no line of it ends a turn
    const auto& turn = turns.at(0).as_object();
    Expected expected;
    for (const auto& round : turn.at("rounds").as_array()) {
      if (!round.as_string().empty()) expected.reply = round.as_string().c_str();
    }
    expected.state = state_in_document(turn);
    if (const auto* session = turn.if_contains("session");
        session != nullptr && session->is_string())
      expected.session = session->as_string().c_str();
    result.push_back({std::string(name), expected});
  }
  return result;
}

}  // namespace

TEST_CASE("every recording of one turn, played by a child process, gives exactly its document") {
  const std::vector<Recording> recordings = recordings_of_one_turn();
  CHECK(recordings.size() > 80);
  for (const Recording& recording : recordings) play(recording.name, {}, recording.expected);
}

TEST_CASE("the same in chunks of 7 and of 4,099 bytes") {
  for (const Recording& recording : recordings_of_one_turn()) {
    if (recording.name.find(".partial") == std::string::npos) continue;
    play(recording.name, {"--chunk", recording.name == "long.partial" ? "4099" : "7"},
         recording.expected);
  }
}

TEST_CASE("a stream that is cut off at any byte leaves exactly the text that came") {
  const std::string stream = read_file(kRecordings + "long.partial.ndjson");
  for (std::size_t cut = 9'001; cut < 370'000; cut += 30'011) {
    Expected expected;
    expected.state = "failed";
    for (std::size_t begin = 0; begin < cut;) {
      const std::size_t end = std::min(stream.find('\n', begin), cut);
      boost::system::error_code broken;
      const boost::json::value line = boost::json::parse(stream.substr(begin, end - begin), broken);
      begin = end + 1;
      if (broken) continue;
      if (line.as_object().contains("session_id"))
        expected.session = line.at("session_id").as_string().c_str();
      const auto* event = line.as_object().if_contains("event");
      if (event == nullptr || event->at("type") != "content_block_delta") continue;
      expected.reply += event->at("delta").at("text").as_string().c_str();
    }
    while (!expected.reply.empty() && expected.reply.back() == '\n') expected.reply.pop_back();
    play("long.partial", {"--cut-at", std::to_string(cut)}, expected);
  }
}
