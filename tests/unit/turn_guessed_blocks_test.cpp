// Blocks that are known by snapshots only, which do not tell their index: it is guessed, and the
// next event that tells one is believed.
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace agent_doc::turn {

namespace turn_guessed_blocks_test_internal {

using plugins::BlockKind;

TEST_CASE("a guessed block gives way to the index that is told, and from then on has that one") {
  struct Case {
    const char* name;
    std::function<void(ReplyFixture&)> play;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"it was guessed right, and another one follows",
       [](ReplyFixture& f) {
         f.snapshot("one").delta(0, "one").delta(1, " two").snapshot(0, "one.").snapshot(1,
                                                                                         " two.");
       },
       "one. two."},
      {"it was guessed right by its begin",
       [](ReplyFixture& f) {
         f.snapshot("one").start(0).start(1).delta(1, " two").snapshot(0, "one.");
       },
       "one. two"},
      {"it was guessed wrong",
       [](ReplyFixture& f) {
         f.snapshot("one").delta(1, "one").delta(2, " two").snapshot(1, "one.").snapshot(2,
                                                                                         " two.");
       },
       "one. two."},
      {"… by one too few",
       [](ReplyFixture& f) {
         f.snapshot("two").delta(2, "two").delta(1, "one ").snapshot(2, "two.");
       },
       "one two."},
      {"two of them, told in order",
       [](ReplyFixture& f) {
         f.snapshot("one")
             .snapshot(" two")
             .delta(3, "one")
             .delta(4, " two")
             .snapshot(3, "one.")
             .snapshot(4, " two.");
       },
       "one. two."},
      {"another kind has its place",
       [](ReplyFixture& f) {
         f.snapshot("one")
             .thinking(0, "Hm.")
             .start(1)
             .delta(1, "one")
             .snapshot(1, "one.")
             .start(2)
             .delta(2, " two");
       },
       "one. two"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    ReplyFixture fixture;
    fixture.message("m");
    c.play(fixture);
    CHECK(fixture.finish() == c.expected);
  }
}

TEST_CASE("a thought that takes the place of a guessed block stands in front of it") {
  const auto told = [](const std::string& text) {
    ReplyFixture fixture(Rounds::Last, Thinking::Fold);
    fixture.message("m").thinking(0, "Hm.").delta(1, text);
    return fixture.finish();
  };
  ReplyFixture again(Rounds::Last, Thinking::Fold);
  again.message("m").snapshot("one").thinking(0, "Hm.").delta(1, "one").snapshot(1, "one.");
  CHECK(again.finish() == told("one."));
  ReplyFixture once(Rounds::Last, Thinking::Fold);
  once.message("m").snapshot("one").thinking(0, "Hm.");
  CHECK(once.finish() == told("one"));
}

}  // namespace turn_guessed_blocks_test_internal

}  // namespace agent_doc::turn
