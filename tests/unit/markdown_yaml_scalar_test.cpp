#include "server/markdown/yaml_scalar.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace agent_doc::markdown {

TEST_CASE("reading a scalar") {
  struct Case {
    std::string text, value, rest, problem;
    ScalarContext context = ScalarContext::Block;
  };
  const std::vector<Case> cases = {
      {"claude", "claude", "", ""},
      {"claude  # the best\n", "claude", "  # the best\n", ""},
      {"a#b c\r\nd", "a#b c", "\r\nd", ""},
      {"null", "", "", ""},
      {"~ # nothing", "", " # nothing", ""},
      {"'it''s' x", "it's", " x", ""},
      {"'null'", "null", "", ""},
      {"'a\\n'", "a\\n", "", ""},
      {R"("a\"b\\c\n\t\x41\u00e9\U0001F600\/" # c)", "a\"b\\c\n\tA\u00E9\U0001F600/", " # c", ""},
      {R"("\e\_\N\L\P\a")", "\x1B\u00A0\u0085\u2028\u2029\a", "", ""},
      {"\"two \n  words\"", "two words", "", ""},
      {"'a\r\n\r\n  b'", "a\nb", "", ""},
      {"\"joined\\\n   line\\ \n x\"", "joinedline  x", "", ""},
      {"x, y", "x", ", y", "", ScalarContext::Flow},
      {"x}", "x", "}", "", ScalarContext::Flow},
      {"a: b", "a", ": b", "", ScalarContext::Flow},
      {"a:b:c, d", "a:b:c", ", d", "", ScalarContext::Flow},
      {"x, y", "x, y", "", ""},
      {"a: b", "a: b", "", "A value with a colon and a space must stand in quotation marks."},
      {"\"cla\nagent: x", "cla", "\nagent: x", "The quotation mark is not closed."},
      {"'", "", "", "The quotation mark is not closed."},
      {R"("\q")", "\\q", "",
       "A backslash in double quotes must begin an escape that YAML knows, such as \\\\ or \\n."},
      {R"("\u12")", "\\u12", "", "This escape needs more hexadecimal digits."},
      {R"("\uD800")", "\uFFFD", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Scalar scalar = read_scalar(c.text, 0, c.text.size(), c.context);
    CHECK(scalar.value == c.value);
    CHECK(c.text.substr(scalar.end) == c.rest);
    CHECK(scalar.problem == c.problem);
  }
}

TEST_CASE("what YAML would read otherwise is quoted") {
  const std::vector<std::string> plain = {"claude",
                                          "0199a3f2-7c55-7b21-9a07-52a2f2d3a111",
                                          "12345678-1234-1234-1234-123456789012",
                                          "1234567e-1234-1234-1234-123456789012",
                                          "claude-sonnet-4.5",
                                          "a:b",
                                          "a#b",
                                          "./x/y",
                                          "it's",
                                          "1.2.3",
                                          "v1",
                                          "e3",
                                          "\u4E2D\u6587"};
  for (const std::string& value : plain) CHECK(write_scalar(value, ScalarContext::Block) == value);

  const std::vector<std::string> quoted = {"",
                                           "~",
                                           "null",
                                           "Null",
                                           "yes",
                                           "No",
                                           "on",
                                           "TRUE",
                                           "y",
                                           "=",
                                           "<<",
                                           "1",
                                           "-1",
                                           "+1",
                                           "1.5",
                                           ".5",
                                           "5.",
                                           "1e3",
                                           "1E-3",
                                           "0x1F",
                                           "0o17",
                                           "0b11",
                                           "1_000",
                                           ".inf",
                                           "-.INF",
                                           ".nan",
                                           "12:30",
                                           "2025-01-31",
                                           "2025-1-3T10:00:00Z",
                                           "a: b",
                                           "a:",
                                           "a #b",
                                           "#a",
                                           "@a",
                                           "`a",
                                           "%a",
                                           "&a",
                                           "*a",
                                           "!a",
                                           "|",
                                           ">",
                                           "-",
                                           "- a",
                                           "?",
                                           ":",
                                           ",",
                                           "[a",
                                           "]",
                                           "{a",
                                           "}",
                                           "'a",
                                           " a",
                                           "a "};
  for (const std::string& value : quoted) {
    CAPTURE(value);
    CHECK(write_scalar(value, ScalarContext::Block) == '"' + value + '"');
  }
  CHECK(write_scalar("a\"b\\\n\x01\u2028", ScalarContext::Block) ==
        R"("a\"b\\\n\U00000001\U00002028")");
  CHECK(write_scalar("\"a", ScalarContext::Block) == R"("\"a")");
  CHECK(write_scalar("a,b", ScalarContext::Block) == "a,b");
  CHECK(write_scalar("a,b", ScalarContext::Flow) == "\"a,b\"");
  CHECK(write_scalar("a:b", ScalarContext::Flow) == "\"a:b\"");
  CHECK(write_scalar("it's", ScalarContext::Block, ScalarStyle::SingleQuoted) == "'it''s'");
  CHECK(write_scalar("a\nb", ScalarContext::Block, ScalarStyle::SingleQuoted) == "\"a\\nb\"");
  CHECK(write_scalar("abc", ScalarContext::Block, ScalarStyle::DoubleQuoted) == "\"abc\"");
}

TEST_CASE("yaml-cpp reads what is written, and reads as a string what is written plain") {
  const std::vector<std::string_view> pieces = {
      "a",      "1",    "-",  ":",      " ",      "#",          "'",    "\"",        "\\", "{",
      "}",      ",",    "[",  "]",      "e",      "x",          ".",    "~",         "?",  "!",
      "&",      "*",    "|",  ">",      "@",      "%",          "_",    "\n",        "\t", "\u00E9",
      "\u4E2D", "null", "on", "0",      "T",      "=",          "<",    "+",         "\r", "`",
      "yes",    "/",    "--", "\u0085", "\u2028", "\U0001F600", "\x01", "2025-01-02"};
  test::RandomText random(7);
  for (int run = 0; run < 15'000; ++run) {
    std::string value;
    for (std::size_t left = random.below(6); left > 0; --left) value += random.pick(pieces);
    CAPTURE(value);
    for (const ScalarStyle style :
         {ScalarStyle::Plain, ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted}) {
      const std::string in_block =
          "key: " + write_scalar(value, ScalarContext::Block, style) + " # c\n";
      REQUIRE(YAML::Load(in_block)["key"].as<std::string>() == value);
      REQUIRE(read_scalar(in_block, 5, in_block.size(), ScalarContext::Block).value == value);
      const std::string in_flow =
          "{a: " + write_scalar(value, ScalarContext::Flow, style) + ", b: c}";
      REQUIRE(YAML::Load(in_flow)["a"].as<std::string>() == value);
      REQUIRE(read_scalar(in_flow, 4, in_flow.size(), ScalarContext::Flow).value == value);
    }
    // Only a scalar without a tag of its own can be something else than a string: "?" is such a
    // tag.
    const YAML::Node written = YAML::Load("key: " + write_scalar(value, ScalarContext::Block));
    bool as_bool = false;
    double as_number = 0;
    if (written["key"].Tag() == "?") {
      REQUIRE_FALSE(YAML::convert<bool>::decode(written["key"], as_bool));
      REQUIRE_FALSE(YAML::convert<double>::decode(written["key"], as_number));
      REQUIRE_FALSE(written["key"].IsNull());
    }
  }
}

}  // namespace agent_doc::markdown
