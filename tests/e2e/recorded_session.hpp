// What it is: a recorded conversation of several turns in one process of an agent, as data: the
// prompts, the answers to the agent's questions, where the person stopped it, what each turn must
// come to; and the person who lives it through again: a strict editor at the real server, whose
// agent is a child that plays the recording's other side (tests/fakes/replay_agent.cpp,
// rpc_replay_agent.cpp).
// What it is not: it knows no dialect: the tests read their recordings into it.
// Thread rule: one thread.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

struct RecordedTurn {
  std::string prompt;
  std::vector<std::string> answers;  ///< the options that were chosen, in order; empty: none
  std::optional<std::string> cancelled_after;  ///< the text after which it was stopped
  // What must come of it.
  std::string reply;
  std::string state;
  std::string session;
  std::string model;
  boost::json::array usage;
};

/// What a line of the agent is for the document.
struct HeardLine {
  std::string text;  ///< new text of the reply
  bool ends_turn = false;
};

struct RecordedSession {
  std::string file;
  std::string program;  ///< plays it
  std::string dialect;
  std::string resumed;  ///< the session that the document resumes at the start
  std::string forked;   ///< the session that it forks at the start
  std::map<std::string, std::string>
      files_before;  ///< name and text of files in the working folder
  std::map<std::string, std::string> files_after;
  std::vector<RecordedTurn> turns;
  std::function<HeardLine(const boost::json::value& line)> hear;
};

/// Takes state, session, model, usage and the last round from an entry of EXPECTED.json.
void expect(RecordedTurn& turn, const boost::json::object& expectation);

/// All turns, in one document; `shape` are options of the program that plays.
void play(const RecordedSession& session, const std::vector<std::string>& shape = {});
/// The same with an agent that is gone after `cut` bytes of its output: whole turns are what they
/// must be, and the broken one is the text that came. False when the recording is shorter.
bool play_cut(const RecordedSession& session, std::size_t cut);

}  // namespace agent_doc::e2e
