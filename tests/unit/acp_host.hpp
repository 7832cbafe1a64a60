// What it is: a host for an ACP agent without a process, and the messages that its tests have in
// common.
// What it is not: what any agent does (protocol_host.hpp).
// Thread rule: one thread.
#pragma once

#include "plugins/acp/acp.hpp"
#include "plugins/failure.hpp"
#include "plugins/system_note.hpp"
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::plugins::acp_test {

namespace json = boost::json;

using tests::Told;

inline constexpr std::string_view kAll =
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{},"resume":{}}}})";
inline constexpr std::string_view kLoadOnly =
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})";
inline constexpr std::string_view kNothing = R"({"protocolVersion":1})";

/// In a mode that asks, so that nothing has to be said of it.
inline const std::string kAsking =
    R"("modes":{"currentModeId":"ask","availableModes":[{"id":"ask"}]})";
inline const std::string kSession = R"({"sessionId":"s",)" + kAsking + "}";

inline AgentSpec spec_of(const std::string& dialect) {
  return {"agent", dialect, "agent", {}, {}};
}

class Host : public tests::ProtocolHost {
 public:
  explicit Host(const LaunchRequest& request = new_session(), const std::string& dialect = "acp")
      : ProtocolHost(make_acp(spec_of(dialect))) {
    launch = protocol->launch(request);
  }

  static LaunchRequest new_session() {
    LaunchRequest request;
    request.cwd = "/w";
    return request;
  }
  static LaunchRequest old_session(SessionStart start) {
    LaunchRequest request = new_session();
    request.start = start;
    request.session_id = "old";
    return request;
  }

  /// All that goes to the agent is held against the schema of the protocol.
  void write_line(std::string line) override {
    CAPTURE(line);
    CHECK(check_.from_client(line) == Told{});
    ProtocolHost::write_line(std::move(line));
  }
  Told line(std::string_view text) {
    check_.from_agent(text);
    return ProtocolHost::line(text);
  }

  Told answer(int id, std::string_view result) {
    return line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" +
                std::string(result) + "}");
  }
  Told refuse(int id, int code, const std::string& message, const std::string& more = {}) {
    return line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
                std::to_string(code) + R"(,"message":")" + message + R"(")" + more + "}}");
  }
  Told update(const std::string& update) {
    return line(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)" +
        update + "}}");
  }
  Told text(const std::string& text, const std::string& more = {}) {
    return update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" +
                  text + R"("})" + more + "}");
  }
  /// A turn whose prompt was sent, as request 3.
  void begin_answer(std::string_view session = kSession) {
    begin();
    answer(1, kAll);
    answer(2, session);
    written();
    events();
  }
  Told end(std::string_view stop_reason) {
    return answer(3, R"({"stopReason":")" + std::string(stop_reason) + R"("})");
  }

  Launch launch;

 private:
  fakes::AcpWireCheck check_;
};

/// How a failed turn is told.
inline Told failed(FailureKind kind, std::string_view text) {
  return {"failure " + std::to_string(static_cast<int>(kind)) + " " +
              describe_failure(kind, text, spec_of("acp")).message,
          "failed ''"};
}

inline std::string request(int id, std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) +
         R"(","params":)" + std::string(params) + "}";
}

inline std::string prompt_request(int id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":")" +
         std::string(text) + R"("}]}})";
}

inline std::string first_prompt_request(int id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":")" +
         std::string(text) + R"("},{"type":"text","text":)" +
         json::serialize(json::string("\n\n" + std::string(kSystemNote))) + "}]}}";
}

inline std::string barrier_request(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"_agent-doc/barrier","params":{}})";
}

inline const std::string kQuestion =
    R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t1","title":"Write out.txt","kind":"edit","locations":[{"path":"/w/out.txt"}]},"options":[{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"b","name":"Always","kind":"allow_always"},{"optionId":"c","name":"No","kind":"reject_once"}]}})";

}  // namespace agent_doc::plugins::acp_test
