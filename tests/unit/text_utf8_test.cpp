#include "server/text/utf8.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>
#include <utf8proc.h>

#include <string>
#include <vector>

namespace agent_doc::text {

namespace utf8_test {

/// The plain way: every code point of `bytes` from its start on.
std::size_t last_grapheme_from_start(std::string_view bytes) {
  std::size_t cluster = 0;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t left = -1;
  for (std::size_t at = 0; at < bytes.size();) {
    utf8proc_int32_t right = 0;
    const auto length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + at,
                         static_cast<utf8proc_ssize_t>(bytes.size() - at), &right);
    if (left >= 0 && utf8proc_grapheme_break_stateful(left, right, &state)) cluster = at;
    left = right;
    at += static_cast<std::size_t>(length);
  }
  return cluster;
}

}  // namespace utf8_test

TEST_CASE("first_invalid_utf8") {
  struct Case {
    std::string bytes;
    std::size_t expected;
  };
  const std::vector<Case> cases = {
      {"", 0},
      {"plain ASCII that is longer than a word", 38},
      {"\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF \xF0\x90\x80\x80 "
       "\xF4\x8F\xBF\xBF",
       31},
      {"abc\x80", 3},
      {"abc\xC0\xAF", 3},  // overlong "/"
      {"abc\xC1\xBF", 3},
      {"abc\xE0\x9F\xBF", 3},      // overlong
      {"abc\xED\xA0\x80", 3},      // surrogate
      {"abc\xF0\x8F\xBF\xBF", 3},  // overlong
      {"abc\xF4\x90\x80\x80", 3},  // above U+10FFFF
      {"abc\xF5\x80\x80\x80", 3},
      {"abc\xFF", 3},
      {"12345678\xE4\xB8", 8},  // cut short
      {"12345678\xE4\xB8z", 8},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(first_invalid_utf8(c.bytes) == c.expected);
    CHECK(is_valid_utf8(c.bytes) == (c.expected == c.bytes.size()));
  }
}

TEST_CASE("which first and second bytes belong together") {
  std::size_t of_three = 0, of_four = 0;
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second), '\x80',
                                 '\xBF'};
      if (sequence_length(bytes, 0) == 3) ++of_three;
      if (sequence_length(bytes, 0) == 4) ++of_four;
    }
  }
  CHECK(of_three == (0x10000 - 0x800 - 0x800) / 64);  // all of three bytes but the surrogates
  CHECK(of_four == 0x100000 / 4096);
}

TEST_CASE("repair_utf8 replaces maximal subparts") {
  struct Case {
    std::string bytes, text;
    std::size_t replaced;
  };
  const std::vector<Case> cases = {
      {"fine", "fine", 0},
      {"a\xF1\x80\x80\xE1\x80\xC2"
       "b\x80"
       "c\x80\xBF"
       "d",
       "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd",
       6},  // Unicode 15, table 3-8 of "Constraints on Conversion Processes"
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 3},
      {"\xC0\xAF", "\uFFFD\uFFFD", 2},
      {"x\xE4\xB8", "x\uFFFD", 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    const RepairedText repaired = repair_utf8(c.bytes);
    CHECK(repaired.text == c.text);
    CHECK(repaired.replaced == c.replaced);
  }
}

TEST_CASE("lengths in other encodings") {
  const std::string text = "a\u00E9\u4E2D\U0001F600 and more than one word \U0001F600\u4E2D\u00E9z";
  CHECK(utf32_length(text) == 32);
  CHECK(utf16_length(text) == 34);
  CHECK(utf16_length("") == 0);
  // Whole words of the machine are counted at once, the rest one by one.
  for (std::size_t before = 0; before < 16; ++before) {
    const std::string ascii(before, 'x');
    CHECK(utf16_length(ascii + "\u00E9") == before + 1);
    CHECK(utf16_length(ascii + "\u4E2D") == before + 1);
    CHECK(utf16_length(ascii + "\U0001F600") == before + 2);
    CHECK(utf32_length(ascii + "\U0001F600") == before + 1);
  }
  CHECK(sequence_length(text, 0) == 1);
  CHECK(sequence_length(text, 1) == 2);
  CHECK(sequence_length(text, 3) == 3);
  CHECK(sequence_length(text, 6) == 4);
  CHECK(sequence_length("\x80\x80", 0) == 1);
}

TEST_CASE("floor_boundary") {
  const std::string text = "a\u00E9\u4E2D\U0001F600";
  const std::vector<std::size_t> expected = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t at = 0; at < expected.size(); ++at)
    CHECK(floor_boundary(text, at) == expected[at]);
  CHECK(floor_boundary("ab\xE4\xB8", 4) == 2);  // the end of a text cut short is inside a sequence
  CHECK(floor_boundary("\x80\x80\x80\x80\x80", 5) == 5);
}

TEST_CASE("last_grapheme") {
  struct Case {
    std::string head, last;
  };
  const std::vector<Case> cases = {
      {"", ""},
      {"", "a"},
      {"a", "b"},
      {"a", "\r\n"},
      {"\r\n", "\n"},
      {"\n", "\r"},
      {"x", "e\u0301\u0323"},                                                // combining marks
      {"ab", "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"},  // a family
      {"ab", "\U0001F468\u200D"},                                            // a family to be
      {"\U0001F468", "\U0001F469"},
      {"x", "\U0001F44B\U0001F3FD"},                                         // a skin tone
      {"x", "\U0001F1E9\U0001F1EA"},                                         // one flag
      {"x\U0001F1E9\U0001F1EA", "\U0001F1EB"},                               // a flag and a half
      {"\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7", "\U0001F1EF\U0001F1F5"},  // three flags
      {"\uD55C", "\u1100\u1161\u11A8"},  // Hangul syllable of jamo
      {"\u4E2D", "\u6587"},
      {"x", "\u0915\u093F"},  // Devanagari with a vowel sign
      {"ab", "\x80"},         // ill-formed bytes stand for themselves
      {"\x80\x80", "a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.head);
    CAPTURE(c.last);
    CHECK(last_grapheme(c.head + c.last) == c.head.size());
  }
}

TEST_CASE("last_grapheme agrees with a walk from the start") {
  const std::vector<std::string_view> pieces = {
      "a",          "\u0301", "\u200D", "\U0001F468", "\U0001F1E9", "\U0001F1EA", "\u1100",
      "\u1161",     "\u11A8", "\uAC00", "\r",         "\n",         "\u4E2D",     "\u0600",
      "\U0001F3FD", "\u093F", "\u0915", "\u094D",     " ",          "\u00E9",     "\u200B"};
  test::RandomText random(2);
  for (int run = 0; run < 30'000; ++run) {
    std::string text;
    for (std::size_t left = 1 + random.below(10); left > 0; --left) text += random.pick(pieces);
    CAPTURE(text);
    REQUIRE(last_grapheme(text) == utf8_test::last_grapheme_from_start(text));
  }
}

}  // namespace agent_doc::text
