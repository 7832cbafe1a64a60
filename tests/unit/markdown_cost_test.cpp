// What it is: documents that a person or an agent may well write and that once cost the square of
// their size: a tenfold one costs about ten times as much.
// What it is not: what becomes of them (the other markdown and turn tests).
#include "server/markdown/front_matter.hpp"
#include "server/markdown/outline.hpp"
#include "server/markdown/turns.hpp"
#include "server/session/run_plan.hpp"
#include "server/text/text_buffer.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/reply.hpp"
#include "server/turn/turn_headings.hpp"
#include "tests/unit/cost_ratio.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown_cost_test {

struct Kind {
  std::string name;
  std::function<std::string(std::size_t)> text;  ///< of about so many bytes
};

std::function<std::string(std::size_t)> repeated(std::string piece) {
  return [piece = std::move(piece)](std::size_t size) {
    std::string text;
    while (text.size() < size) text += piece;
    return text;
  };
}

/// Levels of a list: each line is indented more than the one before.
std::string deep_list(std::size_t size) {
  std::string text;
  for (std::size_t indent = 0; text.size() < size; indent = (indent + 2) % 4000) {
    text += std::string(indent, ' ') + "- x\n";
  }
  return text;
}

std::string wide_list(std::size_t size) {
  const std::size_t line = std::max<std::size_t>(size / 4, 1);
  std::string text;
  for (int i = 0; i < 4; ++i) {
    for (std::size_t at = 0; at < line; at += 2) text += "- ";
    text += "x\n";
  }
  return text;
}

std::string blank_lines_in_deep_list(std::size_t size) {
  std::string text;
  for (int level = 0; level < 100; ++level) text += "- ";
  return text + "x\n" + std::string(size, '\n');
}

std::string growing_runs(std::size_t size) {
  std::string text = "a <!-- note --> ";
  for (std::size_t length = 1; text.size() < size; ++length) text += std::string(length, '`') + ' ';
  return text;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds = {
      {"prose", repeated("A line of prose with `code` and a <!-- note --> in it.\n")},
      {"comments that nothing closes, in one line", repeated("a <!-- ")},
      {"the same in a paragraph", repeated("a <!-- \n")},
      {"the same in paragraphs", repeated("a <!-- \n\n")},
      {"the same in a list", repeated("- a <!-- \n")},
      {"the same in a quote", repeated("> a <!-- \n")},
      {"comments, one closes all", repeated("<!-- ")},
      {"closings without comments", repeated("a --> ")},
      {"instructions that nothing closes", repeated("a <? b\n")},
      {"backticks that nothing closes", repeated("a ` b `` c\n")},
      {"runs of backticks, each longer", growing_runs},
      {"comments between runs of backticks", repeated("` <!-- `` <!-- ``` ")},
      {"tags that nothing closes", repeated("<a b='\n")},
      {"tags in one line", repeated("<a b='")},
      {"thoughts that nothing closes", repeated("<think> a <thinking> b\n")},
      {"halves of thoughts", repeated("<thin </think <")},
      {"comment lines", repeated("[//]: # (a)\n")},
      {"a deep list", deep_list},
      {"lists in one line", wide_list},
      {"blank lines in a deep list", blank_lines_in_deep_list},
      {"quotes in one line", repeated("> ")},
      {"headings of turns", repeated("## User\n\n## Assistant\n\n")},
      {"what may become a heading", repeated("## User (HEAD) ## ")},
      {"fences", repeated("```\n~~~\n")},
      {"line ends", repeated("\r")},
  };
  return kKinds;
}

struct Nowhere final : turn::RegionWrites {
  void write(const turn::RegionWrite& write) override { bytes = write.offset + write.text.size(); }
  std::size_t bytes = 0;
};

TEST_CASE("cost: what a run reads of a document costs its size") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const double times = test::cost_of_tenfold(20'000, kind.text, [](const std::string& text) {
      const text::TextBuffer document("## User\n\n" + text);
      const auto front_matter = markdown::read_front_matter(document.text());
      static_cast<void>(session::plan_turn(document, front_matter, {}));
      static_cast<void>(turn::without_comments(text));
      static_cast<void>(markdown::outline(document.text(), front_matter));
    });
    CHECK(times < test::kMostForTenfold);
  }
}

// A limit on what nests makes a square linear, but a hundred times as much is still too much.
TEST_CASE("cost: no kind of document costs many times as much as prose of its size") {
  constexpr std::size_t kSize = 200'000;
  constexpr double kMostTimes = 25;
  const auto cost = [](const std::string& text) {
    double least = 1e9;
    for (int attempt = 0; attempt < 5; ++attempt) {
      least = std::min(least, test::cpu_seconds([&] {
                         static_cast<void>(turn::without_comments(text));
                         static_cast<void>(markdown::find_turns(text, 0));
                       }));
    }
    return least / static_cast<double>(text.size());
  };
  const double prose = cost(kinds().front().text(kSize));
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    CHECK(cost(kind.text(kSize)) < kMostTimes * prose);
  }
}

TEST_CASE("cost: a list of thousands of levels costs what lines of its length do") {
  constexpr std::size_t kSize = 400'000;
  constexpr double kMostTimes = 10;
  const std::string list = deep_list(kSize);
  std::string code = list;
  std::replace(code.begin(), code.end(), '-', 'x');
  double deep = 1e9;
  double flat = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    deep = std::min(deep, test::cpu_seconds([&] { markdown::find_turns(list, 0); }));
    flat = std::min(flat, test::cpu_seconds([&] { markdown::find_turns(code, 0); }));
  }
  CHECK(deep < kMostTimes * flat);
}

TEST_CASE("cost: a reply costs its size, in whatever pieces it comes") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const double times = test::cost_of_tenfold(20'000, kind.text, [](const std::string& text) {
      constexpr std::size_t kPiece = 12;
      Nowhere nowhere;
      turn::Reply reply(turn::Rounds::Last, turn::Thinking::Fold, nowhere);
      for (std::size_t at = 0; at < text.size(); at += kPiece) {
        reply.on_event(plugins::TextDelta{{{}, "m", 0}, std::string_view(text).substr(at, kPiece)});
      }
      reply.finish();
    });
    CHECK(times < test::kMostForTenfold);
  }
}

TEST_CASE("cost: a front matter costs its size") {
  const std::vector<Kind> front_matters = {
      {"keys that stand twice", repeated("a: 1\n")},
      {"keys that are all different",
       [](std::size_t size) {
         std::string text;
         for (int key = 0; text.size() < size; ++key) text += "k" + std::to_string(key) + ": 1\n";
         return text;
       }},
      {"quotation marks that nothing closes", repeated("a: \"b\n")},
      {"braces that nothing closes", repeated("a: {b\n")},
      {"the same over many lines", repeated("a: {b: [\n  c\n")},
      {"a value over many lines", repeated("  b\n")},
      {"blank lines", repeated("\n")},
      {"one map of many keys",
       [](std::size_t size) { return "a: {" + repeated("b: c, ")(size) + "}\n"; }},
      {"a map that nothing closes",
       [](std::size_t size) { return "a: {" + repeated("b: \"c, ")(size) + "\n"; }},
      {"lists in lists", [](std::size_t size) { return "a: {b: " + repeated("[")(size) + "}\n"; }},
      {"broken lines", repeated("no key\n")},
  };
  for (const Kind& kind : front_matters) {
    CAPTURE(kind.name);
    const double times = test::cost_of_tenfold(20'000, kind.text, [](const std::string& text) {
      const std::string document = "---\nx: y\n" + text + "---\nbody\n";
      static_cast<void>(markdown::read_front_matter(document));
      static_cast<void>(markdown::set_value(document, "resume", "s", "claude"));
    });
    CHECK(times < test::kMostForTenfold);
  }
}

}  // namespace agent_doc::markdown_cost_test
