#include "server/turn/sanitiser.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::turn {

TEST_CASE("Sanitiser drops sequences and control characters, wherever they are cut") {
  using namespace std::string_view_literals;
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"plain \t text\n", "plain \t text\n"},
      {"a\r\nb\rc\r\r\nd\r", "a\nb\nc\n\nd\n"},
      {"\x1b[31mred\x1b[0m", "red"},
      {"\x1b[?25l\x1b[2J\x1b[1;1Hx", "x"},
      {"\x1b]0;title\x07x", "x"},
      {"\x1b]8;;file:///x\x1b\\link\x1b]8;;\x1b\\", "link"},
      {"\x1bPdevice\x1b\\x", "x"},
      {"\x1b]never closed\nnext line", "\nnext line"},
      {"\x1b(Bx\x1b=y\x1b"
       "7z",
       "xyz"},
      {"\x1b\x1b[1mx", "x"},
      {"\x1b[1\nx", "\nx"},
      {"\x1b\u00e9", "\u00e9"},
      {"\u009b31mx\u009d0;t\u009cy\u0085z", "xyz"},
      {"\u00a0\u00bf\u00e9\u6f22\U0001F469\u200D\U0001F469",
       "\u00a0\u00bf\u00e9\u6f22\U0001F469\u200D\U0001F469"},
      {"a\0b\x07"
       "c\x7f"
       "d\x08"sv,
       "abcd"},
      // What turns the order around is marked; marks and joiners of languages, and what only begins
      // like them, stay.
      {"safe\u202Ecod\u202C", "safe<U+202E>cod<U+202C>"},
      {"\u202A\u202B\u202D\u2066\u2067\u2068\u2069",
       "<U+202A><U+202B><U+202D><U+2066><U+2067><U+2068><U+2069>"},
      {"\u200B\u200E\u200F\u200D\u2029\u202F\u2060\u2070\u2014\u2502\u20AC",
       "\u200B\u200E\u200F\u200D\u2029\u202F\u2060\u2070\u2014\u2502\u20AC"},
      {"\x1b\u202Ex\r\u202Ey\u00e9\u202Ez", "<U+202E>x\n<U+202E>y\u00e9<U+202E>z"},
      // What shows nothing is marked: tags, invisible operators, fillers, a second variation
      // selector.
      {"a\U000E0001\U000E0062\U000E007Fb", "a<U+E0001><U+E0062><U+E007F>b"},
      {"\u2061\u2064\u2065\u206A\u206F\u3164\uFEFF\uFFA0\uFFF9\uFFFB",
       "<U+2061><U+2064><U+2065><U+206A><U+206F><U+3164><U+FEFF><U+FFA0><U+FFF9><U+FFFB>"},
      {"\U0001BCA0\U0001D173\U000E0FFF", "<U+1BCA0><U+1D173><U+E0FFF>"},
      {"\u2764\uFE0F\uFE0F!\u845B\U000E0100\U000E0101",
       "\u2764\uFE0F<U+FE0F>!\u845B\U000E0100<U+E0101>"},
      // What emoji and languages are made of stays.
      {"\u2764\uFE0F\u200D\U0001F525 1\uFE0F\u20E3 \U0001F1EA\U0001F1FA \u304B\u3042\uFF01\uFFE5",
       "\u2764\uFE0F\u200D\U0001F525 1\uFE0F\u20E3 \U0001F1EA\U0001F1FA \u304B\u3042\uFF01\uFFE5"},
      {"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F.",
       "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F."},
      // A flag that is none, and what follows one.
      {"\U0001F3F4\U000E0067\U000E0062\U000E0078\U000E007F",
       "\U0001F3F4\U000E0067\U000E0062<U+E0078><U+E007F>"},
      {"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F\U000E0067",
       "\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F<U+E0067>"},
      {"\U0001F3F4 \U000E0067", "\U0001F3F4 <U+E0067>"},
  };
  for (const auto& [raw, expected] : cases) {
    for (std::size_t cut = 0; cut <= raw.size(); ++cut) {
      CAPTURE(raw);
      CAPTURE(cut);
      Sanitiser sanitiser;
      std::string out;
      sanitiser.feed(raw.substr(0, cut), out);
      sanitiser.feed(raw.substr(cut), out);
      CHECK(out == expected);
    }
  }
}

TEST_CASE("one_line makes a status of any text") {
  CHECK(one_line("  two \n\t words ", 20) == "two words");
  CHECK(one_line("\x1b[1mbold\x1b[0m", 20) == "bold");
  CHECK(one_line("", 20).empty());
  CHECK(one_line("0123456789", 10) == "0123456789");
  CHECK(one_line("0123456789a", 10) == "0123456\u2026");
  CHECK(one_line("\u6f22\u6f22\u6f22\u6f22", 10) == "\u6f22\u6f22\u2026");
  CHECK(one_line(std::string(10'000, ' ') + "far away", 10) == "\u2026");
  for (std::size_t limit = 3; limit < 40; ++limit)
    CHECK(one_line(std::string(1000, 'x'), limit).size() == limit);
}

}  // namespace agent_doc::turn
