#include "protocol/fields.hpp"

#include "protocol/jsonrpc.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>

namespace agent_doc::protocol {
namespace fields_test {

/// What `read` complains about; empty when it does not.
std::string complaint(std::string_view json, const std::function<void(const Fields&)>& read) {
  const boost::json::value value = parse_json(json).value();
  try {
    read(Fields(value, "params"));
  } catch (const InvalidField& problem) {
    CHECK(problem.to_error().code == ErrorCode::InvalidParams);
    CHECK(problem.to_error().message == problem.message());
    return problem.message();
  }
  return "";
}

TEST_CASE("fields of the right type are read") {
  const boost::json::value value =
      parse_json(
          R"({"textDocument":{"uri":"file:///a","version":3.0},"nothing":null,"yes":true,"n":-7,
      "changes":[{"text":"a"},{"text":"b"}],"words":["x","y"],"empty":[],"token":"t"})")
          .value();
  const Fields params(value, "params");
  CHECK(params.path() == "params");
  CHECK(params.object("textDocument").path() == "params.textDocument");
  CHECK(params.object("textDocument").string("uri") == "file:///a");
  CHECK(params.object("textDocument").view("uri") == "file:///a");
  CHECK(params.object("textDocument").integer("version") == 3);
  CHECK(params.integer("n", {-7, -7}) == -7);
  CHECK(params.boolean("yes"));
  CHECK(params.optional_string("token") == "t");
  CHECK(params.optional_integer("n") == -7);
  CHECK(params.optional_boolean("yes") == true);
  CHECK(params.optional_object("textDocument")->string("uri") == "file:///a");
  CHECK(params.strings("words") == std::vector<std::string>{"x", "y"});
  CHECK(params.array("words").size() == 2);
  CHECK(params.strings("empty").empty());
  CHECK(params.objects("changes")[1].path() == "params.changes[1]");
  CHECK(params.objects("changes")[1].string("text") == "b");
  CHECK(params.any("nothing").is_null());
  CHECK(params.find("absent") == nullptr);
  CHECK(params.has("token"));
}

TEST_CASE("absent and null are nothing") {
  for (const std::string_view json : {R"({})", R"({"f":null})"}) {
    const boost::json::value value = parse_json(json).value();
    const Fields params(value, "params");
    CHECK_FALSE(params.has("f"));
    CHECK_FALSE(params.optional_string("f").has_value());
    CHECK_FALSE(params.optional_integer("f").has_value());
    CHECK_FALSE(params.optional_boolean("f").has_value());
    CHECK_FALSE(params.optional_object("f").has_value());
    CHECK(params.optional_array("f") == nullptr);
  }
}

TEST_CASE("a wrong field is named with its whole path") {
  struct Case {
    std::string_view json;
    std::function<void(const Fields&)> read;
    std::string_view complaint;
  };
  const auto string = [](const Fields& it) { it.string("f"); };
  const auto optional_string = [](const Fields& it) { it.optional_string("f"); };
  const auto integer = [](const Fields& it) { it.integer("f"); };
  const auto small = [](const Fields& it) { it.integer("f", {0, 9}); };
  const auto boolean = [](const Fields& it) { it.boolean("f"); };
  const auto object = [](const Fields& it) { it.object("f"); };
  const auto array = [](const Fields& it) { it.array("f"); };
  const auto objects = [](const Fields& it) { it.objects("f"); };
  const auto strings = [](const Fields& it) { it.strings("f"); };
  for (const Case& it : {
           Case{R"([])", string, "params: expected an object"},
           Case{R"(null)", string, "params: expected an object"},
           Case{R"({})", string, "params.f: expected a string"},
           Case{R"({"f":null})", string, "params.f: expected a string"},
           Case{R"({"f":1})", string, "params.f: expected a string"},
           Case{R"({"f":1})", optional_string, "params.f: expected a string"},
           Case{R"({"f":"x"})", optional_string, ""},
           Case{R"({})", integer, "params.f: expected an integer"},
           Case{R"({"f":"1"})", integer, "params.f: expected an integer"},
           Case{R"({"f":1.5})", integer, "params.f: expected an integer"},
           Case{R"({"f":1e400})", integer, "params.f: expected an integer"},
           Case{R"({"f":18446744073709551615})", integer, "params.f: expected an integer"},
           Case{R"({"f":10})", small, "params.f: expected an integer from 0 to 9"},
           Case{R"({"f":-1})", small, "params.f: expected an integer from 0 to 9"},
           Case{R"({"f":"x"})", [](const Fields& f) { f.optional_integer("f", {.least = 0}); },
                "params.f: expected an integer of at least 0"},
           Case{R"({"f":1})", [](const Fields& f) { f.integer("f", {.most = 0}); },
                "params.f: expected an integer of at most 0"},
           Case{R"({"f":1})", boolean, "params.f: expected true or false"},
           Case{R"({"f":"true"})", [](const Fields& f) { f.optional_boolean("f"); },
                "params.f: expected true or false"},
           Case{R"({})", object, "params.f: expected an object"},
           Case{R"({"f":[]})", object, "params.f: expected an object"},
           Case{R"({"f":5})", [](const Fields& f) { f.optional_object("f"); },
                "params.f: expected an object"},
           Case{R"({"f":{"g":1}})", [](const Fields& f) { f.object("f").string("g"); },
                "params.f.g: expected a string"},
           Case{R"({})", array, "params.f: expected an array"},
           Case{R"({"f":{}})", [](const Fields& f) { f.optional_array("f"); },
                "params.f: expected an array"},
           Case{R"({"f":[{},3]})", objects, "params.f[1]: expected an object"},
           Case{R"({"f":[{"g":{"h":[{}]}}]})",
                [](const Fields& f) { f.objects("f")[0].object("g").objects("h")[0].string("i"); },
                "params.f[0].g.h[0].i: expected a string"},
           Case{R"({"f":["a",3]})", strings, "params.f[1]: expected a string"},
           Case{R"({})", [](const Fields& f) { f.any("f"); }, "params.f: expected a value"},
           Case{R"({"f":1})", [](const Fields& f) { throw f.invalid("f", "a file URI"); },
                "params.f: expected a file URI"},
       }) {
    CAPTURE(it.json);
    CHECK(complaint(it.json, it.read) == it.complaint);
  }
}

}  // namespace fields_test
}  // namespace agent_doc::protocol
