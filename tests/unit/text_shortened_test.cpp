#include "server/text/shortened.hpp"

#include "server/text/utf8.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::text::shortened_test {

TEST_CASE("shortened: what is short enough stays as it is") {
  CHECK(shortened("", 0).empty());
  CHECK(shortened("naïve", 6) == "naïve");
  CHECK(beginning("naïve", 100) == "naïve");
}

TEST_CASE("shortened: a character is kept whole or left out whole") {
  const std::string text = "aé漢👍z";  // 1, 2, 3, 4 and 1 bytes
  CHECK(shortened(text, 10) == "aé漢👍… (1 bytes more)");
  CHECK(shortened(text, 9) == "aé漢… (5 bytes more)");
  CHECK(shortened(text, 6) == "aé漢… (5 bytes more)");
  CHECK(shortened(text, 5) == "aé… (8 bytes more)");
  CHECK(shortened(text, 2) == "a… (10 bytes more)");
  CHECK(shortened(text, 0) == "… (11 bytes more)");
}

TEST_CASE("shortened: ceil_boundary is the next place between two characters") {
  const std::string text = "aé漢👍z";
  const std::size_t expected[] = {0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11};
  for (std::size_t at = 0; at <= text.size(); ++at) {
    CAPTURE(at);
    CHECK(ceil_boundary(text, at) == expected[at]);
  }
}

}  // namespace agent_doc::text::shortened_test
