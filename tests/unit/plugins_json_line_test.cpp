#include "plugins/json_line.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {
namespace json_line_test {

struct Read {
  std::vector<std::string> texts;
  std::string malformed;
};

Read read(JsonLine& reader, std::string_view line) {
  Read result;
  reader.begin(line);
  while (const boost::json::object* object = reader.next())
    result.texts.emplace_back(string_of(*object, "text"));
  result.malformed = reader.malformed();
  return result;
}

TEST_CASE("JsonLine reads the objects of a line") {
  struct Case {
    std::string line;
    std::vector<std::string> texts;
    std::string malformed;
  };
  const std::string deep = std::string(255, '[') + std::string(255, ']');
  const std::string too_deep = R"({"text":"x","a":[)" + deep + "]}";
  const std::vector<Case> cases = {
      {R"({"text":"a"})", {"a"}, ""},
      {R"( {"text":"a"} {"text":"b"})"
       "\r",
       {"a", "b"},
       ""},
      {R"(data: {"text":"a"})", {"a"}, ""},
      {R"(data:{"text":"a"}{"text":"b"}{)", {"a", "b"}, "{"},
      {"", {}, ""},
      {" \t\r", {}, ""},
      {"plain text", {}, "plain text"},
      {"[1]", {}, "[1]"},
      {R"({"text":"a"} trailing)", {"a"}, "trailing"},
      {R"({"text":"cut)", {}, R"({"text":"cut)"},
      {R"({"text":"lone \ud83d half"})", {"lone \uFFFD half"}, ""},
      {R"({"text":"a"}{"text":"\ude00"})", {"a", "\uFFFD"}, ""},
      {R"({"text":"pair \ud83d\ude00"})", {"pair \U0001F600"}, ""},
      {R"({"text":"x","a":)" + deep + "}", {"x"}, ""},
      {too_deep, {}, too_deep},
  };
  JsonLine reader;
  for (int round = 0; round < 3; ++round) {
    for (const Case& c : cases) {
      CAPTURE(c.line);
      const Read result = read(reader, c.line);
      CHECK(result.texts == c.texts);
      CHECK(result.malformed == c.malformed);
    }
  }
}

TEST_CASE("a line of ten megabytes is read like any other") {
  JsonLine reader;
  const std::string text(10'000'000, 'x');
  CHECK(read(reader, R"({"text":")" + text + R"("})").texts == std::vector<std::string>{text});
  CHECK(read(reader, R"({"text":"small"})").texts == std::vector<std::string>{"small"});
}

TEST_CASE("a thousand lines that are longer than its buffer are read like the first") {
  JsonLine reader;
  const std::string text(100'000, 'x');
  const std::string line = R"({"text":")" + text + R"("})";
  for (int count = 0; count < 1000; ++count)
    REQUIRE(read(reader, line).texts == std::vector<std::string>{text});
}

TEST_CASE("a field of another type counts as missing") {
  const boost::json::value value = boost::json::parse(
      R"({"text":1,"number":"1","truth":1,"object":[],"array":{},"real":1.5,"whole":2})");
  const boost::json::object& object = value.as_object();
  CHECK(string_of(object, "text").empty());
  CHECK(string_of(object, "absent").empty());
  CHECK(integer_of(object, "number", -1) == -1);
  CHECK(integer_of(object, "whole", -1) == 2);
  CHECK_FALSE(is_true(object, "truth"));
  CHECK(object_of(object, "object") == nullptr);
  CHECK(array_of(object, "array") == nullptr);
  CHECK(number_of(object, "real") == 1.5);
  CHECK(number_of(object, "whole") == 2.0);
  CHECK(number_of(object, "text") == 1.0);
  CHECK(number_of(object, "number") == 0.0);
}

}  // namespace json_line_test
}  // namespace agent_doc::plugins
