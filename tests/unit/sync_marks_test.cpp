#include "server/sync/marks.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_marks_test_internal {

/// "ab" + frame "\n# A\n" + reply "hello" + tail "\n\n" + "yz"; all of the reply is ours.
const std::string kText = "ab\n# A\nhello\n\nyz";

RegionMarks marks_of_text() {
  RegionMarks marks;
  marks.framed = true;
  marks.place = 2;
  marks.frame_begin = 2;
  marks.heading_begin = 3;
  marks.heading_end = 6;
  marks.head_end = 7;
  marks.end = 12;
  marks.frame_end = 14;
  marks.owned = {{7, 5, 0, false}};
  return marks;
}

struct Span {
  std::size_t begin, length, reply_begin;
  bool stale;
  friend bool operator==(const Span&, const Span&) = default;
};

std::vector<Span> spans_of(const RegionMarks& marks) {
  std::vector<Span> spans;
  for (const OwnedSpan& span : marks.owned)
    spans.push_back({span.begin, span.length, span.reply_begin, span.stale});
  return spans;
}

TEST_CASE(
    "a deletion across the end of the reply that is not of whole lines is what it says (9105031)") {
  // "b\na\n\n" is the reply, "\n" the tail, "a" the person's: the last "\n\n\na" goes, not
  // "\na\n\n".
  const std::string text = "# A\nb\na\n\n\na";
  RegionMarks marks;
  marks.framed = true;
  marks.heading_end = 3;
  marks.head_end = 4;
  marks.end = 9;
  marks.frame_end = 10;
  marks.owned = {{4, 5, 0, false}};
  map_foreign_change(marks, {7, 11, {}}, text);
  CHECK(marks.end == 7);
  CHECK_FALSE(marks.tail_deleted);  // only white space of the reply is gone
}

TEST_CASE("marks move with what somebody else changes") {
  struct Case {
    const char* name;
    text::Edit edit;
    std::size_t frame_begin, head_end, end, frame_end;
    std::vector<Span> owned;
  };
  const std::vector<Case> cases = {
      {"above", {0, 0, "xx"}, 4, 9, 14, 16, {{9, 5, 0, false}}},
      {"below", {14, 16, ""}, 2, 7, 12, 14, {{7, 5, 0, false}}},
      {"at the frame's begin", {2, 2, "x"}, 3, 8, 13, 15, {{8, 5, 0, false}}},
      {"at the frame's end", {14, 14, "x"}, 2, 7, 12, 14, {{7, 5, 0, false}}},
      {"inside the reply", {9, 9, "x"}, 2, 7, 13, 15, {{7, 2, 0, false}, {10, 3, 2, false}}},
      {"exactly at the insertion point", {12, 12, "x"}, 2, 7, 12, 15, {{7, 5, 0, false}}},
      {"at the begin of the reply", {7, 7, "x"}, 2, 7, 13, 15, {{8, 5, 0, false}}},
      {"a part of the reply is deleted",
       {8, 10, ""},
       2,
       7,
       10,
       12,
       {{7, 1, 0, false}, {8, 2, 3, false}}},
      {"a part of the reply is replaced",
       {8, 10, "xyz"},
       2,
       7,
       13,
       15,
       {{7, 1, 0, false}, {11, 2, 3, false}}},
      {"the tail is deleted", {12, 14, ""}, 2, 7, 12, 12, {{7, 5, 0, false}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    RegionMarks marks = marks_of_text();
    map_foreign_change(marks, c.edit, kText);
    CHECK(marks.frame_begin == c.frame_begin);
    CHECK(marks.head_end == c.head_end);
    CHECK(marks.end == c.end);
    CHECK(marks.frame_end == c.frame_end);
    CHECK(spans_of(marks) == c.owned);
    CHECK_FALSE(marks.heading_deleted);
    CHECK_FALSE(marks.tail_deleted);
  }
}

TEST_CASE("the heading is deleted when nothing of it is left") {
  RegionMarks part = marks_of_text();
  map_foreign_change(part, {3, 5, ""}, kText);
  CHECK_FALSE(part.heading_deleted);
  RegionMarks all = marks_of_text();
  map_foreign_change(all, {2, 8, ""}, kText);
  CHECK(all.heading_deleted);
}

TEST_CASE("a deletion of the reply's end is an undo, and what puts the same back is its redo") {
  RegionMarks marks = marks_of_text();
  map_foreign_change(marks, {10, 12, ""}, kText);
  CHECK(marks.tail_deleted);
  CHECK(marks.end == 10);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 3, 0, false}});

  const std::string undone = "ab\n# A\nhel\n\nyz";
  RegionMarks redone = marks;
  map_foreign_change(redone, {10, 10, "lo"}, undone);
  CHECK_FALSE(redone.tail_deleted);
  CHECK(redone.tail_restored);
  CHECK(redone.end == 12);
  CHECK(spans_of(redone) == std::vector<Span>{{7, 5, 0, false}});

  RegionMarks typed = marks;
  map_foreign_change(typed, {10, 10, "l"}, undone);
  CHECK(typed.tail_deleted);
  CHECK(typed.end == 10);
  CHECK(spans_of(typed) == std::vector<Span>{{7, 3, 0, false}});
}

TEST_CASE("two undos are redone one by one, the last first") {
  RegionMarks marks = marks_of_text();
  map_foreign_change(marks, {10, 12, ""}, kText);
  map_foreign_change(marks, {8, 10, ""}, "ab\n# A\nhel\n\nyz");
  CHECK(marks.end == 8);
  map_foreign_change(marks, {8, 8, "el"}, "ab\n# A\nh\n\nyz");
  CHECK(marks.tail_deleted);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 3, 0, false}});
  map_foreign_change(marks, {10, 10, "lo"}, "ab\n# A\nhel\n\nyz");
  CHECK(marks.tail_restored);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 5, 0, false}});
}

TEST_CASE("what is redone after the agent took it back is stale") {
  RegionMarks marks = marks_of_text();
  map_foreign_change(marks, {9, 12, ""}, kText);
  mark_stale_from(marks, 3, 1);
  map_foreign_change(marks, {9, 9, "llo"}, "ab\n# A\nhe\n\nyz");
  CHECK(spans_of(marks) == std::vector<Span>{{7, 3, 0, false}, {10, 2, 3, true}});
}

TEST_CASE(
    "an undo that is told as a deletion of lines, across the end of the reply, is still the undo, "
    "and so is its redo") {
  const std::string text = "ab\n# A\none\n- two\n\nyz";  // the reply is "one\n- two"
  RegionMarks marks = marks_of_text();
  marks.end = 16;
  marks.frame_end = 18;
  marks.owned = {{7, 9, 0, false}};
  map_foreign_change(marks, {11, 17, ""}, text);  // "- two\n" for "\n- two"
  CHECK(marks.tail_deleted);
  CHECK(marks.end == 10);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 3, 0, false}});
  map_foreign_change(marks, {11, 11, "- two\n"}, "ab\n# A\none\n\nyz");
  CHECK(marks.tail_restored);
  CHECK(marks.end == 16);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 9, 0, false}});
}

TEST_CASE("a deletion across the end of the reply that is no undo") {
  RegionMarks marks = marks_of_text();
  map_foreign_change(marks, {10, 13, ""}, kText);
  CHECK(marks.end == 10);
  CHECK(marks.frame_end == 11);
  CHECK(spans_of(marks) == std::vector<Span>{{7, 3, 0, false}});
}

TEST_CASE("mark_stale_from splits the span that it meets") {
  RegionMarks marks;
  marks.owned = {{10, 4, 0, false}, {20, 6, 4, false}, {30, 2, 10, true}};
  mark_stale_from(marks, 6, 1);
  CHECK(
      spans_of(marks) ==
      std::vector<Span>{{10, 4, 0, false}, {20, 2, 4, false}, {22, 4, 6, true}, {30, 2, 10, true}});
  mark_stale_from(marks, 0, 1);
  CHECK(spans_of(marks) ==
        std::vector<Span>{{10, 4, 0, true}, {20, 2, 4, true}, {22, 4, 6, true}, {30, 2, 10, true}});
}

TEST_CASE("add_owned joins what goes on in the text and in the reply") {
  std::vector<OwnedSpan> owned;
  add_owned(owned, {5, 3, 0, false});
  add_owned(owned, {8, 2, 3, false});
  add_owned(owned, {10, 0, 5, false});
  CHECK(owned.size() == 1);
  CHECK(owned[0].length == 5);
  add_owned(owned, {10, 2, 9, false});
  add_owned(owned, {12, 2, 0, true});
  add_owned(owned, {14, 2, 2, true});
  REQUIRE(owned.size() == 3);
  CHECK(owned[2].length == 4);
  add_owned(owned, {16, 1, 7, true});
  add_owned(owned, {17, 1, 8, true, 1});
  CHECK(owned.size() == 5);
  add_owned(owned, {1, 1, 0, true});
  CHECK(owned.front().begin == 1);
}

TEST_CASE(
    "what a correction says again is the reply's again: the bytes that it took out, not others at "
    "their offsets") {
  RegionMarks marks;
  marks.framed = true;
  add_owned(marks.owned, {10, 4, 0, false});
  mark_stale_from(marks, 2, 1);  // bytes 2 and 3 of the reply before the first correction
  RegionMarks later = marks;
  CHECK(revalidate(marks, {2, 2, 2, 2}) == 0);  // what the second one took out stood elsewhere
  CHECK(has_stale(marks));
  CHECK(revalidate(later, {1, 2, 5, 2}) == 7);
  CHECK_FALSE(has_stale(later));
  CHECK(later.owned.back().reply_begin == 5);
}

}  // namespace sync_marks_test_internal
}  // namespace agent_doc::sync
