#include "server/markdown/turns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::markdown {

namespace turns_test {

/// "U:body" and "A:body" of each turn.
std::vector<std::string> turns_of(const std::string& document) {
  std::vector<std::string> turns;
  for (const InlineTurn& turn :
       find_turns(document, read_front_matter(document).body_begin).turns) {
    const std::string letter = turn.speaker == Speaker::User ? "U:" : "A:";
    turns.push_back(letter + document.substr(turn.body_begin, turn.body_end - turn.body_begin));
  }
  return turns;
}

std::optional<std::string> prompt_of(const std::string& document) {
  const auto prompt = find_open_prompt(document, read_front_matter(document));
  if (!prompt) return std::nullopt;
  return document.substr(prompt->begin, prompt->end - prompt->begin);
}

/// The document after a run whose reply was "REPLY".
std::string after_run(const std::string& document, std::string_view line_end) {
  const auto prompt = find_open_prompt(document, read_front_matter(document));
  REQUIRE(prompt.has_value());
  const InlineFrame frame = make_frame(document, prompt->frame_at, line_end);
  return document.substr(0, prompt->frame_at) + frame.head + "REPLY" + frame.tail +
         document.substr(prompt->frame_at);
}

}  // namespace turns_test

TEST_CASE("turns") {
  struct Case {
    std::string document;
    std::vector<std::string> turns;
  };
  const std::vector<Case> cases = {
      {"", {"U:"}},
      {"# Title\n\nHello\n", {"U:# Title\n\nHello\n"}},
      {"---\nagent: x\n---\nHello\n", {"U:Hello\n"}},
      {"## User\n\nHello\n", {"U:\nHello\n"}},
      {"# Title\n\n## User\nHello\n\n## Assistant\nHi\n\n## User\n",
       {"U:Hello\n\n", "A:Hi\n\n", "U:"}},
      {"## User\r\na\r\n## Assistant\r\nb", {"U:a\r\n", "A:b"}},
      {"   ##  User  ##  \na\n## Assistant (HEAD)\nb\n## User (HEAD) ##\nc",
       {"U:a\n", "A:b\n", "U:c"}},
      {"## user\n# User\n### User\n## Users\n## User:\n##User\n",
       {"U:## user\n# User\n### User\n## Users\n## User:\n##User\n"}},
      {"## User\n> ## Assistant\n- ## User\n  ## User\n\n```\n## User\n```\n    ## User\n",
       {"U:> ## Assistant\n- ## User\n  ## User\n\n```\n## User\n```\n    ## User\n"}},
      {"## User\na\n<!--\n## Assistant\n-->\nb\n", {"U:a\n<!--\n## Assistant\n-->\nb\n"}},
      {"## User\na\n## Notes\nb\n", {"U:a\n## Notes\nb\n"}},
      {"Hello\n\n## Assistant\n\nHi\n\n## User\n\n",
       {"U:Hello\n\n", "A:\nHi\n\n", "U:\n"}},  // it began without headings
      {"\n## Assistant\nHi\n", {"A:Hi\n"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CHECK(turns_test::turns_of(c.document) == c.turns);
    CHECK(find_turns(c.document, read_front_matter(c.document).body_begin).problems.empty());
  }
}

TEST_CASE("the heading of a turn, and none") {
  const std::string document = "# T\n\n## User \nHello\n";
  const InlineTurn turn = find_turns(document, 0).turns.at(0);
  CHECK(turn.heading_begin == 5);
  CHECK(turn.body_begin == 14);
  const InlineTurn whole = find_turns("---\na: b\n---\nHello", 13).turns.at(0);
  CHECK(whole.heading_begin == 13);
  CHECK(whole.body_begin == 13);
}

TEST_CASE("the open prompt") {
  struct Case {
    std::string document;
    std::optional<std::string> prompt;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {" \n\r\n", {}},
      {"---\nagent: x\n---\n\n", {}},
      {"Hello\n", "Hello"},
      {"# Only a title\n", "# Only a title"},
      {"## User\n\n  Hello  \n\n", "Hello"},
      {"## User\n", {}},
      {"## User\nHello\n\n## Assistant\n\nHi\n", {}},
      {"## User\nHello\n\n## Assistant\n\nHi\n\n## User\n\nAnd now?", "And now?"},
      {"## User\nHello\n\n## Assistant\n\nHi\n\n## User\n\n<!-- not\nyet -->\n", {}},
      {"## User\n\n<!-- a --> <!-- b -->\n[//]: # (c)\n", {}},
      {"## User\n\n<!-- open", {}},
      {"## User\n\n<!-- a -->\nHello <!-- b -->\n", "<!-- a -->\nHello <!-- b -->"},
      {"## User\nFirst\n\n## User\n\nSecond\n", "Second"},
      {"## User\n\n\u4E2D\u6587\r\n\r\n", "\u4E2D\u6587"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CHECK(turns_test::prompt_of(c.document) == c.prompt);
  }
}

TEST_CASE("the document after a run") {
  struct Case {
    std::string document, expected;
    std::string line_end = "\n";
  };
  const std::vector<Case> cases = {
      {"Hello", "Hello\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Hello\n", "Hello\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Hello\n\n", "Hello\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Hello\n\n\n\n",
       "Hello\n\n## Assistant\n\nREPLY\n\n## User\n\n\n\n"},  // more than needed is the person's
      {"Hello\r\n", "Hello\r\n\r\n## Assistant\r\n\r\nREPLY\r\n\r\n## User\r\n\r\n", "\r\n"},
      {"Hello", "Hello\r\n\r\n## Assistant\r\n\r\nREPLY\r\n\r\n## User\r\n\r\n", "\r\n"},
      {"Hello\r", "Hello\r\r## Assistant\r\rREPLY\r\r## User\r\r", "\r"},
      {"Hello  \n", "Hello  \n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Hello\t", "Hello\t\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Hello\n  \n", "Hello\n\n## Assistant\n\nREPLY\n\n## User\n  \n"},
      {"# T\n\n## User\n\nHello\n",
       "# T\n\n## User\n\nHello\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"---\nagent: x\n---\n\nHello\n",
       "---\nagent: x\n---\n\nHello\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"- a\n- b\n", "- a\n- b\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"Look:\n<div>\nx", "Look:\n<div>\nx\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
      {"a\n<!-- b -->\n", "a\n<!-- b -->\n\n## Assistant\n\nREPLY\n\n## User\n\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    const std::string after = turns_test::after_run(c.document, c.line_end);
    CHECK(after == c.expected);

    const std::vector<std::string> turns = turns_test::turns_of(after);
    REQUIRE(turns.size() == 3);
    CHECK(turns[1] == "A:" + c.line_end + "REPLY" + c.line_end + c.line_end);
    CHECK_FALSE(turns_test::prompt_of(after).has_value());
    CHECK(turns_test::prompt_of(after + "Next") == "Next");
  }
}

TEST_CASE("a frame at any place") {
  struct Case {
    std::string above, below, head, tail;
  };
  const std::vector<Case> cases = {
      {"", "", "## Assistant\n\n", "\n\n## User\n\n"},
      {"a", "", "\n\n## Assistant\n\n", "\n\n## User\n\n"},
      {"a\n", "", "\n## Assistant\n\n", "\n\n## User\n\n"},
      {"a\n\n", "", "## Assistant\n\n", "\n\n## User\n\n"},
      {"a\r\n\r\n", "", "## Assistant\n\n", "\n\n## User\n\n"},
      {"a\r\n", "", "\n## Assistant\n\n", "\n\n## User\n\n"},
      {"a\n\n    ", "", "\n## Assistant\n\n",
       "\n\n## User\n\n"},  // the heading must not be indented
      {"a\n  ", "", "\n## Assistant\n\n", "\n\n## User\n\n"},
      {"  ", "", "\n## Assistant\n\n", "\n\n## User\n\n"},
      {"a", "\n", "\n\n## Assistant\n\n", "\n\n## User\n"},
      {"a", "\n\n", "\n\n## Assistant\n\n", "\n\n## User"},
      {"a", "\r\n\r\n", "\n\n## Assistant\n\n", "\n\n## User"},
      {"a", " \n", "\n\n## Assistant\n\n", "\n\n## User\n"},
      {"a", "\n\nmore", "\n\n## Assistant\n\n", "\n\n## User"},
      {"a", "more", "\n\n## Assistant\n\n", "\n\n## User\n\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.above);
    CAPTURE(c.below);
    const InlineFrame frame = make_frame(c.above + c.below, c.above.size(), "\n");
    CHECK(frame.head == c.head);
    CHECK(frame.tail == c.tail);
  }
}

TEST_CASE("what is left open above is a problem, and a frame is made all the same") {
  const std::string fence = "Look:\n\n~~~~cpp\nint x;\n\n## User\n\nHello\n";
  const InlineTurns turns = find_turns(fence, 0);
  CHECK(turns.turns.size() == 1);
  REQUIRE(turns.problems.size() == 1);
  CHECK(fence.substr(turns.problems[0].begin, turns.problems[0].end - turns.problems[0].begin) ==
        "~~~~cpp");
  CHECK(turns.problems[0].message ==
        "This code block is not closed: everything below belongs to it, headings, too. Close it "
        "with a line \"~~~~\".");
  CHECK(turns_test::after_run(fence, "\n") == fence + "\n## Assistant\n\nREPLY\n\n## User\n\n");

  const std::string comment = "## User\n\nHello\n\n<!-- later\n\n## User\n";
  const InlineTurns commented = find_turns(comment, 0);
  REQUIRE(commented.problems.size() == 1);
  CHECK(commented.problems[0].message ==
        "This HTML is not closed: everything below belongs to it, headings, too. Close it with a "
        "line \"-->\".");
}

}  // namespace agent_doc::markdown
