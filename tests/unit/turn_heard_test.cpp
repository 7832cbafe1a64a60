// What it is: which events of an agent are a word of it, and which are not.
// What it is not: what becomes of a turn without any (session_silent_turns_test.cpp).
#include "server/turn/heard.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace turn_heard_test {

using namespace agent_doc::plugins;
using agent_doc::turn::Heard;

bool is_word(const AgentEvent& event) {
  Heard heard;
  heard.on_event(event);
  return heard.anything();
}

TEST_CASE(
    "heard: texts, thoughts, tools, questions, failures and a shortened session are words of an "
    "agent") {
  const std::vector<AgentEvent> words = {
      TextDelta{{"", "m", 0}, "H"},
      TextDelta{{"lane", "m", 0}, " H"},
      ThinkingDelta{{"", "m", 0}, "Hm"},
      Snapshot{{"", "m", -1}, BlockKind::Text, "Hi"},
      Snapshot{{"", "m", -1}, BlockKind::Thinking, "Hm"},
      BlockStarted{{"", "m", 0}, BlockKind::ToolCall},
      ToolStarted{"", "t", "Bash", ""},
      ToolStarted{"lane", "t", "", ""},
      PermissionAsked{"p", "Write", "/w/a", {}},
      Notice{NoticeKind::Compaction, "the session's history was shortened"},
      Failure{FailureKind::Refused, "no"},
      TurnEnded{Outcome::Done, "Hi"},
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    CAPTURE(i);
    CHECK(is_word(words[i]));
  }
}

TEST_CASE("heard: blank text, sessions, usage, statuses, and what was not understood are none") {
  const std::vector<AgentEvent> others = {
      SessionStarted{"s", "model", "/w"},
      MessageStarted{"", "m"},
      BlockStarted{{"", "m", 0}, BlockKind::Text},
      BlockStarted{{"", "m", 0}, BlockKind::Thinking},
      TextDelta{{"", "m", 0}, ""},
      TextDelta{{"", "m", 0}, " \r\n\t"},
      ThinkingDelta{{"", "m", 0}, "\n"},
      Snapshot{{"", "m", -1}, BlockKind::Text, "\n"},
      BlockEnded{{"", "m", 0}},
      MessageEnded{"", "m", "end_turn", {}},
      ToolEnded{"", "t", true},
      PermissionWithdrawn{"p"},
      Usage{1, 2, 3, 4, 5},
      Notice{NoticeKind::Retry, "retrying (1/2)"},
      Notice{NoticeKind::RateLimit, "close to the limit"},
      Notice{NoticeKind::Status, "plan (0 of 2 done)"},
      Notice{NoticeKind::Warning, "no bubblewrap"},
      Printed{"a line"},
      Unrecognised{"of tomorrow"},
      Malformed{"{"},
      TurnEnded{Outcome::Done, " \n"},
  };
  Heard heard;
  for (std::size_t i = 0; i < others.size(); ++i) {
    CAPTURE(i);
    heard.on_event(others[i]);
    CHECK_FALSE(heard.anything());
  }
  CHECK(heard.not_understood() == 2);
}

}  // namespace turn_heard_test
