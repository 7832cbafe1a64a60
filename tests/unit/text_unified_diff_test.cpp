#include "server/text/unified_diff.hpp"

#include "server/text/diff.hpp"
#include "tests/unit/random_text.hpp"
#include "tests/unit/unified_patch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace text_unified_diff_test {

using namespace agent_doc;
using text::unified_diff;

std::string lines(std::string_view letters) {
  std::string text;
  for (const char letter : letters) (text += letter) += '\n';
  return text;
}

TEST_CASE("unified diff: what it looks like") {
  struct Case {
    std::string_view before, after, diff;
    std::vector<std::size_t> places;
  };
  const std::vector<Case> cases = {
      {"abc", "abc", "", {}},
      {"", "", "", {}},
      {"", "ab", "@@ -0,0 +1,2 @@\n+a\n+b\n", {0}},
      {"ab", "", "@@ -1,2 +0,0 @@\n-a\n-b\n", {0}},
      {"a", "b", "@@ -1 +1 @@\n-a\n+b\n", {0}},
      {"abcdefg", "abcdXefg", "@@ -2,6 +2,7 @@\n b\n c\n d\n+X\n e\n f\n g\n", {4}},
      {"abcdefghi", "abcdfghi", "@@ -2,7 +2,6 @@\n b\n c\n d\n-e\n f\n g\n h\n", {4}},
      {"abcdefgh",
       "XabcdefghY",
       "@@ -1,3 +1,4 @@\n+X\n a\n b\n c\n@@ -6,3 +7,4 @@\n f\n g\n h\n+Y\n",
       {0, 9}},
      {"abcdef", "XabcdefY", "@@ -1,6 +1,8 @@\n+X\n a\n b\n c\n d\n e\n f\n+Y\n", {0}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.before);
    CAPTURE(one.after);
    const text::UnifiedDiff diff = unified_diff(lines(one.before), lines(one.after));
    CHECK(diff.text == one.diff);
    CHECK(diff.places == one.places);
  }
}

TEST_CASE("unified diff: applied to the one text it gives the other, whatever they are") {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    test::RandomText random(seed);
    std::string before;
    std::string after;
    for (std::size_t left = random.below(40); left > 0; --left) {
      const std::string line =
          std::string(random.pick({"a", "b", "c", "-x", "+y", "@@", "", " d"})) + "\n";
      if (!random.one_in(6)) before += line;
      if (!random.one_in(6)) after += line;
    }
    const text::UnifiedDiff diff = unified_diff(before, after);
    CHECK(test::patched(before, diff.text) == after);
    CHECK(diff.text.empty() == (before == after));
    CHECK(diff.places.empty() == (before == after));
  }
}

TEST_CASE("unified diff: two texts that differ in more lines than are compared") {
  std::string before;
  std::string after;
  for (std::size_t line = 0; line < text::kMaxDiffedLines; ++line) {
    before += "a" + std::to_string(line) + "\n";
    after += "b" + std::to_string(line) + "\n";
  }
  const text::UnifiedDiff diff = unified_diff("head\n" + before, "head\n" + after);
  CHECK(diff.places == std::vector<std::size_t>{1});
  CHECK(test::patched("head\n" + before, diff.text) == "head\n" + after);
}

}  // namespace text_unified_diff_test
