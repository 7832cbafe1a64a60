#include "server/turn/tag_filter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {
namespace tag_filter_test {

struct Collected : TaggedText {
  void text(std::string_view piece) override { said.append(piece); }
  void thinking(std::string_view thought) override { thoughts.emplace_back(thought); }
  std::string said;
  std::vector<std::string> thoughts;
};

struct Case {
  std::string_view raw;
  std::string_view said;
  std::vector<std::string> thoughts;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"a <think>b</think> c", "a  c", {"b"}},
      {"<thinking>b</thinking>c", "c", {"b"}},
      {"<think>a</thinking>b</think>c", "c", {"a</thinking>b"}},
      {"<think></think>x<think>1</think>", "x", {"", "1"}},
      {"a < b <b>bold</b> <thin> <thinkx> </think>",
       "a < b <b>bold</b> <thin> <thinkx> </think>",
       {}},
      {"a <think>never closed", "a <think>never closed", {}},
      {"<think>a <think>b", "<think>a <think>b", {}},
      {"<think>a <thinking>b</thinking> c", "<think>a  c", {"b"}},
      {"<think>a `<thinking>b</thinking>` c", "<think>a `<thinking>b</thinking>` c", {}},
      {"<<think>a</think>", "<", {"a"}},
      {"<th<think>a</think>", "<th", {"a"}},
      {"in code: `<think>a</think>`.", "in code: `<think>a</think>`.", {}},
      {"``a ` <think>``<think>b</think>", "``a ` <think>``", {"b"}},
      {"open ` span <think>a</think>", "open ` span <think>a</think>", {}},
      {"open ` span\n\n<think>a</think>", "open ` span\n\n", {"a"}},
      {"```\n<think>a</think>\n```\n<think>b</think>", "```\n<think>a</think>\n```\n", {"b"}},
      {"```<think>\n<think>a</think>\n```", "```<think>\n<think>a</think>\n```", {}},
      {"~~~ x\n```\n<think>\n~~~~ \n<think>b</think>", "~~~ x\n```\n<think>\n~~~~ \n", {"b"}},
      {"````\n```\n<think>\n````\n<think>b</think>", "````\n```\n<think>\n````\n", {"b"}},
      {"```\n    ```\n<think>x</think>\n```\n", "```\n    ```\n<think>x</think>\n```\n", {}},
      {"- ```sh\n  <think>\n  ```\n<think>b</think>", "- ```sh\n  <think>\n  ```\n", {"b"}},
      {"12. ~~~\n    <think>\n    ~~~\n<think>b</think>", "12. ~~~\n    <think>\n    ~~~\n", {"b"}},
      {"> ```\n> <think>\n> ```\n<think>b</think>", "> ```\n> <think>\n> ```\n", {"b"}},
      {"``` a ` b\n<think>c</think>", "``` a ` b\n<think>c</think>", {}},
      {"```a```<think>b</think>", "```a```", {"b"}},
      {"-<think>b</think> 1.<think>c</think>", "- 1.", {"b", "c"}},
      {"~~struck~~ <think>b</think>", "~~struck~~ ", {"b"}},
      {"text\n<think>a\n\nb</think>\n```\n<think>", "text\n\n```\n<think>", {"a\n\nb"}},
  };
  return kCases;
}

TEST_CASE("TagFilter takes thoughts out of text, but not out of code, wherever the text is cut") {
  for (const Case& c : cases()) {
    for (std::size_t cut = 0; cut <= c.raw.size(); ++cut) {
      CAPTURE(c.raw);
      CAPTURE(cut);
      TagFilter filter;
      Collected collected;
      filter.feed(c.raw.substr(0, cut), collected);
      filter.feed(c.raw.substr(cut), collected);
      filter.finish(collected);
      CHECK(collected.said == c.said);
      CHECK(collected.thoughts == c.thoughts);
    }
  }
}

TEST_CASE(
    "TagFilter gives the same, one character at a time, and holds back only what may become a "
    "tag") {
  for (const Case& c : cases()) {
    CAPTURE(c.raw);
    TagFilter filter;
    Collected collected;
    for (std::size_t at = 0; at < c.raw.size(); ++at) filter.feed(c.raw.substr(at, 1), collected);
    filter.finish(collected);
    CHECK(collected.said == c.said);
    CHECK(collected.thoughts == c.thoughts);
  }
  TagFilter filter;
  Collected collected;
  filter.feed("a <thin", collected);
  CHECK(collected.said == "a ");
  filter.feed(" ", collected);
  CHECK(collected.said == "a <thin ");
  CHECK_FALSE(filter.finish(collected));
  filter.feed("<", collected);
  CHECK(filter.finish(collected));
  CHECK(collected.said == "a <thin <");
}

TEST_CASE("many unclosed tags cost no more than their bytes") {
  std::string raw;
  for (int i = 0; i < 100'000; ++i) raw += "<think>a<thinking>";
  TagFilter filter;
  Collected collected;
  filter.feed(raw, collected);
  filter.finish(collected);
  CHECK(collected.said == raw);
}

}  // namespace tag_filter_test
}  // namespace agent_doc::turn
