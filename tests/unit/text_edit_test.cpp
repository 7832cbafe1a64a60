#include "server/text/edit.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace agent_doc::text {

TEST_CASE("map_offset") {
  struct Case {
    Edit edit;
    std::size_t offset, left, right;
  };
  const std::vector<Case> cases = {
      {{5, 5, "xyz"}, 4, 4, 4},  // before
      {{5, 5, "xyz"}, 5, 5, 8},  // exactly at an insertion: the bias decides
      {{5, 5, "xyz"}, 6, 9, 9},  // behind
      {{5, 8, "x"}, 5, 5, 5},    // at the borders of a replaced range
      {{5, 8, "x"}, 8, 6, 6},   {{5, 8, "x"}, 6, 5, 6},  // inside it
      {{5, 8, ""}, 7, 5, 5},                             // inside a deletion
      {{5, 8, ""}, 9, 6, 6},    {{0, 0, "x"}, 0, 0, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.edit.begin);
    CAPTURE(c.edit.end);
    CAPTURE(c.offset);
    CHECK(map_offset(c.offset, Bias::Left, c.edit) == c.left);
    CHECK(map_offset(c.offset, Bias::Right, c.edit) == c.right);
  }
}

TEST_CASE("minimise") {
  struct Case {
    std::string replaced, replacement;
    Edit expected;  // for an edit that begins at 100
  };
  const std::vector<Case> cases = {
      {"same", "same", {104, 104, ""}},
      {"hello world\n", "hello brave world\n", {106, 106, "brave "}},
      {"aaa", "aa", {102, 103, ""}},
      {"aa", "aaa", {102, 102, "a"}},
      {"abc", "", {100, 103, ""}},
      {"", "abc", {100, 100, "abc"}},
      // U+00E9 and U+00E8 share their first byte, U+4E2D and U+902D their last.
      {"\u00E9", "\u00E8", {100, 102, "\u00E8"}},
      {"x\u4E2Dy", "x\u902Dy", {101, 104, "\u902D"}},
      // One line end stays one line end.
      {"a\r\n", "a\n", {101, 103, "\n"}},
      {"a\n", "a\r\n", {101, 102, "\r\n"}},
      {"a\r", "a\r\n", {101, 102, "\r\n"}},
      {"a\r\nb\r\n", "a\r\nc\r\n", {103, 104, "c"}},
      {"\r\n", "\rX\n", {100, 102, "\rX\n"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.replaced);
    CAPTURE(c.replacement);
    CHECK(minimise({100, 100 + c.replaced.size(), c.replacement}, c.replaced) == c.expected);
  }
}

TEST_CASE("minimise never changes what an edit does, and cuts at character boundaries") {
  test::RandomText random(1);
  for (int run = 0; run < 20'000; ++run) {
    const std::string before = random.text(12);
    const std::string after =
        random.one_in(2) ? random.text(12) : test::applied(before, random.edit(before));
    const Edit edit = minimise({0, before.size(), after}, before);
    REQUIRE(test::applied(before, edit) == after);
    REQUIRE(floor_boundary(before, edit.begin) == edit.begin);
    REQUIRE(floor_boundary(before, edit.end) == edit.end);
    REQUIRE(is_valid_utf8(edit.replacement));
  }
}

TEST_CASE("common prefix and suffix across the block size") {
  const std::string block(10'000, 'x');
  for (const std::size_t at : {0UL, 1UL, 4095UL, 4096UL, 8192UL, 9999UL}) {
    std::string other = block;
    other[at] = 'y';
    CHECK(common_prefix(block, other) == at);
    CHECK(common_suffix(block, other) == block.size() - at - 1);
  }
  CHECK(common_prefix(block, block) == block.size());
  CHECK(common_suffix(block, block + "x") == block.size());
  CHECK(common_prefix("", "x") == 0);
}

}  // namespace agent_doc::text
