#include "plugins/json_rpc_lines.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {
namespace json_rpc_lines_test {

class Lines final : public Actions {
 public:
  void emit(const AgentEvent& event) override {
    if (const auto* unknown = std::get_if<Unrecognised>(&event)) {
      heard.push_back("unknown " + std::string(unknown->type));
    } else {
      heard.push_back("malformed " + std::string(std::get<Malformed>(event).line));
    }
  }
  void write_line(std::string line) override { written.push_back(std::move(line)); }
  void close_stdin() override { FAIL("it writes lines only"); }
  void send_signal(Signal) override { FAIL("it writes lines only"); }
  void read_file(FileRead) override { FAIL("it writes lines only"); }
  void write_file(FileWrite) override { FAIL("it writes lines only"); }

  std::vector<std::string> written;
  std::vector<std::string> heard;
};

std::string text_of(const RpcId& id) {
  const std::int64_t* number = std::get_if<std::int64_t>(&id);
  return number != nullptr ? std::to_string(*number) : "\"" + std::get<std::string>(id) + "\"";
}

/// Writes down what it is given, in words.
class Describe final : public RpcReceiver {
 public:
  explicit Describe(std::vector<std::string>& heard) : heard_(heard) {}

  void on_request(const RpcRequest& request, Actions&) override {
    heard_.push_back("request " + text_of(request.id) + " " + std::string(request.method) + " " +
                     boost::json::serialize(request.params));
  }
  void on_notification(const RpcNotification& notification, Actions&) override {
    heard_.push_back("notification " + std::string(notification.method) + " " +
                     boost::json::serialize(notification.params));
  }
  void on_answer(const RpcAnswer& answer, Actions&) override {
    const std::string head =
        "answer " + std::to_string(answer.id) + " " + std::string(answer.method) + " ";
    if (!answer.error) return heard_.push_back(head + boost::json::serialize(*answer.result));
    const std::string data =
        answer.error->data != nullptr ? " " + boost::json::serialize(*answer.error->data) : "";
    heard_.push_back(head + "error " + std::to_string(answer.error->code) + " " +
                     std::string(answer.error->message) + data);
  }

 private:
  std::vector<std::string>& heard_;
};

TEST_CASE("JsonRpcLines reads what an agent may send") {
  const std::string long_name(kMaxRpcName + 1, 'x');
  struct Case {
    std::string line;
    std::vector<std::string> messages;
  };
  const std::vector<Case> cases = {
      {R"({"method":"a/b","params":{"x":1}})", {R"(notification a/b {"x":1})"}},
      {R"({"jsonrpc":"2.0","method":"a"})", {"notification a {}"}},
      {R"({"method":"a","params":[1]})", {"notification a {}"}},
      {R"({"id":0,"method":"a","params":{"x":1}})", {R"(request 0 a {"x":1})"}},
      {R"({"params":{"x":1},"method":"a","id":"q"})", {R"(request "q" a {"x":1})"}},
      {R"({"id":null,"method":"a"})", {"unknown (request without a usable id)"}},
      {R"({"id":1.5,"method":"a"})", {"unknown (request without a usable id)"}},
      {R"({"id":")" + long_name + R"(","method":"a"})", {"unknown (request without a usable id)"}},
      {R"({"id":1,"method":")" + long_name + R"("})", {"unknown (no method)"}},
      {R"({"id":1,"result":{"y":2}})", {R"(answer 1 first {"y":2})"}},
      {R"({"id":1,"result":null})", {"answer 1 first null"}},
      {R"({"id":1})", {"answer 1 first null"}},
      {R"({"id":1,"result":{},"error":null})", {"answer 1 first {}"}},
      {R"({"id":2,"error":{"code":-32600,"message":"no","data":{"why":"x"}}})",
       {R"(answer 2 second error -32600 no {"why":"x"})"}},
      {R"({"id":2,"error":"no"})", {"answer 2 second error 0 an error that says nothing"}},
      {R"({"id":3,"result":{}})", {"unknown (answer to no request)"}},
      {R"({"id":"1","result":{}})", {"unknown (answer to no request)"}},
      {R"({"id":1,"result":{}}{"id":1,"result":{}} {"method":"m"})",
       {"answer 1 first {}", "unknown (answer to no request)", "notification m {}"}},
      {"{}", {"unknown (no method)"}},
      {"", {}},
      {R"({"method":"a"} oops)", {"notification a {}", "malformed oops"}},
      {"Segmentation fault", {"malformed Segmentation fault"}},
  };
  for (const Case& test : cases) {
    CAPTURE(test.line);
    JsonRpcLines rpc(JsonRpcLines::Version::Omitted);
    Lines lines;
    CHECK(rpc.request("first", {}, lines) == 1);
    CHECK(rpc.request("second", {}, lines) == 2);
    Describe describe(lines.heard);
    rpc.deliver(test.line, describe, lines);
    CHECK(lines.heard == test.messages);
  }
}

TEST_CASE(
    "JsonRpcLines writes requests, notifications, answers and refusals, with the version or "
    "without") {
  for (const JsonRpcLines::Version version :
       {JsonRpcLines::Version::Omitted, JsonRpcLines::Version::Included}) {
    JsonRpcLines rpc(version);
    Lines lines;
    static_cast<void>(rpc.request("session/new", {{"cwd", "/p"}}, lines));
    rpc.notify("initialized", {}, lines);
    rpc.notify("session/cancel", {{"sessionId", "s"}}, lines);
    rpc.answer(RpcId(std::int64_t{0}), boost::json::object{{"decision", "accept"}}, lines);
    rpc.answer(RpcId(std::string("q")), nullptr, lines);
    rpc.refuse(RpcId(std::int64_t{4}), kRpcInvalidParams, "no path", lines);
    rpc.refuse_unknown({RpcId(std::int64_t{5}), "terminal/create", {}}, lines);
    const std::vector<std::string> bodies = {
        R"("id":1,"method":"session/new","params":{"cwd":"/p"}})",
        R"("method":"initialized"})",
        R"("method":"session/cancel","params":{"sessionId":"s"}})",
        R"("id":0,"result":{"decision":"accept"}})",
        R"("id":"q","result":null})",
        R"("id":4,"error":{"code":-32602,"message":"no path"}})",
        R"("id":5,"error":{"code":-32601,"message":"agent-doc does not know the method \"terminal/create\""}})",
    };
    const std::string begin =
        version == JsonRpcLines::Version::Included ? R"({"jsonrpc":"2.0",)" : "{";
    std::vector<std::string> expected;
    for (const std::string& body : bodies) expected.push_back(begin + body);
    CHECK(lines.written == expected);
  }
}

}  // namespace json_rpc_lines_test
}  // namespace agent_doc::plugins
