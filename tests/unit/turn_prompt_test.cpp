#include "server/turn/prompt.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::turn {

TEST_CASE("comments are taken out, code and component markers stay") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"text", "text"},
      {"a <!-- note --> b", "a  b"},
      {"a\n<!-- note -->\nb\n", "a\nb\n"},
      {"a\n\n<!-- two\nlines\n\nand a gap -->\n\nb", "a\n\n\nb"},
      {"a <!-- over\ntwo lines --> b", "a  b"},
      {"<!-- note --> rest\nb", " rest\nb"},
      {"<!-- one --><!-- two -->\nb", "\nb"},
      {"a\n\n<!-- never closed\n\n## User\n", "a\n\n"},
      {"a <!-- never closed in a line\nb", "a <!-- never closed in a line\nb"},
      {"`<!-- code -->` and ``a ` <!-- b -->``", "`<!-- code -->` and ``a ` <!-- b -->``"},
      {"a ` b <!-- note --> c", "a ` b  c"},
      {"```html\n<!-- code -->\n[//]: # (code)\n```\n",
       "```html\n<!-- code -->\n[//]: # (code)\n```\n"},
      {"a\n\n    <!-- indented code -->\n", "a\n\n    <!-- indented code -->\n"},
      {"# Title <!-- note -->\n", "# Title \n"},
      {"<div>\n<!-- note --> x\n</div>\n", "<div>\n x\n</div>\n"},
      {"a\n[//]: # (note)\nb\n[//]: # \"note\"\n", "a\nb\n"},
      {"[link]: # (kept)\n", "[link]: # (kept)\n"},
      {"<!-- agent:exchange -->\ntext\n<!-- /agent:exchange -->\n",
       "<!-- agent:exchange -->\ntext\n<!-- /agent:exchange -->\n"},
      {"x <!--patch:a--> <!-- agentless --> y", "x <!--patch:a-->  y"},
      {"a\r\n<!-- note -->\r\nb\r\n", "a\r\nb\r\n"},
      {"", ""},
  };
  for (const auto& [markdown, expected] : cases) {
    CAPTURE(markdown);
    CHECK(without_comments(markdown) == expected);
  }
}

namespace prompt_test {

std::string prompt_of(const std::string& body, std::string_view prompt, SessionKnows knows) {
  const std::size_t begin = body.rfind(prompt);
  return build_prompt(body, begin, begin + prompt.size(), knows);
}

TEST_CASE("a new session gets the document, with the open prompt last and marked") {
  const std::string body =
      "# Plan\n\n<!-- scratch -->\n## User\n\nFirst question.\n\n## Assistant\n\nFirst "
      "answer.\n\n## User\n\n    indented code\nSecond "
      "<!-- x -->question.\n";
  const std::string prompt = "    indented code\nSecond <!-- x -->question.";
  CHECK(prompt_of(body, prompt, SessionKnows::Nothing) ==
        "This is the markdown document that we write together, up to now:\n\n<document>\n# "
        "Plan\n\n## User\n\nFirst question.\n\n## "
        "Assistant\n\nFirst "
        "answer.\n</document>\n\nThis is the open prompt in it. Answer only this:\n\n    indented "
        "code\nSecond question.");
  CHECK(prompt_of(body, prompt, SessionKnows::EarlierTurns) ==
        "    indented code\nSecond question.");
}

TEST_CASE("a document that is only a prompt is sent as it is") {
  CHECK(prompt_of("\n\nHello\n", "Hello", SessionKnows::Nothing) == "Hello");
  CHECK(prompt_of("## User\n\nHello\n", "Hello", SessionKnows::Nothing) == "Hello");
  CHECK(prompt_of("<!-- only a note -->\n\nHello\n", "Hello", SessionKnows::Nothing) == "Hello");
}

TEST_CASE("text below the prompt is part of the document, not of the prompt") {
  CHECK(prompt_of("Above.\n\nHello\n\nBelow.\n", "Hello", SessionKnows::Nothing) ==
        "This is the markdown document that we write together, up to "
        "now:\n\n<document>\nAbove.\n\n\n\n\nBelow.\n</document>\n\nThis is "
        "the open prompt in "
        "it. Answer only this:\n\nHello");
}

TEST_CASE("nothing to send is empty") {
  CHECK(build_prompt("# Title\n", 8, 8, SessionKnows::Nothing).empty());
  CHECK(prompt_of("Title\n\n<!-- later -->\n", "<!-- later -->", SessionKnows::Nothing).empty());
  CHECK(
      prompt_of("Title\n\n<!-- later -->\n", "<!-- later -->", SessionKnows::EarlierTurns).empty());
}

}  // namespace prompt_test
}  // namespace agent_doc::turn
