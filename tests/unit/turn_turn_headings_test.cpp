// What it is: headings of an agent's text that would begin a turn: named cases, and random texts
// against the scan of the whole text, however they are cut.
// What it is not: rounds and messages (turn_reply_test.cpp).
#include "server/markdown/turns.hpp"
#include "server/turn/turn_headings.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::turn {
namespace turn_headings_test {

/// Every piece has `size` bytes, the last one what is left.
std::string fed(std::string_view text, std::size_t size) {
  TurnHeadings headings;
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += size) headings.feed(text.substr(at, size), out);
  headings.finish(out);
  return out;
}

/// The slow way: every turn that the scan of the whole text finds gets one more "#".
std::string by_scan(std::string text) {
  std::vector<markdown::Line> lines = markdown::scan(text, 0);
  std::reverse(lines.begin(), lines.end());
  for (const markdown::Line& line : lines) {
    if (markdown::turn_begun_by(line, text)) text.insert(text.find('#', line.begin), "#");
  }
  return text;
}

struct Case {
  std::string_view said;
  std::string_view reply;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"## User", "### User"},
      {"## Assistant\n\ntext\n", "### Assistant\n\ntext\n"},
      {"a\n## User\nb\n## Assistant", "a\n### User\nb\n### Assistant"},
      {"   ##  \tUser \t\n", "   ###  \tUser \t\n"},
      {"## User ##\n## User #\n## User (HEAD)\n## User (HEAD) ###\n",
       "### User ##\n### User #\n### User (HEAD)\n### User (HEAD) ###\n"},
      {"- a\n## User\n", "- a\n### User\n"},
      {"> a\n## User\n", "> a\n### User\n"},
      {"```\na\n```\n## User\n", "```\na\n```\n### User\n"},
      {"<!-- a -->\n## User\n", "<!-- a -->\n### User\n"},
      {"<div>\n\n## User\n", "<div>\n\n### User\n"},
      // What begins no turn stays as it is.
      {"# User\n### User\n###### User\n", "# User\n### User\n###### User\n"},
      {"## Users\n## User guide\n## user\n## The User\n##User\n## User:\n##\n## \n",
       "## Users\n## User guide\n## user\n## The User\n##User\n## User:\n##\n## \n"},
      {"## User# \n## User(HEAD)\n## UserHEAD\n## User (HEAD\n",
       "## User# \n## User(HEAD)\n## UserHEAD\n## User (HEAD\n"},
      {"User\n----\n", "User\n----\n"},
      {"text ## User\n\\## User\n", "text ## User\n\\## User\n"},
      {"    ## User\n\t## User\n", "    ## User\n\t## User\n"},
      {"```md\n## User\n", "```md\n## User\n"},
      {"~~~~\n~~~\n## User\n~~~~\n", "~~~~\n~~~\n## User\n~~~~\n"},
      {"- a\n\n  ## User\n- ## User\n", "- a\n\n  ## User\n- ## User\n"},
      {"> ## User\n", "> ## User\n"},
      {"<!--\n## User\n", "<!--\n## User\n"},
      {"<div>\n## User\n", "<div>\n## User\n"},
  };
  return kCases;
}

TEST_CASE("a heading that would begin a turn becomes one of level 3, wherever the text is cut") {
  for (const Case& c : cases()) {
    CAPTURE(c.said);
    for (std::size_t cut = 0; cut <= c.said.size(); ++cut) {
      CAPTURE(cut);
      TurnHeadings headings;
      std::string out;
      headings.feed(c.said.substr(0, cut), out);
      headings.feed(c.said.substr(cut), out);
      headings.finish(out);
      CHECK(out == c.reply);
    }
    CHECK(fed(c.said, 1) == c.reply);
    CHECK(by_scan(std::string(c.said)) == c.reply);
    CHECK(fed(c.reply, c.reply.size()) == c.reply);
  }
}

TEST_CASE(
    "random texts: the same as the whole text's scan says, in pieces of any size, and never a "
    "turn") {
  const std::vector<std::string_view> pieces = {
      "## User", "## Assistant", "##",      "#",     " ",    "   ", "    ",  "\t",
      "User",    "Assistant",    " (HEAD)", "\n",    "\n",   "\n",  "\n\n",  "```\n",
      "~~~",     "- ",           "1. ",     ">",     "<!--", "-->", "<div>", "</div>",
      "<pre>",   "</pre>",       "`",       "---\n", "text", "é",   "中"};
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    test::RandomText random(seed);
    std::string text;
    for (std::size_t left = random.below(24); left > 0; --left) text += random.pick(pieces);
    CAPTURE(text);
    const std::string reply = by_scan(text);
    REQUIRE(fed(text, text.size() + 1) == reply);
    REQUIRE(fed(text, 1) == reply);
    REQUIRE(fed(text, 2 + random.below(5)) == reply);
    const std::string document = "## User\n\nq\n\n## Assistant\n\n" + reply;
    REQUIRE(markdown::find_turns(document, 0).turns.size() == 2);
  }
}

TEST_CASE("only what may still become such a heading is held back") {
  const std::vector<std::pair<std::string_view, std::string_view>> steps = {
      {"a\n  #", "a\n  #"},
      {"#", "a\n  ##"},
      {" Us", "a\n  ##"},
      {"e", "a\n  ##"},
      {"d", "a\n  ## Used"},
      {" ## User", "a\n  ## Used ## User"},
      {"\n## User ", "a\n  ## Used ## User\n##"},
      {"#", "a\n  ## Used ## User\n##"},
      {"\n", "a\n  ## Used ## User\n### User #\n"}};
  TurnHeadings headings;
  std::string out;
  for (const auto& [piece, so_far] : steps) {
    headings.feed(piece, out);
    CHECK(out == so_far);
  }
  CHECK_FALSE(headings.finish(out));
}

TEST_CASE("a text that ends in such a heading may be followed by another") {
  TurnHeadings headings;
  std::string out;
  headings.feed("```\n## User\n```\n## User", out);
  CHECK(headings.finish(out));
  CHECK(out == "```\n## User\n```\n### User");
  CHECK_FALSE(headings.finish(out));
  headings.feed("\n\n## User\n", out);
  CHECK(out == "```\n## User\n```\n### User\n\n### User\n");
}

}  // namespace turn_headings_test
}  // namespace agent_doc::turn
