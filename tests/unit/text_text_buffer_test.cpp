#include "server/text/text_buffer.hpp"

#include "server/text/utf8.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::text {

namespace text_buffer_test {

constexpr PositionEncoding kEncodings[] = {PositionEncoding::Utf8, PositionEncoding::Utf16,
                                           PositionEncoding::Utf32};

/// The rules of LSP 3.17, one code point at a time from the start of the text.
class Model {
 public:
  Model(std::string_view text, PositionEncoding encoding) {
    Position at;
    for (std::size_t offset = 0; offset < text.size();) {
      const std::size_t length = sequence_length(text, offset);
      const bool cr_lf = text.substr(offset, 2) == "\r\n";
      places_.push_back({offset, at});
      if (cr_lf) places_.push_back({offset + 1, at});
      if (cr_lf || text[offset] == '\n' || text[offset] == '\r') {
        ends_.push_back({offset, at});
        at = {at.line + 1, 0};
        offset += cr_lf ? 2 : 1;
        continue;
      }
      const std::size_t units = encoding == PositionEncoding::Utf8                   ? length
                                : encoding == PositionEncoding::Utf16 && length == 4 ? 2
                                                                                     : 1;
      at.column += static_cast<std::uint32_t>(units);
      offset += length;
    }
    places_.push_back({text.size(), at});
    ends_.push_back({text.size(), at});
  }

  struct Place {
    std::size_t offset;
    Position position;
  };
  const std::vector<Place>& places() const { return places_; }
  std::size_t line_count() const { return ends_.size(); }

  bool contains(Position position) const {
    return position.line < ends_.size() && position.column <= ends_[position.line].position.column;
  }

  std::size_t offset_of(Position position) const {
    if (position.line >= ends_.size()) return ends_.back().offset;
    std::size_t best = 0;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
      if (place->position.line == position.line && place->position.column <= position.column) {
        best = place->offset;
        break;
      }
    }
    return std::min(best, ends_[position.line].offset);
  }

 private:
  std::vector<Place> places_;  // every boundary between code points
  std::vector<Place> ends_;    // of each line
};

void check_against_model(const TextBuffer& buffer, test::RandomText& random) {
  for (const PositionEncoding encoding : kEncodings) {
    const Model model(buffer.text(), encoding);
    REQUIRE(buffer.line_count() == model.line_count());
    for (const Model::Place& place : model.places())
      REQUIRE(buffer.position_of(place.offset, encoding) == place.position);
    for (int i = 0; i < 8; ++i) {
      const Position position{static_cast<std::uint32_t>(random.below(model.line_count() + 2)),
                              static_cast<std::uint32_t>(random.below(90))};
      CAPTURE(position.line);
      CAPTURE(position.column);
      REQUIRE(buffer.offset_of(position, encoding) == model.offset_of(position));
      REQUIRE(buffer.contains(position, encoding) == model.contains(position));
    }
  }
}

}  // namespace text_buffer_test

TEST_CASE("names of the encodings") {
  CHECK(name_of(PositionEncoding::Utf8) == "utf-8");
  CHECK(name_of(PositionEncoding::Utf16) == "utf-16");
  CHECK(name_of(PositionEncoding::Utf32) == "utf-32");
}

TEST_CASE("lines and their ends") {
  const TextBuffer buffer("one\ntwo\r\nthree\rfour\n\r\n\n");
  const std::vector<std::string> expected = {"one", "two", "three", "four", "", "", ""};
  REQUIRE(buffer.line_count() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(buffer.line(i) == expected[i]);
  CHECK(buffer.line_start(2) == 9);
  CHECK(buffer.line_of(7) == 1);
  CHECK(buffer.line_of(8) == 1);  // between "\r" and "\n"
  CHECK(buffer.line_of(9) == 2);
  CHECK(buffer.line_of(buffer.size()) == 6);
}

TEST_CASE("the empty text has one line") {
  const TextBuffer buffer;
  CHECK(buffer.line_count() == 1);
  CHECK(buffer.line(0).empty());
  CHECK(buffer.position_of(0, PositionEncoding::Utf16) == Position{0, 0});
  CHECK(buffer.offset_of({3, 7}, PositionEncoding::Utf16) == 0);
}

TEST_CASE("columns past the end, inside a pair, inside a sequence") {
  const TextBuffer buffer("a\U0001F600b\r\nx");
  CHECK(buffer.offset_of({0, 1}, PositionEncoding::Utf16) == 1);
  CHECK(buffer.offset_of({0, 2}, PositionEncoding::Utf16) == 1);  // between the surrogates
  CHECK(buffer.offset_of({0, 3}, PositionEncoding::Utf16) == 5);
  CHECK(buffer.offset_of({0, 99}, PositionEncoding::Utf16) == 6);  // before the line end
  CHECK(buffer.offset_of({9, 0}, PositionEncoding::Utf16) == 9);
  CHECK(buffer.offset_of({0, 3}, PositionEncoding::Utf8) == 1);
  CHECK(buffer.position_of(7, PositionEncoding::Utf16) == Position{0, 4});  // between "\r" and "\n"
  CHECK(buffer.contains({0, 4}, PositionEncoding::Utf16));
  CHECK_FALSE(buffer.contains({0, 5}, PositionEncoding::Utf16));
  CHECK_FALSE(buffer.contains({2, 0}, PositionEncoding::Utf16));
}

TEST_CASE("an edit joins and splits line ends") {
  struct Case {
    std::string before;
    Edit edit;
    std::vector<std::string> lines;
  };
  const std::vector<Case> cases = {
      {"a\rb\n", {2, 3, ""}, {"a", ""}},         // "\r" meets "\n"
      {"a\r\nb", {2, 2, "x"}, {"a", "x", "b"}},  // torn apart
      {"a\nb", {1, 1, "\r"}, {"a", "b"}},        // "\r" typed before "\n"
      {"a\rb", {2, 2, "\n"}, {"a", "b"}},        // "\n" typed behind "\r"
      {"a\r\nb", {1, 2, ""}, {"a", "b"}},
      {"a\r\nb", {2, 3, ""}, {"a", "b"}},
      {"a\r\nb", {1, 3, ""}, {"ab"}},
      {"\n", {0, 0, "\r"}, {"", ""}},
      {"\nx", {0, 1, ""}, {"x"}},
      {"a\nb\nc\nd", {1, 6, "\n"}, {"a", "d"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.before);
    TextBuffer buffer(c.before);
    buffer.apply(c.edit);
    CHECK(buffer.text() == test::applied(c.before, c.edit));
    REQUIRE(buffer.line_count() == c.lines.size());
    for (std::size_t i = 0; i < c.lines.size(); ++i) CHECK(buffer.line(i) == c.lines[i]);
  }
}

TEST_CASE("random edits against a model that starts from scratch each time") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    test::RandomText random(seed);
    std::string expected = random.text(seed % 2 == 0 ? 10 : 60);
    TextBuffer buffer(expected);
    for (int step = 0; step < 40; ++step) {
      const Edit edit = random.edit(expected);
      expected = test::applied(expected, edit);
      buffer.apply(edit);
      REQUIRE(buffer.text() == expected);
      const TextBuffer rebuilt(expected);
      REQUIRE(buffer.line_count() == rebuilt.line_count());
      for (std::size_t i = 0; i < rebuilt.line_count(); ++i)
        REQUIRE(buffer.line_start(i) == rebuilt.line_start(i));
      text_buffer_test::check_against_model(buffer, random);
    }
  }
}

TEST_CASE("positions in a long line") {
  std::string line;
  for (int i = 0; i < 200; ++i) line += "0123456789 \u4E2D\u6587 \U0001F600 \u00E9";
  test::RandomText random(3);
  text_buffer_test::check_against_model(TextBuffer("x\n" + line + "\ny"), random);
  const TextBuffer buffer("x\n" + line + "\ny");
  for (const PositionEncoding encoding : text_buffer_test::kEncodings) {
    for (std::size_t offset = 0; offset <= buffer.size(); ++offset) {
      if (floor_boundary(buffer.text(), offset) != offset) continue;
      REQUIRE(buffer.offset_of(buffer.position_of(offset, encoding), encoding) == offset);
    }
  }
}

TEST_CASE("random edits of long lines: positions as in a text that was never edited") {
  const std::string piece = "0123456789 \u4E2D\u6587 \U0001F600 \u00E9";
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    test::RandomText random(seed);
    TextBuffer buffer;
    for (int line = 0; line < 12; ++line) {
      std::string text;
      while (text.size() < 100 + random.below(9000)) text += piece;
      buffer.apply({buffer.size(), buffer.size(), text + "\n"});
    }
    for (int step = 0; step < 60; ++step) {
      Edit edit = random.edit(buffer.text());
      if (random.one_in(8)) edit.end = random.boundary(buffer.text());
      if (edit.end < edit.begin) std::swap(edit.begin, edit.end);
      if (random.one_in(8)) edit.replacement = random.text(2000);
      if (random.one_in(4))
        edit = {buffer.line_start(random.below(buffer.line_count())), 0,
                random.one_in(2) ? "\n" : "x"};
      edit.end = std::max(edit.begin, edit.end);
      buffer.apply(edit);
      const TextBuffer fresh(buffer.text());
      for (const PositionEncoding encoding : text_buffer_test::kEncodings) {
        for (int i = 0; i < 6; ++i) {
          const std::size_t offset = random.boundary(fresh.text());
          REQUIRE(buffer.position_of(offset, encoding) ==
                  TextBuffer(fresh).position_of(offset, encoding));
          const Position position{static_cast<std::uint32_t>(random.below(fresh.line_count())),
                                  static_cast<std::uint32_t>(random.below(9000))};
          REQUIRE(buffer.offset_of(position, encoding) ==
                  TextBuffer(fresh).offset_of(position, encoding));
          REQUIRE(buffer.contains(position, encoding) ==
                  TextBuffer(fresh).contains(position, encoding));
        }
      }
    }
  }
}

TEST_CASE(
    "what a conversion at the end of a growing line costs does not depend on the length of the "
    "line") {
  constexpr int kAppends = 1000;
  const auto counted_in_line_of = [](std::size_t bytes) {
    std::string line;
    while (line.size() < bytes) line += "\u4E2D\u6587";
    TextBuffer buffer("above\n" + line + "\n\nbelow\n");
    std::size_t end = 6 + line.size();
    buffer.position_of(end, PositionEncoding::Utf16);  // the line itself is counted once
    const std::uint64_t before = buffer.counted_bytes();
    for (int i = 0; i < kAppends; ++i) {
      const Position position = buffer.position_of(end, PositionEncoding::Utf16);
      REQUIRE(buffer.offset_of(position, PositionEncoding::Utf16) == end);
      buffer.apply({end, end, "\u4E2D\u6587 "});
      end += 7;
      if (i % 10 == 0) buffer.apply({0, 0, "x\n"}), end += 2;  // a person types above
    }
    return buffer.counted_bytes() - before;
  };
  const std::uint64_t in_short = counted_in_line_of(4'000);
  const std::uint64_t in_long = counted_in_line_of(4'000'000);
  CHECK(in_short > 0);
  CHECK(in_long < 2 * in_short + kAppends * kShortLine);
}

}  // namespace agent_doc::text
