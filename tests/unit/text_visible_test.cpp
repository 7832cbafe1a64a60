#include "server/text/visible.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace text_visible_test {

using agent_doc::text::visible;
using agent_doc::text::visible_line;

TEST_CASE("visible: a table of hostile texts") {
  struct Case {
    std::string text;
    std::string shown;
  };
  const std::vector<Case> cases = {
      {"", ""},
      {"git status -sb", "git status -sb"},
      {"naïve – “quotes”, 漢字, é, \U0001F600, אבג", "naïve – “quotes”, 漢字, é, \U0001F600, אבג"},
      {"echo hi\nrm -rf ~", "echo hi⏎\nrm -rf ~"},
      {"echo hi\r\x1b[2Krm", "echo hi<U+000D U+001B>[2Krm"},
      {std::string("a\0b", 3), "a<U+0000>b"},
      {"a\x7f\u009b"
       "2Jb",
       "a<U+007F U+009B>2Jb"},
      {"\u202Etxt.exe\u202C", "<U+202E>txt.exe<U+202C>"},
      {"a\u2066b\u2069\u200E\u200F\u061Cc", "a<U+2066>b<U+2069 U+200E U+200F U+061C>c"},
      {"a\u200B\u200D\u2060\uFEFF\u00ADb", "a<U+200B U+200D U+2060 U+FEFF U+00AD>b"},
      {"ls\U000E0001\U000E0072\U000E006D\U000E0020\U000E007E\U000E007F!",
       "ls<U+E0001><invisible: rm ~><U+E007F>!"},
      {"a\u00A0b\u3000c\u2800d\u3164e", "a<U+00A0>b<U+3000>c<U+2800>d<U+3164>e"},
      {"a\uFE0F\U000E0100\uE000\uFFFE", "a<U+FE0F U+E0100 U+E000 U+FFFE>"},
      {"a\u2028b\u2029c\u0085d", "a<U+2028>b<U+2029>c<U+0085>d"},
      {"e\u0301 e\u0301\u0302\u0303\u0304\u0305", "e\u0301 e\u0301\u0302\u0303<U+0304 U+0305>"},
      {"if x:\n        y()\n\tz", "if x:⏎\n        y()⏎\n\tz"},
      {"ls" + std::string(200, ' ') + "; rm -rf ~", "ls<200 blanks>; rm -rf ~"},
      {"ls\t\t\t\t; rm", "ls<4 blanks>; rm"},
      {"ls" + std::string(60, '\n') + "rm", "ls<60 line ends>⏎\nrm"},
      {"ls \n \n \n \n rm", "ls<4 line ends and 5 blanks>⏎\nrm"},
      {"a\n\n\nb", "a⏎\n⏎\n⏎\nb"},
      {"literal <U+202E> and ⏎", "literal <U+003C>U+202E> and <U+23CE>"},
      {"a < b <u> <U", "a < b <u> <U"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(visible(one.text) == one.shown);
  }
}

TEST_CASE("visible: on one line") {
  CHECK(visible_line("echo hi\nrm -rf ~") == "echo hi⏎ rm -rf ~");
  CHECK(visible_line("\x1b]0;x\x07") == "<U+001B>]0;x<U+0007>");
}

TEST_CASE("visible: no control, bidi or format character of any plane is left") {
  std::string all;
  const auto add = [&all](unsigned point) {
    if (point >= 0x800) {
      if (point >= 0x10000) {
        all.push_back(static_cast<char>(0xF0 | point >> 18));
        all.push_back(static_cast<char>(0x80 | (point >> 12 & 0x3F)));
      } else {
        all.push_back(static_cast<char>(0xE0 | point >> 12));
      }
      all.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
    } else {
      all.push_back(static_cast<char>(0xC0 | point >> 6));
    }
    all.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  };
  for (unsigned point = 0x2000; point <= 0x200F; ++point) add(point);
  for (unsigned point = 0x2028; point <= 0x202F; ++point) add(point);
  for (unsigned point = 0x205F; point <= 0x206F; ++point) add(point);
  for (unsigned point = 0x80; point <= 0x9F; ++point) add(point);
  for (unsigned point = 0xE0000; point <= 0xE01EF; ++point) add(point);
  const std::string shown = visible(all);
  for (const char c : shown) {
    const bool printable = c >= ' ' && c <= '~';
    CHECK(printable);
    if (!printable) break;
  }
}

}  // namespace text_visible_test
