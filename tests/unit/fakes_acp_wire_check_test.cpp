// The check of what goes to an ACP agent against the schema of the protocol: what it lets through
// and what it must find.
#include "tests/fakes/acp_wire_check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fakes_acp_wire_check_test {

using agent_doc::fakes::AcpWireCheck;

std::string request(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
}

bool is_right(const std::string& line) {
  return AcpWireCheck().from_client(line).empty();
}

TEST_CASE("ACP wire check: requests and notifications") {
  CHECK(is_right(request(
      "initialize",
      R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"terminal":false}})")));
  CHECK(is_right(request("session/new", R"({"cwd":"/w","mcpServers":[],"_meta":{"anything":1}})")));
  CHECK(is_right(
      request("session/prompt", R"({"sessionId":"s","prompt":[{"type":"text","text":"hi"}]})")));
  CHECK(is_right(request("session/fork", R"({"sessionId":"s","cwd":"/w","mcpServers":[]})")));
  CHECK(is_right(request("session/set_model", R"({"sessionId":"s","modelId":"m"})")));
  CHECK(is_right(request("session/set_config_option",
                         R"({"sessionId":"s","configId":"mode","value":"ask"})")));
  CHECK(is_right(request("_of/ours", R"({})")));
  CHECK(is_right(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})"));
  for (const std::string& wrong : {
           std::string("no JSON"),
           std::string(R"({"id":1,"method":"authenticate","params":{"methodId":"m"}})"),
           std::string(
               R"({"jsonrpc":"2.0","id":true,"method":"authenticate","params":{"methodId":"m"}})"),
           request("initialize", "{}"),
           request("initialize",
                   R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFiles":true}}})"),
           request("initialize", R"({"protocolVersion":1,"clientcapabilities":{}})"),
           request("session/new", R"({"cwd":"/w"})"),
           request("session/prompt", R"({"sessionId":"s","prompt":"hi"})"),
           request("session/prompt",
                   R"({"sessionId":"s","prompt":[{"type":"words","text":"hi"}]})"),
           request("session/prompt", R"({"sessionId":"s","prompt":[{"type":"text"}]})"),
           request("session/set_config_option", R"({"sessionId":"s","configId":"mode"})"),
           request("session/cancel", R"({"sessionId":"s"})"),
           request("session/unknown", "{}"),
           std::string(R"({"jsonrpc":"2.0","method":"session/cancel","params":{}})"),
       }) {
    CAPTURE(wrong);
    CHECK_FALSE(is_right(wrong));
  }
}

TEST_CASE("ACP wire check: answers belong to what the agent asked, once") {
  AcpWireCheck check;
  const auto asked = [&check](const std::string& method) {
    check.from_agent(R"({"jsonrpc":"2.0","id":"q","method":")" + method + R"(","params":{}})");
  };
  const auto answered = [&check](const std::string& answer) {
    return check.from_client(R"({"jsonrpc":"2.0","id":"q",)" + answer + "}").empty();
  };
  CHECK_FALSE(answered(R"("result":{})"));
  asked("session/request_permission");
  CHECK(answered(R"("result":{"outcome":{"outcome":"selected","optionId":"a"}})"));
  CHECK_FALSE(answered(R"("result":{"outcome":{"outcome":"cancelled"}})"));
  asked("session/request_permission");
  CHECK(answered(R"("result":{"outcome":{"outcome":"cancelled"}})"));
  asked("session/request_permission");
  CHECK_FALSE(answered(R"("result":{"outcome":{"outcome":"selected"}})"));
  asked("fs/read_text_file");
  CHECK(answered(R"("result":{"content":""})"));
  asked("fs/read_text_file");
  CHECK_FALSE(answered(R"("result":{"text":""})"));
  asked("terminal/create");
  CHECK(answered(R"("error":{"code":-32601,"message":"unknown"})"));
  asked("terminal/create");
  CHECK_FALSE(answered(R"("error":{"message":"unknown"})"));
  asked("terminal/create");
  CHECK_FALSE(answered(R"("result":{})"));
  asked("fs/write_text_file");
  CHECK_FALSE(answered(R"("result":{},"error":{"code":1,"message":""})"));
}

}  // namespace fakes_acp_wire_check_test
