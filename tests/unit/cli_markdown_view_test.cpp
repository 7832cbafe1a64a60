#include "editors/cli/inline_text.hpp"
#include "editors/cli/line_writer.hpp"
#include "editors/cli/markdown_view.hpp"
#include "server/text/columns.hpp"
#include "server/text/utf8.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::cli {

namespace markdown_view_test {

std::string viewed(std::string_view text, std::size_t columns, Colour colour = Colour::Off) {
  MarkdownView view(colour, columns);
  std::string out = view.feed(text);
  out += view.finish();
  return out;
}

/// Cut at random places, also inside of characters.
std::string viewed_in_pieces(std::string_view text, std::size_t columns, Colour colour,
                             std::mt19937& random) {
  MarkdownView view(colour, columns);
  const std::size_t most = 1 + random() % 12;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = 1 + random() % most;
    out += view.feed(text.substr(at, size));
    at += size;
  }
  out += view.finish();
  return out;
}

/// ESC as "^", for byte-exact expectations that can be read.
std::string readable(std::string text) {
  std::replace(text.begin(), text.end(), '\x1b', '^');
  return text;
}

std::string without_styles(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    REQUIRE(text.substr(at, 2) == "\x1b[");
    at = text.find_first_not_of("0123456789;", at + 2);
    REQUIRE(at != std::string_view::npos);
    REQUIRE(text[at] == 'm');
  }
  return plain;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The words "w0z", "w1z", … in the order in which they stand.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find('w', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    if (end > at + 1 && end < text.size() && text[end] == 'z')
      words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Every character that is no space, with the style that is in force there.
std::vector<std::pair<char, std::string>> styles_of(std::string_view text) {
  std::vector<std::pair<char, std::string>> styles;
  std::string style;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      const std::size_t end = text.find('m', at);
      style = text.substr(at + 2, end - at - 2);
      if (style == "0") style.clear();
      at = end;
    } else if (text[at] != ' ' && text[at] != '\n') {
      styles.emplace_back(text[at], style);
    }
  }
  return styles;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  /// Paragraphs, lists, quotes, code and headings, as an agent writes them.
  std::string document() {
    std::string text;
    for (std::size_t blocks = 1 + below(8); blocks > 0; --blocks) text += block(0) + "\n";
    return text;
  }

  /// Markup and words in any order.
  std::string soup(std::vector<std::string_view> signs, std::size_t size) {
    std::string text;
    while (size-- > 0) text += below(3) == 0 ? word() : std::string(signs[below(signs.size())]);
    return text;
  }

  std::mt19937& random() { return random_; }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string word() { return "w" + std::to_string(next_++) + "z"; }

  std::string inline_piece() {
    switch (below(9)) {
      case 0:
        return "**" + words(1 + below(4)) + "**";
      case 1:
        return "*" + words(1 + below(3)) + "*";
      case 2:
        return "`" + words(1 + below(2)) + "`";
      case 3:
        return "[" + words(2) + "](" + word() + ")";
      case 4:
        return "日本語" + word() + "のテキスト";
      case 5:
        return "**" + word() + " `" + word() + "` *" + word() + "***,";
      default:
        return words(1 + below(6));
    }
  }
  std::string words(std::size_t count) {
    std::string text = word();
    while (--count > 0) text += " " + word();
    return text;
  }
  std::string line() {
    std::string text = inline_piece();
    for (std::size_t pieces = below(8); pieces > 0; --pieces) text += " " + inline_piece();
    return text;
  }
  std::string block(std::size_t depth) {
    switch (below(depth > 2 ? 3 : 9)) {
      case 0:
        return std::string(1 + below(6), '#') + " " + line() + "\n";
      case 1:
        return line() + "\n" + line() + "\n";
      case 2:
        return "```cpp\ncode " + words(3) + "\n\n\tcode " + words(2) + "\n```\n";
      case 3:
        return "| " + word() + " | " + word() + " |\n|---|--:|\n| " + word() + " | " + word() +
               " |\n";
      case 4:
        return indented("> ", "> ", block(depth + 1));
      case 5:
        return indented("- ", "  ", block(depth + 1)) + indented("- ", "  ", line() + "\n");
      case 6:
        return indented("10. ", "    ", block(depth + 1)) +
               indented("11. ", "    ", block(depth + 1));
      default:
        return line() + "\n";
    }
  }
  static std::string indented(const std::string& first, const std::string& rest,
                              const std::string& text) {
    std::string all;
    for (const std::string& one : lines_of(text)) {
      all += (all.empty() ? first : one.empty() && rest.front() == ' ' ? "" : rest) + one + "\n";
    }
    return all;
  }

  std::mt19937 random_;
  std::size_t next_ = 0;
};

const std::vector<std::string_view> kSigns = {
    " ",  " ",  " ", "\n", "\n\n", "*",  "**", "_",   "`",  "``", "```",  "~~~", "[",       "]",
    "](", ")",  "<", ">",  "> ",   "- ", "1.", "2) ", "# ", "#",  "|",    "\n|", "|-|\n",   "---",
    "==", "\\", "&", ";",  "    ", "\t", "!",  "é",   "表", "。", "🙂", "-->", "\n<!-- ", "x"};

TEST_CASE("a reply on a terminal, byte by byte: every kind of block and style") {
  const std::string text =
      "# The *parser* #\n\nIt is **slow on\nlong** lines, see [`read()`](src/parse.cpp) and "
      "<https://a.example>.\n\n"
      "- one item that is too long for this line\n  - nested\n\n    second\n- [x] done\n\n3. "
      "three\n4. four\n\n"
      "> said\n>\n> > by `a b`\n\n```cpp\nint main() {\n\treturn 0;\n\n}\n```\n\n    "
      "indented\n\n***\nSet\n===\n<b>raw</b>\n";
  const std::string expected =
      "^[1;4;35mThe^[0m^[1;4;35m ^[0m^[1;3;4;35mparser^[0m\n"
      "\n"
      "It is ^[1mslow^[0m ^[1mon^[0m\n"
      "^[1mlong^[0m lines, see ^[4;36mread()^[0m\n"
      "^[2m(src/parse.cpp)^[0m and\n"
      "^[4mhttps://a.example^[0m.\n"
      "\n"
      "• one item that is too\n"
      "  long for this line\n"
      "  • nested\n"
      "\n"
      "    second\n"
      "• [x] done\n"
      "\n"
      "3. three\n"
      "4. four\n"
      "\n"
      "^[2m│^[0m said\n"
      "^[2m│^[0m\n"
      "^[2m│^[0m ^[2m│^[0m by ^[36ma b^[0m\n"
      "\n"
      "^[2m─── cpp^[0m\n"
      "^[36mint main() {^[0m\n"
      "    ^[36mreturn 0;^[0m\n"
      "\n"
      "^[36m}^[0m\n"
      "^[2m───^[0m\n"
      "\n"
      "^[36mindented^[0m\n"
      "\n"
      "^[2m───────────────────────^[0m\n"
      "Set\n"
      "^[2m═══^[0m\n"
      "^[2m<b>^[0mraw^[2m</b>^[0m\n";
  CHECK(readable(viewed(text, 24, Colour::On)) == expected);
}

TEST_CASE("without colours bold, italic and underlined stay, and code keeps its backticks") {
  CHECK(readable(viewed("**a** *b* `c d` [e](f)\n", 80)) ==
        "^[1ma^[0m ^[3mb^[0m `c d` ^[4me^[0m ^[2m(f)^[0m\n");
}

TEST_CASE("a table is as wide as its text, or as the terminal") {
  const std::string text =
      "| Name | Value |\n|:-----|------:|\n| `a \\| b` | 1 |\n| 表 | two words |\n\nafter\n";
  CHECK(without_styles(viewed(text, 80, Colour::On)) ==
        "Name  │     Value\n"
        "──────┼──────────\n"
        "a | b │         1\n"
        "表    │ two words\n"
        "\nafter\n");
  CHECK(without_styles(viewed(text, 15, Colour::On)) ==
        "Name  │  Value\n"
        "──────┼───────\n"
        "a | b │      1\n"
        "表    │    two\n"
        "      │  words\n"
        "\nafter\n");
  CHECK(
      without_styles(viewed(text, 8, Colour::On)) ==
      "| Name\n| Value\n|\n|:-----|------:|\n| `a \\|\nb` | 1\n|\n| 表 |\ntwo\nwords |\n\nafter\n");
  CHECK(without_styles(viewed("a | b\n| no | table\n| c |\n|-|-|\n", 80)) ==
        "a | b\n| no | table\n| c |\n|-|-|\n");
  CHECK(without_styles(viewed("| a | b |\n|-|-|\n| 1 |\n| 1 | 2 | 3 |\n", 80)) ==
        "a │ b\n──┼──\n1 │ \n1 │ 2\n3\n");
}

TEST_CASE("a table that goes on and on is shown by what has come, and goes on in its columns") {
  std::string text = "| n | square |\n|---|---|\n";
  MarkdownView view(Colour::Off, 80);
  std::string out = view.feed(text);
  CHECK(out.empty());
  std::size_t row = 0;
  while (out.empty() && row < 1000) {
    out += view.feed("| " + std::to_string(row) + " | x |\n");
    ++row;
  }
  CHECK(row == kMaxHeldRows - 2);
  CHECK(without_styles(out).starts_with("n  │ square\n───┼───────\n0  │ x\n1  │ x\n"));
  CHECK(without_styles(view.feed("| 1000 | *y* |\n")) == "10 │ y\n00 │ \n");
}

TEST_CASE("where the bytes are cut makes no difference") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Generator generator(seed);
    const std::string text = seed % 2 == 0 ? generator.document() : generator.soup(kSigns, 200);
    CAPTURE(text);
    const std::size_t columns = 1 + generator.random()() % 100;
    const std::string whole = viewed(text, columns, Colour::On);
    for (int i = 0; i < 3; ++i)
      CHECK(viewed_in_pieces(text, columns, Colour::On, generator.random()) == whole);
    // Not even UTF-8.
    std::string broken = text;
    for (int i = 0; i < 5 && !broken.empty(); ++i)
      broken[generator.random()() % broken.size()] = static_cast<char>(generator.random()());
    const std::string broken_whole = viewed(broken, columns, Colour::On);
    CHECK(text::is_valid_utf8(broken_whole));
    CHECK(viewed_in_pieces(broken, columns, Colour::On, generator.random()) == broken_whole);
  }
}

TEST_CASE("every word of the text is shown once, in its order, in lines that fit") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Generator generator(seed);
    const std::string text = generator.document();
    CAPTURE(text);
    const std::size_t columns = 40 + generator.random()() % 60;
    const std::string shown = without_styles(viewed(text, columns, Colour::On));
    CAPTURE(shown);
    CHECK(words_of(shown) == words_of(text));
    for (const std::string& line : lines_of(shown)) {
      CAPTURE(line);
      CHECK((text::width_of(line) < columns || line.find("code") != std::string::npos));
    }
  }
}

TEST_CASE("no word of any soup of markup is lost, and nothing but styles and line ends is sent") {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    Generator generator(seed);
    const std::string text = generator.soup(kSigns, 150);
    CAPTURE(text);
    const std::string shown = without_styles(viewed(text, 5000, Colour::On));
    CAPTURE(shown);
    std::vector<std::string> expected = words_of(text);
    std::vector<std::string> words = words_of(shown);
    // The cells of a row stand beside each other.
    std::sort(expected.begin(), expected.end());
    std::sort(words.begin(), words.end());
    CHECK(words == expected);
    CHECK(std::none_of(shown.begin(), shown.end(),
                       [](char c) { return c != '\n' && static_cast<unsigned char>(c) < ' '; }));
  }
}

TEST_CASE("word by word a paragraph gets the styles that cmark gives the whole") {
  const std::vector<std::string_view> signs = {" ", " ",  " ", "*", "**", "_", "__", "`", "``",
                                               "[", "](", ")", "(", "<",  ">", "\\", ".", "é"};
  std::size_t styled = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Generator generator(seed);
    const std::string text = "w " + generator.soup(signs, 5 + seed % 60) + " w";
    CAPTURE(text);
    REQUIRE(text.size() < kMaxHeldInline);
    LineWriter whole(Colour::On, 1000);
    write_inline(whole, text, Before::Space, Style::None);
    whole.end_line();
    const auto expected = styles_of(whole.take());
    styled += static_cast<std::size_t>(std::count_if(
        expected.begin(), expected.end(), [](const auto& one) { return !one.second.empty(); }));
    CHECK(styles_of(viewed(text + "\n", 1000, Colour::On)) == expected);
  }
  CHECK(styled > 1000);
}

TEST_CASE("a word goes out when it is complete, and no style outlives a word") {
  const std::string text =
      "Plain words go out at once and **bold ones** when they close, 日本語も、 `code` too.";
  MarkdownView view(Colour::On, 30);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += view.feed(std::string_view(text).substr(at, 1));
    const std::string last =
        out.substr(out.rfind('\x1b') == std::string::npos ? out.size() : out.rfind('\x1b'));
    CHECK((last.empty() || last.starts_with("\x1b[0m")));
    CAPTURE(at);
    if (at < text.find("**")) CHECK(words_of(out) == std::vector<std::string>{});
    if (text[at] == ' ' && at < text.find("**")) {
      std::string shown = without_styles(out);
      std::replace(shown.begin(), shown.end(), '\n', ' ');
      CHECK(shown == text.substr(0, at));
    }
  }
  out += view.finish();
  CHECK(without_styles(out) ==
        "Plain words go out at once\nand bold ones when they\nclose, 日本語も、 code too.\n");
}

TEST_CASE("what may still close is held for so long and no longer") {
  MarkdownView view(Colour::On, 80);
  std::string out;
  std::size_t fed = 0;
  for (; out.empty() && fed < 5000; ++fed)
    out += view.feed(fed == 0 ? "*" : fed % 5 == 0 ? " " : "a");
  CHECK(fed <= kMaxHeldInline + 1);
  CHECK(out.starts_with("*aaaa aaaa"));
  // A word without an end, too.
  MarkdownView endless(Colour::On, 20);
  std::string shown;
  for (int i = 0; i < 10000; ++i) shown += endless.feed("a");
  CHECK(shown.size() > 8000);
  CHECK(shown + endless.finish() == std::string(10000, 'a') + "\n");
}

TEST_CASE("code that was too long to be held is text, and so is its end") {
  const std::string words(kMaxHeldInline, 'a');
  const std::string text = "x ` " + words + " b` and **this** is `code`\n";
  const std::string shown = viewed(text, 2000, Colour::On);
  CHECK(readable(shown) == "x ` " + words + " b` and ^[1mthis^[0m is ^[36mcode^[0m\n");
}

TEST_CASE("lines without an end are neither kept nor lost") {
  const std::string long_line(100'000, 'z');
  CHECK(without_styles(viewed("```\n" + long_line + "\nshort\n```\n", 80)) ==
        "───\n" + long_line + "\nshort\n───\n");
  CHECK(without_styles(viewed("| " + long_line + " |\n\nb\n", 80)) ==
        "|\n" + long_line + "\n|\n\nb\n");
  CHECK(without_styles(viewed("<b>" + long_line + "\n\nb\n", 80)) == "<b>" + long_line + "\n\nb\n");
  CHECK(without_styles(viewed("# " + long_line + "\nb\n", 80)) == "#\n" + long_line + "\nb\n");
  const std::string dashes(100'000, '-');
  CHECK(without_styles(viewed(dashes + "\n", 80)) == dashes + "\n");
}

TEST_CASE("what an agent sends does nothing to the terminal") {
  CHECK(without_styles(viewed("a&#27;[31mb &#x202e;c&#10;d `e\x7f` <x\x01> [t](<u\x1b[2J>)\n", 80,
                              Colour::On)) ==
        "a<U+001B>[31mb <U+202E>c d e<U+007F> <x<U+0001>> t (u<U+001B>[2J)\n");
}

TEST_CASE("another width counts from the next line on, and what was printed stays") {
  MarkdownView view(Colour::Off, 12);
  std::string out = view.feed("- one two three four five ");
  view.set_columns(24);
  out += view.feed("six seven eight nine ten\n");
  out += view.finish();
  CHECK(out == "• one two\n  three\n  four five six seven\n  eight nine ten\n");
}

TEST_CASE("somebody else writes in between: the rest follows in a line of its own") {
  MarkdownView view(Colour::Off, 80);
  std::string out = view.feed("> one two thr");
  CHECK_FALSE(view.at_line_start());
  out += view.interrupt() + "[a notice]\n";
  CHECK(view.at_line_start());
  out += view.feed("ee four\n");
  out += view.finish();
  CHECK(without_styles(out) == "│ one two\n[a notice]\n│ three four\n");
}

TEST_CASE("deep nesting leaves room for words") {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "> ";
  const std::string shown = without_styles(viewed(text + "some words that are wrapped\n", 20));
  CHECK(shown == "│ │ │ │ some words\n│ │ │ │ that are\n│ │ │ │ wrapped\n");
}

TEST_CASE("items without text, fences that are not closed, and texts of nothing") {
  CHECK(viewed("", 80).empty());
  CHECK(viewed("\n\n\n", 80).empty());
  CHECK(viewed("-\n- a\n", 80) == "• \n• a\n");
  CHECK(without_styles(viewed("- ```sh\n  ls\n\nafter\n", 80)) ==
        "• ─── sh\n  ls\n  ───\n\nafter\n");
  CHECK(without_styles(viewed("```\na", 80)) == "───\na\n───\n");
  CHECK(viewed("one\\\ntwo  \nthree\n", 80) == "one\ntwo\nthree\n");
}

}  // namespace markdown_view_test
}  // namespace agent_doc::cli
