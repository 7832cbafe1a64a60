// Every recording of codex' app-server and of the ACP agents, lived through again in one document
// at the real server: as many runs as it has turns in one process, questions answered and files
// given as they were, stopped where it was stopped: whole, in odd chunks, and cut off at sampled
// bytes. What each must come to is written by hand in tests/transcripts/{codex,acp}/EXPECTED.json.

#include "tests/e2e/recorded_session.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace rpc_sessions_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::tests::read_file;

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/";
const std::string kFolder = "/srv/proj/";

std::string text_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code error;
  const json::value* found = value.find_pointer({pointer.data(), pointer.size()}, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

HeardLine hear_codex(const json::value& line) {
  const std::string method = text_at(line, "/method");
  if (method == "turn/completed") return {{}, true};
  return method == "item/agentMessage/delta" ? HeardLine{text_at(line, "/params/delta"), false}
                                             : HeardLine{};
}

HeardLine hear_acp(const json::value& line) {
  if (!text_at(line, "/result/stopReason").empty()) return {{}, true};
  const bool is_text = text_at(line, "/params/update/sessionUpdate") == "agent_message_chunk";
  return is_text ? HeardLine{text_at(line, "/params/update/content/text"), false} : HeardLine{};
}

std::string file_name(const json::value& params) {
  return text_at(params, "/path").substr(kFolder.size());
}

/// Reads a recording into a session: what the host wrote, and the files that it gave to the agent.
class Reader {
 public:
  explicit Reader(RecordedSession& session) : session_(session) {}

  void read(const json::value& entry) {
    const json::value& frame = entry.at("frame");
    const bool is_answer = text_at(frame, "/method").empty();
    if (entry.at("dir") == "recv") {
      if (!is_answer && frame.as_object().contains("id")) asked_ = frame;
      text_ += session_.hear(frame).text;
    } else if (is_answer) {
      host_answered(frame);
    } else {
      host_asked(frame);
    }
  }

 private:
  void host_asked(const json::value& frame) {
    const std::string method = text_at(frame, "/method");
    if (method == "turn/start" || method == "session/prompt") {
      const char* where = method == "turn/start" ? "/params/input/0/text" : "/params/prompt/0/text";
      session_.turns.emplace_back().prompt = text_at(frame, where);
      text_.clear();
    } else if (method == "turn/interrupt" || method == "session/cancel") {
      session_.turns.back().cancelled_after = text_;
    } else if (method == "session/load" || method == "session/resume") {
      session_.resumed = text_at(frame, "/params/sessionId");
    } else if (method == "session/fork") {
      session_.forked = text_at(frame, "/params/sessionId");
    }
  }

  void host_answered(const json::value& frame) {
    const std::string method = text_at(asked_, "/method");
    const bool well = frame.as_object().contains("result");
    if (method == "fs/read_text_file") {
      if (well && session_.files_after.empty())
        session_.files_before[file_name(asked_.at("params"))] = text_at(frame, "/result/content");
    } else if (method == "fs/write_text_file") {
      if (well)
        session_.files_after[file_name(asked_.at("params"))] = text_at(asked_, "/params/content");
    } else {
      const std::string decision = text_at(frame, "/result/decision");
      session_.turns.back().answers.push_back(
          decision.empty() ? text_at(frame, "/result/outcome/optionId") : decision);
    }
  }

  RecordedSession& session_;
  json::value asked_;  ///< the agent's last request
  std::string text_;   ///< of the reply, up to now
};

RecordedSession read_session(const std::string& path, const std::string& dialect,
                             HeardLine (*hear)(const json::value&), const json::array& expected) {
  RecordedSession session;
  session.file = kRecordings + path + ".ndjson";
  session.program = RPC_REPLAY_AGENT;
  session.dialect = dialect;
  session.hear = hear;
  Reader reader(session);
  std::istringstream lines(read_file(session.file));
  for (std::string line; std::getline(lines, line);) reader.read(json::parse(line));
  REQUIRE(session.turns.size() >= expected.size());
  session.turns.resize(expected.size());
  for (std::size_t turn = 0; turn < expected.size(); ++turn)
    expect(session.turns[turn], expected[turn].as_object());
  return session;
}

std::vector<RecordedSession> codex_sessions() {
  std::vector<RecordedSession> result;
  const json::value all = json::parse(read_file(kRecordings + "codex/EXPECTED.json"));
  for (const auto& [name, turns] : all.at("recordings").as_object()) {
    if (name.starts_with("app-server-"))
      result.push_back(
          read_session("codex/" + std::string(name), "codex", hear_codex, turns.as_array()));
  }
  return result;
}

/// Without those that end before any prompt: agent-doc begins a new session then, which was not
/// recorded.
std::vector<RecordedSession> acp_sessions() {
  std::vector<RecordedSession> result;
  const json::value all = json::parse(read_file(kRecordings + "acp/EXPECTED.json"));
  for (const auto& [name, expected] : all.at("recordings").as_object()) {
    const json::array& turns = expected.at("turns").as_array();
    const std::string failure = text_at(turns.front(), "/failure");
    if (failure == "session_unknown" || failure == "fork_unsupported") continue;
    std::string dialect = text_at(expected, "/dialect");
    for (const char* agent :
         {"claude-agent-acp", "claude-code-acp", "gemini", "opencode", "qwen"}) {
      if (dialect.empty() && name.starts_with(agent)) dialect = agent;
    }
    result.push_back(read_session("acp/" + std::string(name), dialect, hear_acp, turns));
  }
  return result;
}

bool is_long(const RecordedSession& session) {
  return session.file.find("-long") != std::string::npos;
}

TEST_CASE(
    "every recording of codex' app-server, played by a child process, gives exactly its document") {
  const std::vector<RecordedSession> all = codex_sessions();
  CHECK(all.size() >= 13);
  for (const RecordedSession& session : all) play(session);
}

TEST_CASE(
    "every recording of an ACP agent, played by a child process, gives exactly its document") {
  const std::vector<RecordedSession> all = acp_sessions();
  CHECK(all.size() >= 51);
  for (const RecordedSession& session : all) play(session);
}

TEST_CASE("codex' app-server and ACP agents in chunks of 7 and of 4,099 bytes") {
  for (const std::vector<RecordedSession>& all : {codex_sessions(), acp_sessions()}) {
    for (const RecordedSession& session : all) {
      if (is_long(session)) play(session, {"--chunk", "4099"});
      if (session.turns.size() > 1) play(session, {"--chunk", "7"});
    }
  }
}

TEST_CASE("codex' app-server and ACP agents, cut off at any byte") {
  int cuts = 0;
  for (const std::vector<RecordedSession>& all : {codex_sessions(), acp_sessions()}) {
    for (const RecordedSession& session : all) {
      if (session.turns.size() < 2) continue;
      for (std::size_t cut = 1; play_cut(session, cut); cut += 2'003) ++cuts;
    }
  }
  CHECK(cuts > 30);
}

}  // namespace rpc_sessions_test
