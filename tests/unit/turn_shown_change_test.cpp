// What it is: changes of texts as a person reads them before allowing them.
// What it is not: what is made visible in their lines (text_visible_test.cpp,
// turn_question_test.cpp).
#include "server/turn/shown_change.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

TEST_CASE("a change is shown by whole lines, with a few around it") {
  CHECK(shown_change("", "a\nb\n") == "+ a\n+ b");
  CHECK(shown_change("a\n", "") == "- a");
  CHECK(shown_change("one\ntwo\nthree\n", "one\n2\nthree\n") == "  one\n- two\n+ 2\n  three");
  CHECK(shown_change("one\nthree\n", "one\ntwo\nthree\n") == "  one\n+ two\n  three");
  CHECK(shown_change("one\ntwo\nthree\n", "one\nthree\n") == "  one\n- two\n  three");
  CHECK(shown_change("a long line\n", "a very long line\n") == "- a long line\n+ a very long line");
  CHECK(shown_change("same\n", "same\n") == "nothing changes");
  CHECK(shown_change("", "") == "nothing changes");
}

TEST_CASE("a line without an end is told from one that has one") {
  CHECK(shown_change("a", "a\n") == "- a\n\\ no line end\n+ a");
  CHECK(shown_change("a\n", "a") == "- a\n+ a\n\\ no line end");
  CHECK(shown_change("a", "b") == "- a\n\\ no line end\n+ b\n\\ no line end");
}

TEST_CASE("what stays far from every change is counted") {
  std::string before;
  for (int line = 1; line <= 20; ++line) before += "line " + std::to_string(line) + "\n";
  std::string after = before;
  after.replace(after.find("line 10\n"), 7, "LINE 10");
  CHECK(shown_change(before, after) ==
        "@ 6 lines stay\n  line 7\n  line 8\n  line 9\n- line 10\n+ LINE 10\n  line 11\n  line "
        "12\n  line 13\n@ 7 lines stay");
  after.replace(after.find("line 18\n"), 7, "LINE 18");
  CHECK(shown_change(before, after) ==
        "@ 6 lines stay\n  line 7\n  line 8\n  line 9\n- line 10\n+ LINE 10\n  line 11\n  line "
        "12\n  line 13\n@ 1 line stays\n  line 15\n"
        "  line 16\n  line 17\n- line 18\n+ LINE 18\n  line 19\n  line 20");
}

TEST_CASE("every line that goes or comes is shown") {
  // Nothing is far enough from a change to be left out, so both texts can be read off.
  const std::string_view pieces[] = {"a\n", "b\n", "c\n", "\n", "ab\n"};
  std::uint32_t seed = 1;
  const auto next = [&seed](std::uint32_t below) {
    seed = seed * 1664525U + 1013904223U;
    return (seed >> 16U) % below;
  };
  for (int run = 0; run < 2000; ++run) {
    std::string before, after;
    for (std::uint32_t count = next(7); count > 0; --count) before += pieces[next(5)];
    for (std::uint32_t count = next(7); count > 0; --count) after += pieces[next(5)];
    CAPTURE(before);
    CAPTURE(after);
    const std::string shown = shown_change(before, after);
    if (before == after) continue;
    if (shown.find("@ ") != std::string::npos) continue;
    std::string old_text, new_text;
    std::string_view rest = shown;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      const std::string text = std::string(line.substr(2)) + "\n";
      if (line[0] != '+') old_text += text;
      if (line[0] != '-') new_text += text;
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    CHECK(old_text == before);
    CHECK(new_text == after);
  }
}

}  // namespace agent_doc::turn
