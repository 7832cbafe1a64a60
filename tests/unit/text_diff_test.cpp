#include "server/text/diff.hpp"

#include "server/text/text_buffer.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace agent_doc::text {

namespace diff_test {

/// Edits in offsets of one text, the last one first.
std::string applied_backwards(std::string text, const std::vector<Edit>& edits) {
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) text = test::applied(text, *edit);
  return text;
}

void check_diff(const std::string& before, const std::string& after) {
  const std::vector<Edit> edits = diff(before, after);
  REQUIRE(applied_backwards(before, edits) == after);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    REQUIRE_FALSE(edits[i].is_no_op());
    if (i > 0) REQUIRE(edits[i - 1].end < edits[i].begin);
    REQUIRE(is_valid_utf8(edits[i].replacement));
  }
  // As a client tells them: positions in the text after the changes before.
  TextBuffer buffer(before);
  for (const Edit& edit : sequential(edits)) {
    const Position start = buffer.position_of(edit.begin, PositionEncoding::Utf16);
    const Position end = buffer.position_of(edit.end, PositionEncoding::Utf16);
    buffer.apply({buffer.offset_of(start, PositionEncoding::Utf16),
                  buffer.offset_of(end, PositionEncoding::Utf16), edit.replacement});
  }
  REQUIRE(buffer.text() == after);
}

std::string lines_of(test::RandomText& random, std::size_t count, std::size_t different) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "line " + std::to_string(random.below(different)) + "\n";
  return text;
}

}  // namespace diff_test

TEST_CASE("diff gives the smallest edits that keep what did not change") {
  struct Case {
    std::string before, after;
    std::vector<Edit> expected;
  };
  const std::vector<Case> cases = {
      {"", "", {}},
      {"same\n", "same\n", {}},
      {"", "new\n", {{0, 0, "new\n"}}},
      {"old\n", "", {{0, 4, ""}}},
      {"a\nb\nc\n", "a\nx\nc\n", {{2, 3, "x"}}},
      {"a\nb\nc\n", "a\nc\n", {{2, 4, ""}}},
      {"a\nc\n", "a\nb\nc\n", {{2, 2, "b\n"}}},
      {"a\nb\nc\nd\n", "a\nB\nc\nD\n", {{2, 3, "B"}, {6, 7, "D"}}},
      {"one\ntwo\nthree\n", "  one\n  two\n  three\n", {{0, 0, "  "}, {4, 4, "  "}, {8, 8, "  "}}},
      {"a\nb\n", "a\r\nb\r\n", {{1, 2, "\r\n"}, {3, 4, "\r\n"}}},
      {"a\nb", "a\nb\n", {{3, 3, "\n"}}},
      {"h\u00E9llo\n", "h\u00E8llo\n", {{1, 3, "\u00E8"}}},
      {"head\nx1\nx2\nmiddle\ny1\ntail\n",
       "head\nX\nmiddle\ny1\ny2\ntail\n",
       {{5, 10, "X"}, {21, 21, "y2\n"}}},
      {"\n\nk\nm\n", "X\n\nk\nn\n", {{0, 0, "X"}, {4, 5, "n"}}},
      {"\n\nk\nm\n", "\nX\nk\nn\n", {{1, 1, "X"}, {4, 5, "n"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.before);
    CAPTURE(c.after);
    CHECK(diff(c.before, c.after) == c.expected);
    diff_test::check_diff(c.before, c.after);
  }
}

TEST_CASE("diff of random texts, applied, gives the other text") {
  test::RandomText random(4);
  for (int run = 0; run < 20'000; ++run) {
    const std::string before = random.text(30);
    std::string after = random.text(30);
    if (random.one_in(2)) {
      after = before;
      for (std::size_t left = random.below(4); left > 0; --left)
        after = test::applied(after, random.edit(after));
    }
    CAPTURE(before);
    CAPTURE(after);
    diff_test::check_diff(before, after);
  }
}

TEST_CASE("diff of many lines keeps the lines between the changes") {
  test::RandomText random(5);
  for (const std::size_t different : {3UL, 40UL, 1'000'000UL}) {
    for (const std::size_t every : {2UL, 10UL, 100UL}) {
      CAPTURE(different);
      CAPTURE(every);
      const std::string before = diff_test::lines_of(random, 3'000, different);
      std::string after;
      std::size_t changed = 0;
      for (std::size_t at = 0; at < before.size();) {
        const std::size_t end = before.find('\n', at) + 1;
        if (random.one_in(every)) {
          after += "changed " + std::to_string(++changed) + "\n";
        } else {
          after += before.substr(at, end - at);
        }
        at = end;
      }
      diff_test::check_diff(before, after);
      std::size_t rewritten = 0;
      for (const Edit& edit : diff(before, after)) rewritten += edit.end - edit.begin;
      CHECK(rewritten <=
            changed * 16);  // no kept line was taken away: each changed one had at most 12 bytes
    }
  }
}

TEST_CASE("what differs in too many lines is one replacement") {
  std::string before = "first\n", after = "first\n";
  for (std::size_t i = 0; i <= kMaxDiffedLines / 2; ++i) {
    before += "b" + std::to_string(i) + (i % 2 == 0 ? "\n" : "x\n");
    after += "a" + std::to_string(i) + "\n";
  }
  const std::vector<Edit> edits = diff(before + "last\n", after + "last\n");
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].begin == 6);
  diff_test::check_diff(before + "last\n", after + "last\n");
}

TEST_CASE("a gap without anchors that is too large for an exact search is one replacement") {
  std::string before, after;
  for (int i = 0; i < 1'500; ++i) {
    before += i % 2 == 0 ? "a\n" : "b\n";
    after += i % 3 == 0 ? "b\n" : "a\n";
  }
  diff_test::check_diff("x\n" + before, "y\n" + after);
}

TEST_CASE("sequential") {
  CHECK(sequential({{0, 1, "xyz"}, {4, 6, ""}, {8, 8, "q"}}) ==
        std::vector<Edit>{{0, 1, "xyz"}, {6, 8, ""}, {8, 8, "q"}});
  CHECK(sequential({}).empty());
}

TEST_CASE("rebase") {
  struct Case {
    Edit edit, first;
    std::vector<Edit> expected;
  };
  const std::vector<Case> cases = {
      {{1, 2, "E"}, {5, 6, "FF"}, {{1, 2, "E"}}},  // before
      {{7, 8, "E"}, {5, 6, "FF"}, {{8, 9, "E"}}},  // behind
      {{5, 5, "E"}, {5, 5, "F"}, {{6, 6, "E"}}},   // both insert here: stays behind
      {{5, 8, "E"}, {5, 5, "F"}, {{6, 9, "E"}}},
      {{5, 5, "E"}, {5, 8, "F"}, {{6, 6, "E"}}},
      {{3, 8, "E"}, {5, 5, "F"}, {{3, 5, "E"}, {6, 9, ""}}},  // F stays
      {{3, 9, "E"}, {5, 7, "FFF"}, {{3, 5, "E"}, {8, 10, ""}}},
      {{3, 9, "E"}, {5, 7, ""}, {{3, 7, "E"}}},   // nothing to keep: not split
      {{5, 7, "E"}, {3, 9, "F"}, {{4, 4, "E"}}},  // its range is gone, its text is not
      {{5, 7, ""}, {3, 9, "F"}, {}},
      {{5, 8, "E"}, {3, 6, "F"}, {{4, 6, "E"}}},  // overlaps its begin
      {{3, 6, "E"}, {5, 8, "F"}, {{3, 5, "E"}}},  // overlaps its end
      {{3, 5, "E"}, {5, 5, "F"}, {{3, 5, "E"}}},  // touches
      {{5, 5, ""}, {1, 2, ""}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.edit.begin);
    CAPTURE(c.edit.end);
    CAPTURE(c.first.begin);
    CAPTURE(c.first.end);
    CHECK(rebase(c.edit, c.first) == c.expected);
  }
}

TEST_CASE("rebase against a model of single bytes") {
  test::RandomText random(6);
  const auto random_edit = [&random](std::size_t size, char letter) {
    const std::size_t begin = random.below(size + 1);
    return Edit{begin, begin + random.below(size - begin + 1),
                std::string(random.below(4), letter)};
  };
  for (int run = 0; run < 50'000; ++run) {
    const std::string base = std::string("0123456789").substr(0, random.below(11));
    const Edit first = random_edit(base.size(), 'F');
    const Edit edit = random_edit(base.size(), 'E');

    // Deleted is what either deleted; typed text stands before the base byte at which it was typed,
    // that of `first` first.
    std::string expected;
    for (std::size_t at = 0; at <= base.size(); ++at) {
      // Text that was typed inside what the other side deleted has moved to the end of that range:
      // behind the other's text.
      const std::size_t edit_at =
          edit.begin >= first.begin ? std::max(edit.begin, first.end) : edit.begin;
      if (at == first.begin) expected += first.replacement;
      if (at == edit_at) expected += edit.replacement;
      const bool deleted =
          (at >= first.begin && at < first.end) || (at >= edit.begin && at < edit.end);
      if (at < base.size() && !deleted) expected += base[at];
    }
    const std::vector<Edit> rebased = rebase(edit, first);
    REQUIRE(diff_test::applied_backwards(test::applied(base, first), rebased) == expected);
    REQUIRE(rebased.size() <= 2);
    if (rebased.size() == 2) REQUIRE(rebased[0].end < rebased[1].begin);
  }
}

}  // namespace agent_doc::text
