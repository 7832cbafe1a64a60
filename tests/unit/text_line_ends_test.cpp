#include "server/text/line_ends.hpp"

#include <doctest/doctest.h>

namespace agent_doc::text {

namespace text_line_ends_test_internal {

TEST_CASE("line ends: the most frequent one counts, the first of equally frequent ones") {
  CHECK(most_frequent_line_end("one line") == "\n");
  CHECK(most_frequent_line_end("") == "\n");
  CHECK(most_frequent_line_end("a\r\nb\nc\nd") == "\n");
  CHECK(most_frequent_line_end("a\nb\r\nc\r\n") == "\r\n");
  CHECK(most_frequent_line_end("a\r\nb\n") == "\r\n");
  CHECK(most_frequent_line_end("a\rb\r") == "\r");
}

TEST_CASE("line ends: the only one") {
  CHECK(only_line_end("no end").empty());
  CHECK(only_line_end("a\nb\n") == "\n");
  CHECK(only_line_end("\r\n\r\n") == "\r\n");
  CHECK(only_line_end("a\nb\r\n").empty());
  CHECK(only_line_end("a\r") == "\r");
}

TEST_CASE("line ends: a text with others") {
  CHECK(with_line_ends("a\nb\r\nc\rd", "\n") == "a\nb\nc\nd");
  CHECK(with_line_ends("a\nb\r\nc\rd\n", "\r\n") == "a\r\nb\r\nc\r\nd\r\n");
  CHECK(with_line_ends("", "\r\n").empty());
  CHECK(with_line_ends("\n\n", "\r\n") == "\r\n\r\n");
}

}  // namespace text_line_ends_test_internal

}  // namespace agent_doc::text
