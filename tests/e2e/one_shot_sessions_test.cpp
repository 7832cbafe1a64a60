// Every recording of codex exec and of cursor-agent, agents of one process per turn, played by a
// child process into a document at the real server. What each must come to is written by hand in
// the EXPECTED.json of its folder in tests/transcripts. (The other such agents, chunks and cuts:
// one_shot_test.cpp.)

#include "tests/e2e/recorded_session.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace one_shot_sessions_test {

namespace json = boost::json;
using namespace agent_doc::e2e;

/// Prints the recording that is its $0, and ends as it did.
constexpr const char* kPlay =
    "base=${0%.ndjson}; cat > /dev/null; cat \"$0\"; [ ! -e \"$base.stderr\" ] || cat "
    "\"$base.stderr\" >&2; how=$(cat \"$base.exit\"); "
    "case $how in signal*) kill -9 $$ ;; esac; exit $how";

/// What the resumed and forked ones of codex exec began with.
constexpr const char* kEarlierSession = "01a1f83f-657a-7201-8327-96fdc65f41b7";

/// Where no such session is known, agent-doc would begin a new one, which was not recorded: that
/// one is played as a new one.
void begin_as_recorded(RecordedSession& session, std::string_view name,
                       const json::object& expectation) {
  const json::value* failure = expectation.if_contains("failure");
  if (failure != nullptr && *failure == "session_unknown") return;
  if (name.starts_with("resume")) session.resumed = kEarlierSession;
  if (name == "fork") session.forked = kEarlierSession;
}

std::vector<RecordedSession> sessions(const std::string& dialect, const std::string& folder) {
  std::vector<RecordedSession> result;
  const std::string recordings = std::string(AGENT_DOC_TEST_DATA "/transcripts/") + folder + "/";
  const json::value expected =
      json::parse(agent_doc::tests::read_file(recordings + "EXPECTED.json"));
  for (const auto& [name, turns] : expected.at("recordings").as_object()) {
    if (name.starts_with("app-server-")) continue;  // codex' other dialect
    RecordedSession session;
    session.file = recordings + std::string(name) + ".ndjson";
    session.program = "/bin/sh";
    session.dialect = dialect;
    session.turns.resize(1);
    session.turns.front().prompt = "The question";
    begin_as_recorded(session, name, turns.as_array().front().as_object());
    expect(session.turns.front(), turns.as_array().front().as_object());
    result.push_back(std::move(session));
  }
  return result;
}

TEST_CASE(
    "every recording of codex exec and of cursor-agent, played by a child process, gives exactly "
    "its document") {
  std::size_t played = 0;
  const std::vector<std::pair<std::string, std::string>> dialects = {
      {"codex-exec", "codex"}, {"cursor-agent", "cursor-agent"}};
  for (const auto& [dialect, folder] : dialects) {
    for (const RecordedSession& session : sessions(dialect, folder)) {
      play(session, {"-c", kPlay});
      ++played;
    }
  }
  CHECK(played > 45);
}

}  // namespace one_shot_sessions_test
