#include "protocol/jsonrpc.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>

namespace agent_doc::protocol {
namespace jsonrpc_test {

std::string id_text(const std::optional<Id>& id) {
  return id ? to_json(*id) : "-";
}

std::string error_text(const Error& error) {
  const std::string data = error.data.is_null() ? "" : " " + serialise_json(error.data);
  return std::to_string(static_cast<int>(error.code)) + " " + error.message + data;
}

/// One line that tells everything parse_message() found.
std::string classified(std::string_view body) {
  const Message message = parse_message(body);
  if (const auto* it = std::get_if<Request>(&message))
    return "request " + to_json(it->id) + " " + it->method + " " + serialise_json(it->params);
  if (const auto* it = std::get_if<Notification>(&message))
    return "notification " + it->method + " " + serialise_json(it->params);
  if (const auto* it = std::get_if<Invalid>(&message))
    return "invalid " + id_text(it->id) + " " + error_text(it->error);
  const Response& response = std::get<Response>(message);
  if (const auto* error = std::get_if<Error>(&response.result))
    return "error " + id_text(response.id) + " " + error_text(*error);
  return "result " + id_text(response.id) + " " +
         serialise_json(std::get<boost::json::value>(response.result));
}

TEST_CASE("parse_message tells every kind of message") {
  struct Case {
    std::string_view body;
    std::string_view found;
  };
  for (
      const Case& it : {
          // requests and notifications
          Case{R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}})",
               R"(request 1 m {"a":1})"},
          Case{R"({"jsonrpc":"2.0","id":"x","method":"m","params":[1]})", R"(request "x" m [1])"},
          Case{R"({"jsonrpc":"2.0","id":"","method":"","params":null})", R"(request ""  null)"},
          Case{R"({"jsonrpc":"2.0","id":-9223372036854775808,"method":"m"})",
               "request -9223372036854775808 m null"},
          Case{R"({"jsonrpc":"2.0","id":7.0,"method":"m"})", "request 7 m null"},
          Case{R"({"jsonrpc":"2.0","method":"m"})", "notification m null"},
          Case{R"( {"more":1,"params":{},"method":"m","jsonrpc":"2.0"} )", "notification m {}"},
          Case{R"({"jsonrpc":"2.0","id":1,"method":"m","result":1})", "request 1 m null"},
          // ids that are none
          Case{R"({"jsonrpc":"2.0","id":null,"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":1e400,"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":true,"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":{},"method":"m"})",
               "invalid - -32600 the id must be an integer or a string"},
          Case{R"({"jsonrpc":"2.0","id":[],"result":1})",
               "invalid - -32600 the id must be an integer or a string"},
          // not a call
          Case{R"({"jsonrpc":"2.0","id":1,"method":7})",
               "invalid 1 -32600 the method must be a string"},
          Case{R"({"jsonrpc":"2.0","method":null})",
               "invalid - -32600 the method must be a string"},
          Case{R"({"jsonrpc":"2.0","id":1,"method":"m","params":"p"})",
               "invalid 1 -32600 the params must be an object or an array"},
          Case{R"({"jsonrpc":"2.0","method":"m","params":0})",
               "invalid - -32600 the params must be an object or an array"},
          Case{R"({"jsonrpc":"1.0","id":1,"method":"m"})",
               R"(invalid 1 -32600 "jsonrpc" must be "2.0")"},
          Case{R"({"jsonrpc":2.0,"id":1,"method":"m"})",
               R"(invalid 1 -32600 "jsonrpc" must be "2.0")"},
          Case{R"({"id":"a","method":"m"})", R"(invalid "a" -32600 "jsonrpc" must be "2.0")"},
          Case{R"({"id":null,"method":"m"})", R"(invalid - -32600 "jsonrpc" must be "2.0")"},
          Case{R"({})", R"(invalid - -32600 "jsonrpc" must be "2.0")"},
          Case{R"({"jsonrpc":"2.0"})",
               "invalid - -32600 the message has no method, no result and no error"},
          Case{R"({"jsonrpc":"2.0","id":3})",
               "invalid 3 -32600 the message has no method, no result and no error"},
          Case{R"({"jsonrpc":"2.0","id":3,"error":null})",
               "invalid 3 -32600 the message has no method, no result and no error"},
          // batches and other JSON
          Case{R"([])",
               "invalid - -32600 batches are not supported: send every message on its own"},
          Case{R"([{"jsonrpc":"2.0","id":1,"method":"m"}])",
               "invalid - -32600 batches are not supported: send every message on its own"},
          Case{R"("m")", "invalid - -32600 the message is not a JSON object"},
          Case{R"(1)", "invalid - -32600 the message is not a JSON object"},
          Case{R"(null)", "invalid - -32600 the message is not a JSON object"},
          // responses
          Case{R"({"jsonrpc":"2.0","id":1,"result":{"a":[1]}})", R"(result 1 {"a":[1]})"},
          Case{R"({"jsonrpc":"2.0","id":"s","result":null})", R"(result "s" null)"},
          Case{R"({"jsonrpc":"2.0","id":1,"result":1,"error":null})", "result 1 1"},
          Case{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})",
               "error 1 -32601 no"},
          Case{
              R"({"jsonrpc":"2.0","id":1,"error":{"code":32603,"message":"eglot","data":{"x":1}}})",
              R"(error 1 32603 eglot {"x":1})"},
          Case{R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}})",
               "error 1 1 m"},
          Case{R"({"jsonrpc":"2.0","id":1,"error":{}})", "error 1 -32603 "},
          Case{R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":5}})", "error 1 -32603 "},
          Case{R"({"jsonrpc":"2.0","id":1,"error":{"code":99999999999,"message":"m"}})",
               "error 1 -32603 m"},
          Case{R"({"jsonrpc":"2.0","id":1,"error":"boom"})",
               R"(error 1 -32603 the answer is an error that is not an object "boom")"},
          Case{R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}})",
               "error - -32700 bad"},
          Case{R"({"jsonrpc":"2.0","result":1})", "invalid - -32600 the response has no id"},
      }) {
    CAPTURE(it.body);
    CHECK(classified(it.body) == it.found);
  }
}

TEST_CASE("bodies that are not JSON") {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("{}{}"),
        std::string("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"),
        std::string("{\"a\":\"\xed\xa0\x80\"}"), std::string(kMaxJsonDepth + 1, '[')}) {
    CAPTURE(body);
    const std::string found = classified(body);
    CHECK(found.starts_with("invalid - -32700 the message is not valid JSON: "));
  }
}

TEST_CASE("a lone surrogate does not cost the message") {
  CHECK(classified(R"({"jsonrpc":"2.0","method":"m","params":["a\ud83d","\ud83d\ude00"]})") ==
        "notification m [\"a\uFFFD\",\"😀\"]");
}

TEST_CASE("the length of an id is limited") {
  const auto request = [](std::size_t bytes) {
    return R"({"jsonrpc":"2.0","id":")" + std::string(bytes, 'i') + R"(","method":"m"})";
  };
  CHECK(classified(request(kMaxIdBytes)) ==
        "request \"" + std::string(kMaxIdBytes, 'i') + "\" m null");
  CHECK(classified(request(kMaxIdBytes + 1)) ==
        "invalid - -32600 the id must be an integer or a string");
}

TEST_CASE("what is written, byte for byte") {
  const boost::json::value params = boost::json::object{{"a", 1}};
  CHECK(serialise_request(Id(1), "m/n", params) ==
        R"({"jsonrpc":"2.0","id":1,"method":"m/n","params":{"a":1}})");
  CHECK(serialise_request(Id("a\"b"), "m", nullptr) ==
        R"({"jsonrpc":"2.0","id":"a\"b","method":"m"})");
  CHECK(serialise_notification("m", boost::json::array{}) ==
        R"({"jsonrpc":"2.0","method":"m","params":[]})");
  CHECK(serialise_notification("m", nullptr) == R"({"jsonrpc":"2.0","method":"m"})");
  CHECK(serialise_result(Id(-5), nullptr) == R"({"jsonrpc":"2.0","id":-5,"result":null})");
  CHECK(serialise_error(Id(1), Error{ErrorCode::RequestFailed, "no \xff",
                                     boost::json::object{{"reason", "busy"}}}) ==
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32803,\"message\":\"no "
        "\uFFFD\",\"data\":{\"reason\":\"busy\"}}}");
  CHECK(serialise_error(std::nullopt, Error{ErrorCode::ParseError, "x", {}}) ==
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}})");
}

TEST_CASE("what is written is read back") {
  CHECK(classified(serialise_request(Id("1"), "m", boost::json::object{{"t", "\u2028\n\"😀"}})) ==
        "request \"1\" m {\"t\":\"\u2028\\n\\\"😀\"}");
  CHECK(classified(serialise_notification("m", nullptr)) == "notification m null");
  CHECK(classified(serialise_result(Id(3), true)) == "result 3 true");
  CHECK(classified(serialise_error(Id(3), Error{ErrorCode::ContentModified, "m", 5})) ==
        "error 3 -32801 m 5");
}

}  // namespace jsonrpc_test
}  // namespace agent_doc::protocol
