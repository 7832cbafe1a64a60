#include "server/sync/delta.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_delta_test_internal {

using test::applied;
using test::RandomText;

void compose(Delta& delta, const std::string& text, const text::Edit& edit) {
  delta.compose(edit, std::string_view(text).substr(edit.begin, edit.end - edit.begin));
}

std::string applied_to(std::string base, const Delta& delta) {
  const auto& pieces = delta.pieces();
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    REQUIRE(base.compare(piece->begin, piece->before.size(), piece->before) == 0);
    base.replace(piece->begin, piece->before.size(), piece->after);
  }
  return base;
}

TEST_CASE("a delta holds one edit") {
  const Delta delta({2, 4, "xyz"}, "cd");
  REQUIRE(delta.pieces().size() == 1);
  CHECK(delta.pieces()[0].begin == 2);
  CHECK(delta.pieces()[0].before == "cd");
  CHECK(delta.pieces()[0].after == "xyz");
  CHECK(delta.growth() == 1);
}

TEST_CASE("edits that overlap or touch melt into one piece") {
  struct Case {
    const char* name;
    std::vector<text::Edit> edits;
    std::string result;
    std::size_t pieces;
  };
  const std::vector<Case> cases = {
      {"apart", {{1, 1, "X"}, {5, 6, "Y"}}, "0X123Y56789", 2},
      {"typed on", {{1, 1, "X"}, {2, 2, "Y"}}, "0XY123456789", 1},
      {"inside", {{1, 1, "XYZ"}, {2, 3, ""}}, "0XZ123456789", 1},
      {"around", {{4, 4, "X"}, {2, 7, "Y"}}, "01Y6789", 1},
      {"over two pieces", {{2, 2, "X"}, {6, 6, "Y"}, {1, 9, "-"}}, "0-789", 1},
      {"undone", {{4, 4, "X"}, {4, 5, ""}}, "0123456789", 0},
      {"left of another", {{8, 8, "X"}, {1, 2, ""}}, "0234567X89", 2},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string base = "0123456789";
    std::string text = base;
    Delta delta;
    for (const text::Edit& edit : c.edits) {
      compose(delta, text, edit);
      text = applied(text, edit);
    }
    CHECK(text == c.result);
    CHECK(applied_to(base, delta) == c.result);
    CHECK(delta.pieces().size() == c.pieces);
  }
}

TEST_CASE("base_offset tells where a byte stood") {
  Delta delta;
  delta.compose({2, 4, "xyz"}, "23");  // 01xyz456789
  delta.compose({8, 8, "!"}, "");      // 01xyz456!789
  const std::vector<std::pair<std::size_t, std::size_t>> cases = {
      {0, 0}, {2, 2}, {3, 4}, {4, 4}, {5, 4}, {6, 5}, {8, 7}, {9, 7}, {10, 8}, {12, 10}};
  for (const auto& [offset, base] : cases) {
    CAPTURE(offset);
    CHECK(delta.base_offset(offset) == base);
  }
}

TEST_CASE("same_result sees through the place of equal bytes") {
  const std::string base = "xaay";
  const Delta first({1, 1, "a"}, "");
  const Delta last({3, 3, "a"}, "");
  CHECK(same_result(first, last, "xaaay"));
  CHECK(same_result(Delta({0, 2, ""}, "xa"), Delta({0, 3, "a"}, "xaa"), "ay"));
  CHECK_FALSE(same_result(first, Delta({0, 0, "a"}, ""), "xaaay"));
  CHECK_FALSE(same_result(first, Delta({1, 1, "b"}, ""), "xaaay"));
  CHECK(same_result(Delta{}, Delta{}, base));
  CHECK_FALSE(same_result(first, Delta{}, "xaaay"));
}

TEST_CASE(
    "random edits: a delta leads from the base to the text, in ascending pieces that do not "
    "touch") {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    RandomText random(seed);
    const std::string base = random.text(30);
    std::string text = base;
    Delta delta;
    for (std::size_t left = random.below(8); left > 0; --left) {
      const text::Edit edit = random.edit(text);
      compose(delta, text, edit);
      text = applied(text, edit);
    }
    REQUIRE(applied_to(base, delta) == text);
    REQUIRE(delta.growth() ==
            static_cast<std::ptrdiff_t>(text.size()) - static_cast<std::ptrdiff_t>(base.size()));
    for (std::size_t i = 1; i < delta.pieces().size(); ++i) {
      const Delta::Piece& before = delta.pieces()[i - 1];
      REQUIRE(before.begin + before.before.size() < delta.pieces()[i].begin);
    }
  }
}

TEST_CASE("random edits: same_result is equality of the whole texts") {
  int equal = 0;
  for (std::uint32_t seed = 1; seed <= 6000; ++seed) {
    CAPTURE(seed);
    RandomText random(seed);
    std::string base;
    for (std::size_t left = random.below(8); left > 0; --left) base += "ab"[random.below(2)];
    const auto edit_of = [&random](const std::string& text) {
      const std::size_t begin = random.below(text.size() + 1);
      std::string replacement;
      for (std::size_t left = random.below(3); left > 0; --left)
        replacement += "ab"[random.below(2)];
      return text::Edit{begin, begin + random.below(text.size() - begin + 1), replacement};
    };
    const auto walk = [&](Delta& delta) {
      std::string text = base;
      for (std::size_t left = 1 + random.below(3); left > 0; --left) {
        const text::Edit edit = edit_of(text);
        compose(delta, text, edit);
        text = applied(text, edit);
      }
      return text;
    };
    Delta left;
    Delta right;
    const std::string left_text = walk(left);
    const std::string right_text = walk(right);
    REQUIRE(same_result(left, right, left_text) == (left_text == right_text));
    if (left_text == right_text) ++equal;

    const text::Edit a = edit_of(base);
    const text::Edit b = edit_of(base);
    REQUIRE(same_change(a, b, base) == (applied(base, a) == applied(base, b)));
  }
  CHECK(equal > 200);
}

}  // namespace sync_delta_test_internal
}  // namespace agent_doc::sync
