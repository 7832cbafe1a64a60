// What it is: an agent's standard output as text: what stands in the pipe is handed over, whatever
// the pieces.
// What it is not: pipes and processes (process_launcher_test.cpp).
#include "server/process/text_reader.hpp"

#include "server/text/utf8.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace process_text_reader_test {

using agent_doc::process::TextReader;

TEST_CASE("text reader: what came is handed over at once, without waiting for a newline") {
  TextReader reader;
  CHECK(reader.take("fifty words") == "fifty words");
  CHECK(reader.take(" and\r\none") == " and\r\none");
  CHECK(reader.take("").empty());
  CHECK(reader.finish().empty());
}

TEST_CASE("text reader: characters are never cut, at whatever byte a piece ends") {
  const std::string whole = "aé–🙂 \xEF\xBB\xBF z";
  for (std::size_t first = 0; first <= whole.size(); ++first) {
    for (std::size_t second = first; second <= whole.size(); ++second) {
      TextReader reader;
      std::string all;
      for (const std::string_view piece : {std::string_view(whole).substr(0, first),
                                           std::string_view(whole).substr(first, second - first),
                                           std::string_view(whole).substr(second)}) {
        const std::string_view text = reader.take(piece);
        CHECK(agent_doc::text::is_valid_utf8(text));
        all += text;
      }
      all += reader.finish();
      CHECK(all == whole);
    }
  }
}

TEST_CASE(
    "text reader: what is no UTF-8 is repaired, and a character whose rest never comes is told at "
    "the end") {
  const auto read = [](const std::vector<std::string_view>& pieces) {
    TextReader reader;
    std::string all;
    for (const std::string_view piece : pieces) all += reader.take(piece);
    return all + std::string(reader.finish());
  };
  CHECK(read({"a\xFF", "b"}) == "a\uFFFDb");
  CHECK(read({"a\xE2\x82"}) == "a\uFFFD");
  CHECK(read({"a\xE2", "b"}) == "a\uFFFDb");
  CHECK(read({"\xF0\x9F\x99", "\x82"}) == "🙂");
  CHECK(read({"\x82\x82\x82\x82", "x"}) == "\uFFFD\uFFFD\uFFFD\uFFFDx");
}

TEST_CASE("text reader: a byte order mark at the start is dropped, also when it is cut") {
  TextReader reader;
  CHECK(reader.take("\xEF\xBB").empty());
  CHECK(reader.take("\xBFx") == "x");
  CHECK(reader.take("\xEF\xBB\xBF") == "\xEF\xBB\xBF");
}

}  // namespace process_text_reader_test
