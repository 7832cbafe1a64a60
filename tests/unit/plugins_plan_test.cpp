// `permissions = "plan"`: no agent may change files, however its session begins.
#include "plugins/registry.hpp"
#include "tests/unit/acp_host.hpp"
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::plugins::plan_test {

using tests::Told;

LaunchRequest planning(SessionStart start) {
  LaunchRequest request;
  request.start = start;
  request.session_id = start == SessionStart::New ? "" : "S";
  request.cwd = "/w";
  request.permissions = PermissionPolicy::Plan;
  return request;
}

constexpr SessionStart kStarts[] = {SessionStart::New, SessionStart::Resume, SessionStart::Fork};

TEST_CASE(
    "plan: every agent that has such a mode is started in it, in a new session, an old one and a "
    "fork") {
  const std::vector<std::pair<std::string, std::string>> modes = {
      {"claude", "--permission-mode plan"},      {"codex-exec", "-c sandbox_mode=\"read-only\""},
      {"gemini-stream", "--approval-mode plan"}, {"opencode-run", "--agent plan"},
      {"cursor-agent", "--mode plan"},
  };
  for (const auto& [dialect, mode] : modes) {
    for (const SessionStart start : kStarts) {
      CAPTURE(dialect);
      CAPTURE(static_cast<int>(start));
      std::string line = " ";
      for (const std::string& arg :
           make_protocol({dialect, dialect, "agent", {}, {}})->launch(planning(start)).args)
        line += arg + " ";
      CHECK(line.find(" " + mode + " ") != std::string::npos);
    }
  }
}

TEST_CASE("plan: every thread of codex is read-only, and nobody is asked to make it more") {
  for (const SessionStart start : kStarts) {
    CAPTURE(static_cast<int>(start));
    codex_test::AppServer host(planning(start));
    host.begin();
    static_cast<void>(host.line(codex_test::kInitialized));
    const boost::json::value params = boost::json::parse(host.written().at(1)).at("params");
    CHECK(params.at("approvalPolicy") == "never");
    CHECK(params.at("sandbox") == "read-only");
  }
}

TEST_CASE(
    "plan: of an ACP agent that can only ask every tool that changes something is denied, and no "
    "other") {
  const std::vector<std::pair<std::string, bool>> kinds = {
      {"edit", true},   {"delete", true},  {"move", true},   {"switch_mode", true},
      {"read", false},  {"search", false}, {"fetch", false}, {"execute", false},
      {"think", false}, {"other", false}};
  for (const auto& [kind, is_denied] : kinds) {
    CAPTURE(kind);
    acp_test::Host host(planning(SessionStart::New));
    host.begin_answer(
        R"({"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"}]}})");
    const std::string question =
        R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Do it","kind":")" +
        kind +
        R"("},"options":[{"optionId":"y","kind":"allow_once","name":"Yes"},{"optionId":"n","kind":"reject_once","name":"No"}]}})";
    static_cast<void>(host.line(question));
    const Told denied{
        R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"n"}}})"};
    CHECK(host.written() == (is_denied ? denied : Told{}));
  }
}

}  // namespace agent_doc::plugins::plan_test
