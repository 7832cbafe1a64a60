#include "server/turn/thoughts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace turn_thoughts_test {

using namespace agent_doc::plugins;
using agent_doc::turn::Thoughts;

std::vector<std::string> told(const std::vector<AgentEvent>& events) {
  std::vector<std::string> all;
  Thoughts thoughts([&all](std::string_view thought) { all.emplace_back(thought); });
  for (const AgentEvent& event : events) thoughts.on_event(event);
  thoughts.finish();
  return all;
}

const BlockKey kFirst{"", "m", 0};
const BlockKey kSecond{"", "m", 1};
using Told = std::vector<std::string>;

TEST_CASE("thoughts: each is told once and whole, in order") {
  CHECK(told({ThinkingDelta{kFirst, "Let me "}, ThinkingDelta{kFirst, "see."},
              TextDelta{kSecond, "It is 42."}}) == Told{"Let me see."});
  CHECK(told({ThinkingDelta{kFirst, "One."}, ThinkingDelta{kSecond, "Two."}}) ==
        Told{"One.", "Two."});
  CHECK(told({ThinkingDelta{kFirst, "One."}, Snapshot{{"", "m", -1}, BlockKind::Thinking, "One."},
              BlockEnded{kFirst}, Snapshot{{"", "m", -1}, BlockKind::Thinking, "One."}}) ==
        Told{"One."});
  CHECK(told({Snapshot{{"", "m", -1}, BlockKind::Thinking, "Whole."},
              ToolStarted{"", "t", "Bash", ""},
              Snapshot{{"", "m2", -1}, BlockKind::Thinking, "Another."}}) ==
        Told{"Whole.", "Another."});
  CHECK(told({ThinkingDelta{{"sub", "m", 0}, "a sub-agent's"}, ThinkingDelta{kFirst, " \n"}})
            .empty());
}

TEST_CASE("thoughts: in tags, which are taken out of the text") {
  CHECK(told({TextDelta{kFirst, "<thi"}, TextDelta{kFirst, "nk>In a tag.</think>Out"},
              TextDelta{kFirst, "side."}}) == Told{"In a tag."});
  CHECK(told({Snapshot{kFirst, BlockKind::Text, "<thinking>Whole.</thinking>Text"}}) ==
        Told{"Whole."});
  CHECK(told({TextDelta{kFirst, "<think>Twice.</think>Text"},
              Snapshot{kFirst, BlockKind::Text, "<think>Twice.</think>Text"}}) == Told{"Twice."});
  CHECK(told({TextDelta{kFirst, "`<think>code</think>`"}}).empty());
}

TEST_CASE("thoughts: escape sequences are left out") {
  CHECK(told({ThinkingDelta{kFirst, "\x1b[31mred\x1b[0m"}}) == Told{"red"});
}

}  // namespace turn_thoughts_test
