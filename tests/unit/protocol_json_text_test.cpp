#include "protocol/json_text.hpp"

#include "protocol/json_repair.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>

#include <limits>

namespace agent_doc::protocol {
namespace json_text_test {

TEST_CASE("repair_lone_surrogates") {
  struct Case {
    std::string_view json;
    std::string_view repaired;
  };
  for (const Case& it : {
           Case{R"("plain")", R"("plain")"},
           Case{R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
           Case{R"("\uD83D\uDE00")", R"("\uD83D\uDE00")"},
           Case{R"("\ud83d")", R"("\ufffd")"},
           Case{R"("\uD83D")", R"("\ufffd")"},
           Case{R"("\ude00")", R"("\ufffd")"},
           Case{R"("\ud83dx")", R"("\ufffdx")"},
           Case{R"("\ud83d\u0041")", R"("\ufffd\u0041")"},
           Case{R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"},
           Case{R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
           Case{R"("\ud83d\ud83d")", R"("\ufffd\ufffd")"},
           Case{R"("\\ud83d")", R"("\\ud83d")"},
           Case{R"("\\\ud83d")", R"("\\\ufffd")"},
           Case{R"("\ud83d\\ude00")", R"("\ufffd\\ude00")"},
           Case{R"("\ud83")", R"("\ud83")"},
           Case{R"("\ud83g")", R"("\ud83g")"},
           Case{R"("\u+d83")", R"("\u+d83")"},
           Case{R"("\ud83d)", R"("\ufffd)"},
           Case{R"(\)", R"(\)"},
           Case{R"(\u)", R"(\u)"},
           Case{"", ""},
       }) {
    CAPTURE(it.json);
    CHECK(repair_lone_surrogates(it.json) == it.repaired);
  }
}

TEST_CASE("parse_json mends lone surrogates and nothing else") {
  CHECK(parse_json(R"({"a":"x\ud83d"})").value() ==
        boost::json::value(boost::json::object{{"a", "x\uFFFD"}}));
  CHECK(parse_json(R"("\ud83d\ude00")").value() == boost::json::value("😀"));
  for (const std::string_view bad :
       {"", "{", "[1,]", "{\"a\":1} x", "nul", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\xef\xbb\xbf{}", "\"\x01\"", "// c\n1",
        "\"\\ud83d", "01"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_json(bad).has_value());
  }
}

TEST_CASE("parse_json has a limit of depth") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_json(nested(kMaxJsonDepth)).has_value());
  CHECK(parse_json(nested(kMaxJsonDepth + 1)).error() == boost::json::error::too_deep);
  CHECK(parse_json(std::string(2'000'000, '[')).error() == boost::json::error::too_deep);
}

TEST_CASE("serialise_json writes only what a strict reader takes") {
  const double infinity = std::numeric_limits<double>::infinity();
  const boost::json::value value = boost::json::array{
      1, "a", boost::json::object{{"n", infinity}, {"m", -infinity}}, parse_json("1e400").value()};
  CHECK(serialise_json(value) == R"([1,"a",{"n":null,"m":null},null])");
  CHECK(serialise_json(boost::json::value(boost::json::object{{"path", "a\xff/b"}})) ==
        "{\"path\":\"a\uFFFD/b\"}");
  CHECK(quote_json("a\"\\\n\x01 Å") == R"("a\"\\\n\u0001 Å")");
  CHECK(quote_json("\xff") == "\"\uFFFD\"");
}

TEST_CASE("whole_number") {
  CHECK(whole_number(7) == 7);
  CHECK(whole_number(7.0) == 7);
  CHECK(whole_number(-0.0) == 0);
  CHECK(whole_number(9007199254740992.0) == 9007199254740992);
  CHECK(whole_number(std::numeric_limits<std::int64_t>::min()) ==
        std::numeric_limits<std::int64_t>::min());
  for (const char* not_whole : {"7.5", "1e400", "-1e400", "1e16", "18446744073709551616",
                                "9223372036854775808", "\"7\"", "null", "true", "[]"}) {
    CAPTURE(not_whole);
    CHECK_FALSE(whole_number(parse_json(not_whole).value()).has_value());
  }
}

}  // namespace json_text_test
}  // namespace agent_doc::protocol
