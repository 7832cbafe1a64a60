// Which parts of a text an edit has left: by hand, and as a property of random edits.
#include "server/text/kept_parts.hpp"
#include "server/text/utf8.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace text_kept_parts_test {

using namespace agent_doc;

/// The parts of `before`, with "|" between them.
std::string shown(std::string_view before, std::string_view after) {
  std::string parts;
  for (const text::KeptPart& part : text::kept_parts(before, after)) {
    if (!parts.empty()) parts += '|';
    parts += before.substr(part.before_begin, part.length);
  }
  return parts;
}

TEST_CASE("kept parts: two words typed into one line leave what is between them") {
  CHECK(shown("status: idle\n", "status: i(1)d(2)le\n") == "status: i|d|le\n");
  CHECK(shown("idle", "idle") == "idle");
  CHECK(shown("idle", "").empty());
  CHECK(shown("", "typed").empty());
  CHECK(shown("one\r\ntwo\r\n", "one\n\r\ntwo!\r\n") == "one|\r\ntwo|\r\n");
}

TEST_CASE("kept parts: of a line that is too long nothing is compared by characters") {
  const std::string before = "<" + std::string(600, 'a') + ">";
  const std::string after = "<" + std::string(500, 'b') + "a" + std::string(500, 'b') + ">";
  CHECK(shown(before, after) == "<|>");
}

TEST_CASE("kept parts: they are in both texts, in order, at boundaries of characters") {
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    test::RandomText dice(seed);
    const std::string before = dice.text(30);
    std::string after = before;
    for (std::size_t edits = dice.below(4); edits > 0; --edits)
      after = test::applied(after, dice.edit(after));
    CAPTURE(seed);
    std::size_t before_at = 0;
    std::size_t after_at = 0;
    for (const text::KeptPart& part : text::kept_parts(before, after)) {
      REQUIRE(part.length > 0);
      REQUIRE(part.before_begin >= before_at);
      REQUIRE(part.after_begin >= after_at);
      before_at = part.before_begin + part.length;
      after_at = part.after_begin + part.length;
      REQUIRE(after_at <= after.size());
      CHECK(before.substr(part.before_begin, part.length) ==
            after.substr(part.after_begin, part.length));
      for (const std::size_t at : {part.before_begin, before_at})
        CHECK(text::floor_boundary(before, at) == at);
    }
    if (before == after && !before.empty()) CHECK(before_at == before.size());
  }
}

}  // namespace text_kept_parts_test
