// The check of all traffic against the schema of the protocol: what it lets through and what it
// must find.
#include "tests/fakes/wire_check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fakes_wire_check_test {

using agent_doc::fakes::WireCheck;

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"experimental":{"agentDoc":{"turn":true}}}}})";
const std::string kTurn =
    R"("uri":"file:///d.md","turn":"t","phase":"writing","status":"","agent":"a","model":"","sessionId":"","usage":{"input":0,"output":0,"cacheRead":0,)"
    R"("cacheWrite":0,"costMicros":0},"elapsedMs":1,"replyLanded":true,"canContinue":false,"health":"")";
const std::string kQuestion = R"(,"permission":{"id":"p","tool":"T","detail":"","options":[]})";

std::string notification(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}";
}
std::string turn(const std::string& more) {
  return notification("agentDoc/turn", "{" + kTurn + more + "}");
}
std::string command(const std::string& name, const std::string& argument) {
  return R"({"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":")" +
         name + R"(","arguments":[)" + argument + "]}}";
}
std::string result(const std::string& value) {
  return R"({"jsonrpc":"2.0","id":1,"result":)" + value + "}";
}
std::string error(const std::string& value) {
  return R"({"jsonrpc":"2.0","id":1,"error":)" + value + "}";
}

/// The number of problems in a connection that begins with kInitialize; "<" before what the client
/// says, ">" before what the server says.
std::size_t problems(const std::vector<std::string>& bodies) {
  WireCheck check;
  check.from_client(kInitialize);
  for (const std::string& body : bodies) {
    if (body.front() == '<') check.from_client(std::string_view(body).substr(1));
    if (body.front() == '>') check.from_server(std::string_view(body).substr(1));
  }
  return check.take_problems().size();
}

TEST_CASE("wire check: notifications of ours") {
  CHECK(problems({">" + turn(R"(,"state":"running")")}) == 0);
  CHECK(problems({">" + turn(R"(,"state":"waiting")" + kQuestion)}) == 0);
  CHECK(problems({">" + turn(R"(,"state":"failed","failure":"why")")}) == 0);
  CHECK(problems({">" + turn("")}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"asleep")")}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"running","mood":"good")")}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"waiting")")}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"running")" + kQuestion)}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"done","failure":"why")")}) > 0);
  CHECK(problems({">" + turn(R"(,"state":"failed")")}) > 0);
  CHECK(problems({">" + notification("agentDoc/other", "{}")}) > 0);
  CHECK(problems({"<" + notification("agentDoc/turn", "{}")}) > 0);
  // The client did not ask for it.
  CHECK(problems({">" +
                  notification("agentDoc/reply",
                               R"({"uri":"file:///d.md","turn":"t","offset":0,"text":""})")}) == 1);
}

TEST_CASE("wire check: whatever else the server sends is known, too") {
  CHECK(problems({">" + notification("window/showMessage", R"({"type":1,"message":"m"})")}) == 0);
  CHECK(problems({">" + notification("window/showMessage",
                                     R"({"type":1,"message":"m","agentDocMore":1})")}) == 1);
  CHECK(problems({">" + notification("telemetry/event", "{}")}) == 1);
  CHECK(problems(
            {">" + notification(
                       "$/progress",
                       R"({"token":"agentDoc/t","value":{"kind":"end","message":"done"}})")}) == 0);
  CHECK(problems(
            {">" + notification("$/progress",
                                R"({"token":"t","value":{"kind":"end","message":"done"}})")}) == 1);
}

TEST_CASE("wire check: commands, their arguments and their results") {
  const std::string good = "<" + command("agentDoc.stop", R"({"uri":"file:///d.md"})");
  CHECK(problems({good, ">" + result(R"({"stopped":true})")}) == 0);
  CHECK(problems({good, ">" + result(R"({"stopped":true,"how":"hard"})")}) == 1);
  CHECK(problems({good, ">" + result("{}")}) == 1);
  CHECK(problems(
            {good, ">" + error(R"({"code":-32803,"message":"m","data":{"reason":"not-open"}})")}) ==
        0);
  CHECK(problems(
            {good, ">" + error(R"({"code":-32803,"message":"m","data":{"reason":"no idea"}})")}) ==
        1);
  CHECK(problems(
            {good, ">" + error(R"({"code":-32603,"message":"m","data":{"reason":"busy"}})")}) == 1);
  CHECK(problems({good, ">" + error(R"({"code":-1,"message":"m"})")}) == 1);
  // The server and the schema must agree on what is wrong.
  CHECK(problems({good, ">" + error(R"({"code":-32602,"message":"m"})")}) == 1);
  const std::string bad = "<" + command("agentDoc.stop", R"({"uri":7})");
  CHECK(problems({bad, ">" + error(R"({"code":-32602,"message":"m"})")}) == 0);
  CHECK(problems({bad, ">" + result(R"({"stopped":true})")}) == 1);
  const std::string unknown = "<" + command("agentDoc.fly", "{}");
  CHECK(problems({unknown, ">" + error(R"({"code":-32602,"message":"m"})")}) == 0);
  CHECK(problems({unknown, ">" + result("{}")}) == 1);
}

TEST_CASE("wire check: commands that the server offers") {
  const std::string asks =
      R"(<{"jsonrpc":"2.0","id":1,"method":"textDocument/codeLens","params":{}})";
  const auto lens = [](const std::string& command) {
    return ">" + result(R"([{"range":{},"command":{"title":"t",)" + command + "}}]");
  };
  CHECK(problems(
            {asks, lens(R"("command":"agentDoc.run","arguments":[{"uri":"file:///d.md"}])")}) == 0);
  CHECK(problems(
            {asks, lens(R"("command":"agentDoc.run","arguments":[{"url":"file:///d.md"}])")}) == 1);
  CHECK(problems({asks, lens(R"("command":"agentDoc.fly","arguments":[])")}) == 1);
}

TEST_CASE("wire check: what both sides announce") {
  const auto initialized = [](const std::string& ours, const std::string& commands) {
    return R"(>{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"executeCommandProvider":{"commands":)" +
           commands + R"(},"experimental":{"agentDoc":)" + ours + "}}}}";
  };
  const std::string ours = R"({"protocol":1,"version":"0.1.0"})";
  CHECK(problems({initialized(ours, R"(["agentDoc.run"])")}) == 0);
  CHECK(problems({initialized(ours, R"(["agentDoc.fly"])")}) == 1);
  CHECK(problems({initialized(R"({"version":"0.1.0"})", "[]")}) == 1);
  WireCheck check;
  check.from_client(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"experimental":{"agentDoc":{"turn":"odd"}}}}})");
  CHECK(check.take_problems().empty());
  check.from_client(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"agentDoc":{"tern":true}}}}})");
  CHECK(check.take_problems().size() == 1);
}

TEST_CASE("wire check: what was seen is remembered by the names of the schema") {
  WireCheck check;
  check.from_client(kInitialize);
  check.from_client(command("agentDoc.stop", "{}"));
  check.from_server(result(R"({"stopped":false})"));
  check.from_server(turn(R"(,"state":"running")"));
  CHECK(check.take_problems().empty());
  CHECK(check.seen() == WireCheck::Names{"agentDoc.stop", "agentDoc.stop.argument",
                                         "agentDoc.stop.result", "agentDoc/turn",
                                         "agentDoc/turn.params",
                                         "initialize.params.capabilities.experimental.agentDoc"});
}

}  // namespace fakes_wire_check_test
