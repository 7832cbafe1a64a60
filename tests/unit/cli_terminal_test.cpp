#include "editors/cli/terminal.hpp"

#include "editors/cli/standard_streams.hpp"
#include "server/text/utf8.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

namespace terminal_test {

/// A terminal that wraps: rows of cells, wide characters take two, a wide character that does not
/// fit into the rest of a row goes to the next one. It knows newline, carriage return, "erase line"
/// and colours, and fails on everything else below a space.
class WrappingTerminal {
 public:
  explicit WrappingTerminal(std::size_t columns) : columns_(columns) {}

  void write(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      if (bytes.substr(at).starts_with("\x1b[")) {
        const std::size_t end = bytes.find_first_of("mK", at);
        REQUIRE(end != std::string_view::npos);
        if (bytes[end] == 'K') erase_line();
        at = end + 1;
        continue;
      }
      const std::size_t length = text::sequence_length(bytes, at);
      put(bytes.substr(at, length));
      at += length;
    }
  }

  /// What was printed, with wrapped rows joined again.
  std::string text() const {
    std::string text;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (row > 0 && !rows_[row].continues) text += "\n";
      text += rows_[row].text;
    }
    return text;
  }

 private:
  struct Row {
    std::string text;
    std::size_t width = 0;
    bool continues = false;  ///< the row above ran over
  };

  void put(std::string_view character) {
    if (character == "\n") {
      rows_.push_back({});
    } else if (character == "\r") {
      returned_ = true;
    } else {
      REQUIRE((character == "\t" || static_cast<unsigned char>(character[0]) >= ' '));
      REQUIRE_FALSE(returned_);
      const std::size_t width = std::min(columns_, width_of(character));
      if (rows_.back().width + width > columns_) rows_.push_back({{}, 0, true});
      rows_.back().text += character;
      rows_.back().width += width;
    }
  }

  /// Only the row that the cursor is in: what ran over from the row above would stay there.
  void erase_line() {
    rows_.back() = {{}, 0, rows_.back().continues};
    returned_ = false;
  }

  static std::size_t width_of(std::string_view character) {
    if (character.size() == 4) return 2;  // emoji
    return character >= "\xe1\x84\x80" && character <= "\xef\xbf\xa0" && character.size() == 3 &&
                   (character < "\xe2\x80\x80" || character >= "\xe2\xba\x80")
               ? 2
               : 1;  // Hangul, CJK, full-width
  }

  std::size_t columns_;
  std::vector<Row> rows_{{}};
  bool returned_ = false;
};

struct Piece {
  std::size_t offset;
  std::string text;
};

std::vector<Piece> pieces_of(const std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.size(), at + 1 + random() % 7);
    end = std::max(text::floor_boundary(text, end), at + text::sequence_length(text, at));
    pieces.push_back({at, text.substr(at, end - at)});
    at = end;
  }
  return pieces;
}

std::string printed(Pace pace, Colour colour, const std::vector<Piece>& pieces) {
  std::string out;
  ReplyPrinter printer(pace, colour, [&out](std::string_view bytes) { out += bytes; });
  for (const Piece& piece : pieces) printer.reply(piece.offset, piece.text);
  printer.finish();
  return out;
}

const std::string kReply =
    "# A heading\n\nPlain words that are long enough to wrap more than once, haha ha ha ==  "
    "==\n\n| 表 | 列 |\n|----|----|\n| 你好 | "
    "🙂🙂 |\n\n"
    "```c\nint main() {\n\treturn 0;\n}\n```\n한국어 と 日本語 mixed with ascii, naïve café — end";

TEST_CASE("suffix tells what must be printed") {
  CHECK(suffix("", "abc").rest == "abc");
  CHECK(suffix("ab", "abc").rest == "c");
  CHECK(suffix("abc", "abc").kind == Suffix::Kind::Continues);
  CHECK(suffix("abc", "abc").rest.empty());
  CHECK(suffix("abc", "ab").kind == Suffix::Kind::Behind);
  CHECK(suffix("abc", "abd").kind == Suffix::Kind::Diverges);
}

TEST_CASE("live and in one block the same text is printed, whatever the pieces") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const std::vector<Piece> pieces = pieces_of(kReply, seed);
    CHECK(printed(Pace::Live, Colour::On, pieces) == kReply + "\n");
    CHECK(printed(Pace::Live, Colour::Off, pieces) == kReply + "\n");
    CHECK(printed(Pace::Block, Colour::Off, pieces) == kReply + "\n");
  }
}

TEST_CASE(
    "a terminal that wraps shows the reply and nothing else, with a progress line before it") {
  for (const std::size_t columns : {1, 2, 10, 40}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(columns);
      CAPTURE(seed);
      WrappingTerminal terminal(columns);
      const Write write = [&terminal](std::string_view bytes) { terminal.write(bytes); };
      ReplyPrinter printer(Pace::Live, Colour::On, write);
      ProgressLine progress(Colour::On, write);
      const auto wait = [&] {
        if (!printer.at_line_start()) return;
        for (int i = 0; i < 3; ++i)
          progress.show({"claude", "thinking", "读 a file with a very long name 🙂",
                         std::chrono::seconds(70), 1234},
                        static_cast<int>(columns));
        progress.clear();
      };
      wait();
      for (const Piece& piece : pieces_of(kReply, seed)) {
        printer.reply(piece.offset, piece.text);
        wait();
      }
      printer.finish();
      CHECK(terminal.text() == kReply + "\n");
    }
  }
}

TEST_CASE("a newline at the end is not doubled, and nothing stays nothing") {
  CHECK(printed(Pace::Live, Colour::Off, {{0, "one\n"}}) == "one\n");
  CHECK(printed(Pace::Block, Colour::Off, {{0, "one\n"}}) == "one\n");
  CHECK(printed(Pace::Live, Colour::Off, {}).empty());
  CHECK(printed(Pace::Block, Colour::Off, {}).empty());
}

TEST_CASE("a reply whose end turns out to be no part of it is printed once") {
  struct Case {
    std::vector<Piece> pieces;
    std::string shown;
  };
  const std::vector<Case> cases = {
      {{{0, "one\n"}, {3, ""}}, "one\n"},
      {{{0, "one"}, {3, "\n"}, {4, "\n"}, {5, "\n"}, {3, ""}}, "one\n"},
      {{{0, "one \n\n"}, {3, ""}}, "one \n"},
      {{{0, "one\n"}, {3, ""}, {3, "\n\ntwo"}}, "one\n\ntwo\n"},
      {{{0, "```\ncode\n\n\n"}, {8, "\n```"}}, "```\ncode\n```\n"},
      {{{0, "one\n\n"}, {5, "two\n"}, {8, ""}}, "one\n\ntwo\n"},
      {{{0, "\n\none"}}, "\n\none\n"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.shown);
    CHECK(printed(Pace::Live, Colour::Off, one.pieces) == one.shown);
  }
}

TEST_CASE("a reply that is replaced is printed anew below a line that says so, and counted") {
  const std::vector<Piece> pieces = {{0, "I will look."}, {0, ""}, {0, "It is"}, {5, " 42."}};
  CHECK(printed(Pace::Live, Colour::Off, pieces) ==
        "I will look.\n[the agent replaced the text above; the reply is now:]\nIt is 42.\n");
  CHECK(printed(Pace::Block, Colour::Off, pieces) == "It is 42.\n");

  std::string out;
  ReplyPrinter printer(Pace::Live, Colour::Off, [&out](std::string_view bytes) { out += bytes; });
  printer.reply(0, "It is 4");
  printer.reply(6, "");
  printer.reply(6, "42.");
  CHECK(out == "It is 42.");
  CHECK(printer.discontinuities() == 0);
  printer.reply(6, "43.");
  CHECK(printer.discontinuities() == 1);
  CHECK(out == "It is 42.\n[the agent replaced the text above; the reply is now:]\nIt is 43.");
}

TEST_CASE("a rendered reply that is replaced, and somebody who writes in between") {
  std::string out;
  ReplyPrinter printer(
      Pace::Live, Colour::On, [&out](std::string_view bytes) { out += bytes; }, Look::Rendered);
  printer.set_columns(20);
  printer.reply(0, "- I **will** look");
  CHECK(out == "• I \x1b[1mwill\x1b[0m");
  CHECK_FALSE(printer.at_line_start());
  printer.make_room();
  out += "[a notice]\n";
  CHECK(printer.at_line_start());
  printer.reply(17, " at it\n\n");
  printer.reply(0, "It is");
  printer.reply(5, " 42.\n");
  printer.finish();
  CHECK(printer.at_line_start());
  CHECK(out ==
        "• I \x1b[1mwill\x1b[0m\n[a notice]\n  look at it\n"
        "\x1b[2m[the agent replaced the text above; the reply is now:]\x1b[0m\nIt is 42.\n");
  CHECK(printer.discontinuities() == 1);

  // In one block nothing is rendered.
  out.clear();
  ReplyPrinter block(
      Pace::Block, Colour::Off, [&out](std::string_view bytes) { out += bytes; }, Look::Rendered);
  block.reply(0, "**a**");
  block.finish();
  CHECK(out == "**a**\n");
}

TEST_CASE("a reply that ends shorter than what was shown is printed anew") {
  CHECK(printed(Pace::Live, Colour::Off, {{0, "one two\n"}, {3, ""}}) ==
        "one two\n[the agent replaced the text above; the reply is now:]\none\n");
}

TEST_CASE(
    "escape sequences and control characters never reach the terminal, also when they are cut") {
  const std::string evil =
      "a\x1b[31mred\x1b[0m\x1b]0;title\x07 b\x08\x07 c\xc2\x9b"
      "2Jd\r\ne";
  for (std::size_t cut = 0; cut <= evil.size(); ++cut) {
    if (text::floor_boundary(evil, cut) != cut) continue;
    for (const Pace pace : {Pace::Live, Pace::Block}) {
      CHECK(printed(pace, Colour::Off, {{0, evil.substr(0, cut)}, {cut, evil.substr(cut)}}) ==
            "ared b cd\ne\n");
    }
  }
}

TEST_CASE("what turns the order of the text around it is marked on a terminal, and in a status") {
  CHECK(printed(Pace::Live, Colour::Off, {{0, "a\u202Eb\u2066c\n"}}) == "a<U+202E>b<U+2066>c\n");
  CHECK(fitted("a\u202Eb", 20) == "a<U+202E>b");
}

TEST_CASE("a progress line fits, and is gone afterwards") {
  std::string out;
  ProgressLine line(Colour::Off, [&out](std::string_view bytes) { out += bytes; });
  line.clear();
  CHECK(out.empty());
  line.show({"tour", "thinking", "about\x1b[31m\nit", std::chrono::milliseconds(7300), 0}, 80);
  CHECK(out == "\r\x1b[2K⠋ tour · thinking · 7 s · about it");
  out.clear();
  line.show({"tour", "waiting for the model", "waiting for the model",
             std::chrono::milliseconds(7300), 0},
            80);
  CHECK(out == "\r\x1b[2K⠙ tour · 7 s · waiting for the model");
  out.clear();
  line.clear();
  CHECK(out == "\r\x1b[2K");
}

TEST_CASE("fitted counts what may be wide as wide") {
  CHECK(fitted("abcdef", 4) == "abcd");
  CHECK(fitted("你好", 3) == "你");
  CHECK(fitted("aé🙂b", 4) == "aé🙂");
  CHECK(fitted("abc", 0).empty());
}

TEST_CASE("durations") {
  CHECK(duration(std::chrono::milliseconds(999)) == "0 s");
  CHECK(duration(std::chrono::seconds(59)) == "59 s");
  CHECK(duration(std::chrono::seconds(185)) == "3 min 5 s");
}

TEST_CASE("what a stream can do: live, cursor and colour are independent") {
  struct Case {
    bool terminal;
    TerminalVariables variables;
    bool live, cursor, colour;
  };
  const std::vector<Case> cases = {
      {true, {"xterm", nullptr, nullptr, nullptr}, true, true, true},
      {true, {"xterm", "1", nullptr, nullptr}, true, true, false},
      {true, {"xterm", "", nullptr, nullptr}, true, true, true},
      {true, {"xterm", nullptr, "0", nullptr}, true, true, false},
      {true, {"dumb", nullptr, nullptr, nullptr}, true, false, false},
      {true, {nullptr, nullptr, nullptr, nullptr}, true, false, false},
      {false, {"xterm", nullptr, nullptr, nullptr}, false, false, false},
      {false, {"xterm", nullptr, nullptr, "1"}, false, false, true},
      {false, {"xterm", "1", nullptr, "1"}, false, false, false},
  };
  for (const Case& expected : cases) {
    const StreamFacts facts = facts_of(expected.terminal, expected.variables);
    CHECK(facts.live == expected.live);
    CHECK(facts.cursor == expected.cursor);
    CHECK(facts.colour == expected.colour);
  }
}

}  // namespace terminal_test
}  // namespace agent_doc::cli
