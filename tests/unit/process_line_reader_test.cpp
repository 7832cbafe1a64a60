#include "server/process/line_reader.hpp"

#include "server/text/utf8.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace agent_doc::process {

namespace line_reader_test {

/// Lines as text, too long ones as "<too long: N>".
void take(LineReader& reader, std::vector<std::string>& lines) {
  while (const std::optional<Line> line = reader.next()) {
    if (const auto* too_long = std::get_if<LineTooLong>(&*line)) {
      lines.push_back("<too long: " + std::to_string(too_long->bytes) + '>');
    } else {
      lines.emplace_back(std::get<std::string_view>(*line));
    }
  }
}

std::vector<std::string> read(const std::vector<std::string>& pieces, std::size_t limit) {
  LineReader reader(limit);
  std::vector<std::string> lines;
  for (const std::string& piece : pieces) {
    // A copy of its own, so that reading behind the piece is seen by the sanitizer.
    const std::vector<char> exact(piece.begin(), piece.end());
    reader.feed({exact.data(), exact.size()});
    take(reader, lines);
  }
  reader.finish();
  take(reader, lines);
  return lines;
}

/// The same in the plainest way, from the whole input.
std::vector<std::string> model(const std::string& input, std::size_t limit) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < input.size()) {
    const std::size_t newline = std::min(input.find('\n', start), input.size());
    std::string line = input.substr(start, newline - start);
    if (line.size() > limit) {
      lines.push_back("<too long: " + std::to_string(line.size()) + '>');
    } else {
      if (start == 0 && line.substr(0, 3) == "\xEF\xBB\xBF") line.erase(0, 3);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back(text::repair_utf8(line).text);
    }
    start = newline + 1;
  }
  return lines;
}

/// `cuts` has a bit for each place between two bytes.
std::vector<std::string> cut(const std::string& input, std::uint32_t cuts) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < input.size(); ++i) {
    pieces.back() += input[i];
    if ((cuts >> i) & 1U) pieces.emplace_back();
  }
  return pieces;
}

TEST_CASE("LineReader: what a line is") {
  struct Case {
    const char* name;
    std::string input;
    std::vector<std::string> lines;
  };
  const std::vector<Case> cases{
      {"nothing", "", {}},
      {"one line", "a\n", {"a"}},
      {"empty lines count", "\n\na\n", {"", "", "a"}},
      {"last line without newline", "a\nb", {"a", "b"}},
      {"carriage return at the end", "a\r\nb\r", {"a", "b"}},
      {"only one carriage return is taken off", "a\r\r\n", {"a\r"}},
      {"a carriage return inside stays", "a\rb\n", {"a\rb"}},
      {"byte order mark at the start", "\xEF\xBB\xBF{}\n", {"{}"}},
      {"byte order mark alone", "\xEF\xBB\xBF", {""}},
      {"byte order mark later is text", "a\n\xEF\xBB\xBF{}\n", {"a", "\xEF\xBB\xBF{}"}},
      {"half a byte order mark is ill-formed text", "\xEF\xBB\n", {"\xEF\xBF\xBD"}},
      {"NUL is a character", std::string("a\0b\n", 4), {std::string("a\0b", 3)}},
      {"ill-formed UTF-8",
       "a\xFF\xC3\n\xE2\x82\xAC\n",
       {"a\xEF\xBF\xBD\xEF\xBF\xBD", "\xE2\x82\xAC"}},
      {"too long", "12345678\n12345\n", {"<too long: 8>", "12345"}},
      {"exactly the limit", "12345\n", {"12345"}},
      {"the carriage return counts", "12345\r\n", {"<too long: 6>"}},
      {"too long without newline", "123456", {"<too long: 6>"}},
      {"two too long ones", "aaaaaa\nbbbbbbb\nc\n", {"<too long: 6>", "<too long: 7>", "c"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const std::size_t limit =
        std::string(one.name).find("too long") != std::string::npos || one.input.find("12345") == 0
            ? 5
            : 100;
    CHECK(model(one.input, limit) == one.lines);
    const std::uint32_t all_cuts = one.input.empty() ? 1 : 1U << (one.input.size() - 1);
    for (std::uint32_t cuts = 0; cuts < all_cuts; ++cuts) {
      const auto lines = read(cut(one.input, cuts), limit);
      if (lines != one.lines) {
        CAPTURE(cuts);
        CHECK(lines == one.lines);
        break;
      }
    }
  }
}

TEST_CASE("LineReader: random bytes in random pieces are the model's lines") {
  std::mt19937 random(20261120);
  const std::string alphabet[] = {"\n",   "\n",           "\r",
                                  "\r\n", "\xEF\xBB\xBF", "a",
                                  "bc",   "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                  "\xFF", "\xE2\x82",     std::string(1, '\0')};
  for (int round = 0; round < 20'000; ++round) {
    std::string input;
    const std::size_t parts = random() % 30;
    for (std::size_t i = 0; i < parts; ++i) input += alphabet[random() % std::size(alphabet)];
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < input.size();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 9, input.size() - at);
      pieces.push_back(input.substr(at, length));
      at += length;
    }
    const std::size_t limit = random() % 12;
    const auto expected = model(input, limit);
    if (read(pieces, limit) != expected) {
      CAPTURE(round);
      CHECK(read(pieces, limit) == expected);
      break;
    }
  }
}

TEST_CASE("LineReader: a whole line is handed out where it lies") {
  LineReader reader;
  const std::string piece = "first\nsecond\r\nthird";
  reader.feed(piece);
  CHECK(std::get<std::string_view>(*reader.next()).data() == piece.data());
  CHECK(std::get<std::string_view>(*reader.next()).data() == piece.data() + 6);
  CHECK(!reader.next());
}

TEST_CASE("LineReader: a long line in single bytes is searched once") {
  constexpr std::size_t kLength = 2'000'000;  // quadratic work would not end
  LineReader reader;
  for (std::size_t i = 0; i < kLength; ++i) {
    reader.feed("x");
    REQUIRE(!reader.next());
  }
  reader.finish();
  const std::optional<Line> line = reader.next();
  REQUIRE(line);
  CHECK(std::get<std::string_view>(*line) == std::string(kLength, 'x'));
  CHECK(!reader.next());
}

}  // namespace line_reader_test

}  // namespace agent_doc::process
