#include "server/markdown/send_mark.hpp"

#include "server/markdown/turns.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace markdown_send_mark_test {

using namespace agent_doc;

/// The document without its marks; "-" when it has none.
std::string unmarked(const std::string& document) {
  return markdown::without_send_marks(document, markdown::read_front_matter(document))
      .value_or("-");
}

TEST_CASE("send: the line goes, and nothing else") {
  CHECK(unmarked("Hello?\n/send\n") == "Hello?\n");
  CHECK(unmarked("Hello?\n\n  /send  ") == "Hello?\n\n");
  CHECK(unmarked("Hello?\r\n/send\r\n\r\n") == "Hello?\r\n\r\n");
  CHECK(unmarked("/send") == "");
  CHECK(unmarked("---\nagent: a\n---\n\n## User\n\nOne\n\n## Assistant\n\nTwo\n\n## "
                 "User\n\nThree\n/send\n") ==
        "---\nagent: a\n---\n\n## User\n\nOne\n\n## Assistant\n\nTwo\n\n## User\n\nThree\n");
  CHECK(unmarked("- [x] send\n\nHello?\n") == "\nHello?\n");
  CHECK(unmarked("Hello?\n* [X] send\nAnd?\n/send\n") == "Hello?\nAnd?\n");
}

TEST_CASE("send: what is no mark") {
  for (const char* document :
       {"", "Hello?\n", "/send now\n", "/send\nHello?\n", "Hello? /send\n", "> /send\n",
        "```\n/send\n", "```\n/send\n```\n", "Hello?\n\n    /send\n", "<!--\n/send\n-->\n",
        "- [ ] send\n", "- [x] send it\n", "- a\n\n    - [x] send\n", "[x] send\n", "-[x] send\n",
        "/send\n\n## Assistant\n\nYes.\n\n## User\n\n", "One\n\n## Assistant\n\n/send\n",
        "One\n\n## Assistant\n\n- [x] send\n\n## User\n\nTwo\n"}) {
    CAPTURE(document);
    CHECK(unmarked(document) == "-");
  }
}

TEST_CASE("send: of any document only lines that are marks go, once") {
  test::RandomText random(4);
  const std::vector<std::string_view> kPieces = {
      "/send\n", "- [x] send\n", "one\n", "\n",      "```\n", "\n## User\n\n", "\n## Assistant\n\n",
      "> a\n",   "- b\n",        "\r\n",  "/send  ", "<!-- ", "-->\n"};
  for (int i = 0; i < 5000; ++i) {
    std::string document;
    for (std::size_t left = random.below(10); left > 0; --left) document += random.pick(kPieces);
    CAPTURE(document);
    const std::string without = unmarked(document);
    if (without == "-") continue;
    CHECK(without.size() < document.size());
    CHECK(without.size() + 100 > document.size());
    // A mark is a whole line: what is left is the document without some of its lines.
    std::size_t at = 0;
    for (const char byte : without) {
      while (at < document.size() && document[at] != byte) ++at;
      REQUIRE(at < document.size());
      ++at;
    }
  }
}

}  // namespace markdown_send_mark_test
