// The validator of the protocol's schema: what it must take, what it must refuse, and that nothing
// in a schema is passed over.
#include "tests/fakes/json_schema.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <stdexcept>
#include <string>

namespace fakes_json_schema_test {

namespace json = boost::json;
using agent_doc::fakes::JsonSchema;

/// What is wrong with `value` by `schema`.
std::vector<std::string> problems(const std::string& schema, const std::string& value) {
  const JsonSchema whole(json::object{
      {"$defs", json::object{{"It", json::parse(schema)},
                             {"Name/with~signs", json::parse(R"({"type": "null"})")}}}});
  return whole.problems("It", json::parse(value));
}

struct Row {
  const char* schema;
  const char* right;
  const char* wrong;
};

TEST_CASE("schema: each keyword takes what it should and refuses what it must") {
  for (const Row& row : {
           Row{R"({"type": "null"})", "null", "0"},
           Row{R"({"type": "boolean"})", "false", "0"},
           Row{R"({"type": "integer"})", "3", "3.5"},
           Row{R"({"type": "integer"})", "3.0", "\"3\""},
           Row{R"({"type": "number"})", "3.5", "\"3.5\""},
           Row{R"({"type": "string"})", "\"\"", "[]"},
           Row{R"({"type": "array"})", "[1]", "{}"},
           Row{R"({"type": "object"})", "{}", "[]"},
           Row{R"({"type": ["string", "null"]})", "null", "1"},
           Row{R"({"const": {"a": [1]}})", R"({"a": [1]})", R"({"a": [2]})"},
           Row{R"({"const": 1})", "1", "true"},
           Row{R"({"enum": ["a", 1]})", "1", "\"b\""},
           Row{R"({"pattern": "^a/.+"})", "\"a/b\"", "\"xa/b\""},
           Row{R"({"minLength": 2})", "\"äö\"", "\"ä\""},
           Row{R"({"maxLength": 2})", "\"⏰⏰\"", "\"⏰⏰⏰\""},
           Row{R"({"minimum": 0})", "0", "-1"},
           Row{R"({"maximum": 2147483647})", "2147483647", "2147483648"},
           Row{R"({"properties": {"a": {"type": "string"}}})", R"({"b": 1})", R"({"a": 1})"},
           Row{R"({"properties": {"a": true}, "additionalProperties": false})", R"({"a": 1})",
               R"({"a": 1, "b": 1})"},
           Row{R"({"properties": {"a": false}})", R"({"b": 1})", R"({"a": 1})"},
           Row{R"({"additionalProperties": {"type": "null"}})", R"({"a": null})", R"({"a": 1})"},
           Row{R"({"required": ["a", "b"]})", R"({"a": 1, "b": null})", R"({"a": 1})"},
           Row{R"({"minProperties": 1})", R"({"a": 1})", "{}"},
           Row{R"({"maxProperties": 1})", R"({"a": 1})", R"({"a": 1, "b": 2})"},
           Row{R"({"items": {"type": "null"}})", "[null, null]", "[null, 1]"},
           Row{R"({"minItems": 1})", "[1]", "[]"},
           Row{R"({"maxItems": 1})", "[1]", "[1, 2]"},
           Row{R"({"oneOf": [{"type": "integer"}, {"minimum": 5}]})", "3", "7"},
           Row{R"({"oneOf": [{"type": "integer"}, {"type": "null"}]})", "null", "\"a\""},
           Row{R"({"anyOf": [{"type": "integer"}, {"minimum": 5}]})", "7", "1.5"},
           Row{R"({"allOf": [{"type": "integer"}, {"minimum": 5}]})", "7", "3"},
           Row{R"({"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}})",
               R"({"a": 1, "b": 2})", R"({"a": 1})"},
           Row{R"({"if": {"properties": {"a": {"const": 1}}}, "else": {"required": ["b"]}})",
               R"({"a": 1})", R"({"a": 2})"},
           Row{R"({"$ref": "#/$defs/Name~1with~0signs"})", "null", "1"},
           Row{R"({"$ref": "#/$defs/Name~1with~0signs", "minLength": 1, "description": "d"})",
               "null", "\"a\""},
           Row{"true", "1", nullptr},
           Row{"false", nullptr, "1"},
       }) {
    CAPTURE(row.schema);
    if (row.right != nullptr) CHECK(problems(row.schema, row.right).empty());
    if (row.wrong != nullptr) CHECK_FALSE(problems(row.schema, row.wrong).empty());
  }
}

TEST_CASE("schema: a keyword says nothing of values of another type") {
  for (const char* schema :
       {R"({"minLength": 5})", R"({"pattern": "x"})", R"({"required": ["a"]})",
        R"({"minItems": 2})", R"({"items": false})", R"({"additionalProperties": false})"}) {
    CAPTURE(schema);
    CHECK(problems(schema, "7").empty());
  }
}

TEST_CASE("schema: a problem tells its place, and all problems are told") {
  const std::string schema =
      R"({"properties": {"a": {"items": {"properties": {"b": {"type": "string"}}, "additionalProperties": false}}}, "required": ["z"]})";
  CHECK(problems(schema, R"({"a": [{"b": "x"}, {"b": 1, "c": 2}]})") ==
        std::vector<std::string>{": lacks \"z\"", "/a/1/b: 1 is not of type \"string\"",
                                 "/a/1/c: must not be here"});
}

TEST_CASE("schema: nothing in a schema is passed over") {
  for (const char* schema : {
           R"({"minContains": 1})",
           R"({"properties": {"a": {"format": "uri"}}})",
           R"({"items": {"if": {"uniqueItems": true}}})",
           R"({"$ref": "#/$defs/Nothing"})",
           R"({"$ref": "other.json#/$defs/It"})",
           R"({"$ref": "#/$defs/It/properties"})",
           R"({"type": "text"})",
           R"({"type": 1})",
           R"({"required": "a"})",
           R"({"required": [1]})",
           R"({"properties": []})",
           R"({"properties": {"a": 1}})",
           R"({"minimum": "0"})",
           R"({"oneOf": []})",
           R"({"enum": {}})",
           R"("a")",
       }) {
    CAPTURE(schema);
    CHECK_THROWS_AS(problems(schema, "1"), std::runtime_error);
  }
  CHECK_THROWS_AS(JsonSchema(json::parse(R"({"type": "string"})")), std::runtime_error);
}

TEST_CASE("schema: definitions in their order") {
  const JsonSchema schema(json::parse(R"({"$defs": {"b": {"const": 1}, "a": true}})"));
  CHECK(schema.definitions() == std::vector<std::string>{"b", "a"});
  CHECK(schema.has("a"));
  CHECK_FALSE(schema.has("c"));
  CHECK(schema.definition("b") == json::parse(R"({"const": 1})"));
}

}  // namespace fakes_json_schema_test
