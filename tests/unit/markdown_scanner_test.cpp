#include "server/markdown/scanner.hpp"

#include "server/text/lines.hpp"
#include "tests/unit/random_text.hpp"

#include <cmark.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace agent_doc::markdown {

std::ostream& operator<<(std::ostream& out, LineKind kind) {
  static const char* const kNames[] = {"Text",       "Blank", "Heading", "FenceOpen",
                                       "FenceClose", "Code",  "Html",    "HtmlComment"};
  return out << kNames[static_cast<int>(kind)];
}

namespace scanner_test {

/// What both sides must agree on. Lines are numbered from 1.
struct Outline {
  std::set<std::string> headings;  ///< "line level text", ATX headings of the top level
  std::set<std::size_t> code;      ///< lines of fences and indented code, fences included; those
                                   ///< without text do not count
  std::set<std::size_t> html;
  std::set<std::size_t> comment_starts;

  friend bool operator==(const Outline&, const Outline&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outline& outline) {
    for (const std::string& heading : outline.headings) out << "heading " << heading << "; ";
    for (const std::size_t line : outline.code) out << "code " << line << "; ";
    for (const std::size_t line : outline.html) out << "html " << line << "; ";
    for (const std::size_t line : outline.comment_starts) out << "comment " << line << "; ";
    return out;
  }
};

std::string heading_entry(std::size_t line, int level, std::string_view content) {
  return std::to_string(line) + " " + std::to_string(level) + " " + std::string(content);
}

Outline of_scanner(const std::string& text) {
  Outline outline;
  std::size_t number = 0;
  for (const Line& line : scan(text, 0)) {
    ++number;
    const std::string_view content =
        std::string_view(text).substr(line.content_begin, line.content_end - line.content_begin);
    const bool blank = text.find_first_not_of("> \t", line.begin) >= line.end;
    switch (line.kind) {
      case LineKind::Heading:
        outline.headings.insert(heading_entry(number, line.level, content));
        break;
      case LineKind::FenceOpen:
      case LineKind::FenceClose:
      case LineKind::Code:
        if (!blank) outline.code.insert(number);
        break;
      case LineKind::HtmlComment:
        outline.comment_starts.insert(number);
        outline.html.insert(number);
        break;
      case LineKind::Html:
        outline.html.insert(number);
        break;
      case LineKind::Text:
      case LineKind::Blank:
        break;
    }
  }
  return outline;
}

std::string inline_text(cmark_node* heading) {
  std::string text;
  for (cmark_node* child = cmark_node_first_child(heading); child != nullptr;
       child = cmark_node_next(child)) {
    if (const char* literal = cmark_node_get_literal(child)) text += literal;
  }
  return text;
}

class CmarkOutline {
 public:
  explicit CmarkOutline(const std::string& text) {
    text::LineWalker walker(text);
    while (const auto line = walker.next())
      lines_.push_back(text.substr(line->begin, line->end - line->begin));

    const std::unique_ptr<cmark_node, void (*)(cmark_node*)> root(
        cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), cmark_node_free);
    const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> nodes(cmark_iter_new(root.get()),
                                                                   cmark_iter_free);
    while (cmark_iter_next(nodes.get()) != CMARK_EVENT_DONE) {
      cmark_node* node = cmark_iter_get_node(nodes.get());
      if (cmark_iter_get_event_type(nodes.get()) == CMARK_EVENT_ENTER)
        add(node, cmark_node_parent(node) == root.get());
    }
  }

  const Outline& outline() const { return outline_; }

 private:
  void add(cmark_node* node, bool top_level) {
    const auto start = static_cast<std::size_t>(cmark_node_get_start_line(node));
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        if (top_level && is_atx(lines_[start - 1])) {
          outline_.headings.insert(
              heading_entry(start, cmark_node_get_heading_level(node), inline_text(node)));
        }
        break;
      case CMARK_NODE_CODE_BLOCK:
        add_code(cmark_node_get_literal(node), start,
                 static_cast<std::size_t>(cmark_node_get_end_line(node)));
        break;
      case CMARK_NODE_HTML_BLOCK:
        add_html(cmark_node_get_literal(node), start);
        break;
      default:
        break;
    }
  }

  /// A fence that ends with its container has, in cmark 0.30.2, the first line behind the container
  /// as its end. So the lines of its text are counted, and a line behind them belongs to it only
  /// when it is a closing fence.
  void add_code(std::string_view literal, std::size_t start, std::size_t end) {
    const auto text_lines =
        static_cast<std::size_t>(std::count(literal.begin(), literal.end(), '\n'));
    for (std::size_t line = start; line <= std::min(end, start + text_lines + 1); ++line) {
      const std::string& text = lines_[line - 1];
      const std::size_t first = text.find_first_not_of("> \t");
      if (first != std::string::npos && (line <= start + text_lines || is_closing_fence(text)))
        outline_.code.insert(line);
    }
  }

  /// The end position of an HTML block is wrong in cmark 0.30.2: its lines are counted instead.
  void add_html(std::string_view literal, std::size_t start) {
    for (std::size_t line = start; !literal.empty(); ++line) {
      outline_.html.insert(line);
      const std::size_t end = literal.find_first_of("\r\n");
      if (end == std::string_view::npos) break;
      const bool cr_lf = literal.substr(end, 2) == "\r\n";
      if (line == start && literal.substr(0, end).find("<!--") == literal.find_first_not_of(" \t"))
        outline_.comment_starts.insert(line);
      literal.remove_prefix(end + (cr_lf ? 2 : 1));
    }
  }

  static bool is_closing_fence(std::string_view line) {
    const std::string_view fence =
        line.substr(std::min(line.find_first_not_of("> \t"), line.size()));
    const std::size_t length =
        std::min(fence.find_first_not_of(fence.starts_with('~') ? '~' : '`'), fence.size());
    return length >= 3 && fence.find_first_not_of(" \t", length) == std::string_view::npos;
  }

  /// Setext headings have no "#"s before them.
  static bool is_atx(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t end = std::min(line.find_first_not_of('#', begin), line.size());
    return begin <= 3 && end > begin && end - begin <= 6 &&
           (end == line.size() || line[end] == ' ' || line[end] == '\t');
  }

  std::vector<std::string> lines_;
  Outline outline_;
};

std::string random_document(test::RandomText& random) {
  static const std::vector<std::string_view> kPrefixes = {
      "> ", ">",   "- ",   "-   ", "* ", "+\t", "1. ", "1) ",   "2. ",    "10. ",
      "  ", "   ", "    ", "\t",   " ",  ">\t", "-\t", "     ", "      ", "> > "};
  // clang-format off
  static const std::vector<std::string_view> kContents = {
      "text", "text", "more text", "text  ", "## User", "## User", "## Assistant", "## User ##",
      "## User \t", "##\tUser", "## User (HEAD)", "##User", "##", "## ##", "## a#", "# Title",
      "###### six ######", "####### seven", "#", "```", "```", "```", "````", "~~~", "~~~", "~~~~",
      "```cpp", "```  ", "~~~ a`b", "``` a`b", "``` x ```", "``", "~~~x", "```x", "<!--", "-->",
      "<!-- one -->", "<!-- two --> text", "text <!-- three", "<!-->", "<!--->", "--> text",
      "<div>", "</div>", "<DIV class=\"x\"", "<div/>", "<divx>", "<h2>", "<span>", "</span>",
      "<span> x", "<a href='x' b>", "<a href=x/>", "<a  b = \"c\" >", "<a b=>", "<script>",
      "</script>", "<script src=\"x\"></script>", "<pre", "<pre>x</PRE>", "</pre>", "<style>",
      "<textarea>", "<?php", "?>", "<? x ?>", "<!DOCTYPE html>", "<!X y", ">", "<![CDATA[", "]]>",
      "<![CDATA[ x ]]>", "<http://x.y>", "<", "---", "--", "===", "=", "***", "- - -", "_ _ _",
      "* * *x", "*", "-", "+", "1.", "1", "2)", "1234567890. x", "123456789. x", "`code`",
      "\\## User", "&#35;# User", "|a|b|", "**b**"};
  // clang-format on
  static const std::vector<std::string_view> kLineEnds = {"\n", "\r\n", "\r"};

  const std::string_view line_end = random.one_in(40) ? kLineEnds[2] : kLineEnds[random.below(2)];
  std::string text;
  std::string prefix;
  for (std::size_t left = 1 + random.below(14); left > 0; --left) {
    if (random.one_in(4)) {
      text += random.one_in(4) ? "  " : "";
    } else {
      if (random.one_in(2)) {
        prefix.clear();
        for (std::size_t parts = random.below(4); parts > 0; --parts)
          prefix += random.pick(kPrefixes);
      }
      text += random.one_in(6) ? "" : prefix;
      text += random.pick(kContents);
    }
    if (left > 1 || !random.one_in(3))
      text += random.one_in(30) ? random.pick(kLineEnds) : line_end;
  }
  return text;
}

}  // namespace scanner_test

TEST_CASE("kinds of lines") {
  using enum LineKind;
  struct Case {
    std::string text;
    std::vector<LineKind> kinds;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {"\n", {Blank}},
      {"a\n\n  \nb", {Text, Blank, Blank, Text}},
      {"# A\n## B ##\n   ###### F\n    # code?\n", {Heading, Heading, Heading, Code}},
      {"text\n## User\ntext\n    not code\n", {Text, Heading, Text, Text}},
      {"```cpp\n## User\n\n```\n## User\n", {FenceOpen, Code, Code, FenceClose, Heading}},
      {"````\n```\n~~~\n`````  \n", {FenceOpen, Code, Code, FenceClose}},
      {"~~~ a`b\n~~~\n``` a`b\n", {FenceOpen, FenceClose, Text}},
      {"```\n    ```\n   ```\n", {FenceOpen, Code, FenceClose}},
      {"```\r\n## User\r\n```\r\n", {FenceOpen, Code, FenceClose}},
      {"a\r## User\rb", {Text, Heading, Text}},
      {"> ## User\n- ## User\n  ## User\n## User\n", {Text, Text, Text, Heading}},
      {"> ```\n> ## User\n## User\n", {FenceOpen, Code, Heading}},
      {"- ```\n  ## User\n\n  ```\n\n  ## User\n",
       {FenceOpen, Code, Code, FenceClose, Blank, Text}},
      {"- item\n\n## User\n", {Text, Blank, Heading}},
      {"1. one\n   ## User\n  ## User\n", {Text, Text, Heading}},
      {"-\n\n  ## User\n",
       {Text, Blank, Heading}},  // an item that begins blank ends at the next blank line
      {"<!-- c -->\n## User\n", {HtmlComment, Heading}},
      {"<!--\n## User\n\n-->\n## User\n", {HtmlComment, Html, Html, Html, Heading}},
      {"text <!-- c\n## User\n", {Text, Heading}},
      {"<div>\n## User\n\n## User\n", {Html, Html, Blank, Heading}},
      {"<x-y>\n## User\n\ntext\n<x-y>\n## User\n", {Html, Html, Blank, Text, Text, Heading}},
      {"<script>\n\n## User\n</SCRIPT>\n## User\n", {Html, Html, Html, Html, Heading}},
      {"User\n---\n## User\n---\n", {Text, Text, Heading, Text}},
      {"    code\n\n    code\ntext\n", {Code, Blank, Code, Text}},
      {"##User\n#######\n\\## User\n", {Text, Text, Text}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const std::vector<Line> lines = scan(c.text, 0);
    std::vector<LineKind> kinds;
    for (const Line& line : lines) kinds.push_back(line.kind);
    CHECK(kinds == c.kinds);
  }
}

TEST_CASE("lines begin behind the front matter, and a heading knows its text") {
  const std::string text = "---\nagent: claude\n---\n  ##  User (HEAD)  ## \r\nx";
  const std::vector<Line> lines = scan(text, 22);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].begin == 22);
  CHECK(text.substr(lines[0].begin, lines[0].end - lines[0].begin) == "  ##  User (HEAD)  ## ");
  CHECK(lines[0].level == 2);
  CHECK(text.substr(lines[0].content_begin, lines[0].content_end - lines[0].content_begin) ==
        "User (HEAD)");
  CHECK(lines[1].end == text.size());
}

TEST_CASE("what is open at the end") {
  struct Case {
    std::string text, closing_line;
    std::size_t begin;
  };
  const std::vector<Case> cases = {
      {"", "", 0},
      {"text\n", "", 0},
      {"```\na\n```\n", "", 0},
      {"text\n```cpp\na\n", "```", 5},
      {"~~~~ x\n~~~\n", "~~~~", 0},
      {"`````\n```\n", "`````", 0},
      {"- ```\n  a\n", "", 0},  // ends with its item
      {"> ```\n", "", 0},
      {"a\n\n<!-- b\n\n", "-->", 3},
      {"<pre>\nx", "</pre>", 0},
      {"<?php", "?>", 0},
      {"<div>\nx", "", 0},  // ends at the blank line of the frame
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(missing_closing_line(c.text) == c.closing_line);
    const std::optional<OpenBlock> open = scan_blocks(c.text, 0).open;
    CHECK((open ? open->closing_line : "") == c.closing_line);
    CHECK((open ? open->begin : 0) == c.begin);
    if (open) CHECK_FALSE(scan_blocks(c.text + "\n" + open->closing_line + "\n", 0).open);
  }
}

TEST_CASE("nesting is bounded") {
  std::string text;
  for (std::size_t i = 0; i < 4 * kMaxContainers; ++i) text += "> ";
  text += "## User\n## User\n";
  for (std::size_t i = 0; i < 4 * kMaxContainers; ++i) text += "- ";
  text += "x\n\n\n## User\n";
  std::vector<std::size_t> headings;
  for (const Line& line : scan(text, 0)) {
    if (line.kind == LineKind::Heading) headings.push_back(line.begin);
  }
  CHECK(headings == std::vector<std::size_t>{8 * kMaxContainers + 8, text.size() - 8});
}

TEST_CASE("cmark sees the same headings, code and HTML in 40,000 generated documents") {
  std::size_t headings = 0, code = 0, html = 0;
  for (std::uint32_t seed = 0; seed < 40'000; ++seed) {
    test::RandomText random(seed);
    const std::string text = scanner_test::random_document(random);
    CAPTURE(seed);
    CAPTURE(text);
    const scanner_test::Outline outline = scanner_test::of_scanner(text);
    const scanner_test::Outline expected = scanner_test::CmarkOutline(text).outline();
    REQUIRE(outline == expected);
    headings += expected.headings.size();
    code += expected.code.size();
    html += expected.html.size();
  }
  // The generator really makes what is compared.
  CHECK(headings > 10'000);
  CHECK(code > 20'000);
  CHECK(html > 20'000);
}

}  // namespace agent_doc::markdown
