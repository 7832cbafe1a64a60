// What it is: the Agent Client Protocol, message by message: failures, and how a turn ends, with
// what no agent was recorded to say.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "tests/unit/acp_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::acp_test {

TEST_CASE("ACP: failures have a kind, and the agent's own words without their wrapping") {
  const auto failure_of = [](int code, const std::string& message, const std::string& more = {}) {
    Host host;
    host.begin_answer();
    const Told told = host.refuse(3, code, message, more);
    REQUIRE(told.size() == 2);
    CHECK(told[1] == "failed ''");
    return told[0].substr(std::string_view("failure ").size());
  };
  const auto starts = [](FailureKind kind, const std::string& text) {
    return std::to_string(static_cast<int>(kind)) + " agent: " + text;
  };
  struct Case {
    int code;
    std::string message, more;
    FailureKind kind;
    std::string text;
  };
  const std::vector<Case> cases = {
      {400, R"({\"error\":{\"code\":400,\"message\":\"bad\"}})", "", FailureKind::Invalid, "bad."},
      {429, "Slow down", "", FailureKind::RateLimit, "Slow down."},
      {401, "No", "", FailureKind::Auth, "No."},
      {503, "Gone", "", FailureKind::RateLimit, "Gone."},
      {-32000, "Authentication required", "", FailureKind::Auth, "Authentication required."},
      {-32603,
       R"(Internal error: API Error: 529 {\"type\":\"error\",\"error\":{\"message\":\"busy\"}})",
       "", FailureKind::RateLimit, "API Error: 529 busy."},
      {-32603, "Internal error", R"(,"data":{"details":"fetch failed"})", FailureKind::Network,
       "fetch failed."},
      {-32603, "Internal error", R"(,"data":"Invalid API key")", FailureKind::Auth,
       "Invalid API key."},
      {-32603, "Internal error: blocked", R"(,"data":{"errorName":"ContentFilterError"})",
       FailureKind::Refused, "blocked."},
      {-32603, "Internal error: cut", R"(,"data":{"errorName":"MessageOutputLengthError"})",
       FailureKind::MaxTokens, "cut."},
      {-32603, "Internal error: connect ECONNREFUSED 127.0.0.1:1", "", FailureKind::Network,
       "connect ECONNREFUSED 127.0.0.1:1."},
      {-32603, "Internal error", "", FailureKind::Unknown, "Internal error."},
      {-32603, "{oops", "", FailureKind::Unknown, "{oops."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.message);
    CHECK(failure_of(one.code, one.message, one.more).starts_with(starts(one.kind, one.text)));
  }
}

TEST_CASE("ACP: how a prompt ends") {
  const auto end_of = [](const std::string& stop_reason) {
    Host host;
    host.begin_answer();
    host.update(R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}})");
    Told told = host.end(stop_reason);
    std::erase_if(told, [](const std::string& one) {
      return one.starts_with("usage") || one.starts_with("message end");
    });
    return told;
  };
  CHECK(end_of("end_turn") == Told{"done ''"});
  CHECK(end_of("something_new") == Told{"done ''"});
  CHECK(end_of("cancelled") == Told{"cancelled ''"});
  CHECK(end_of("refusal") == failed(FailureKind::Refused, "The model refused to answer"));
  CHECK(end_of("max_tokens") ==
        failed(FailureKind::MaxTokens, "The answer reached the limit of its length"));
  CHECK(end_of("max_turn_requests") ==
        failed(FailureKind::Unknown, "The agent reached its limit of rounds in one turn"));
}

TEST_CASE("ACP: any end after a stop is a cancelled turn") {
  Host host;
  host.begin_answer();
  host.protocol->cancel(host);
  SUBCASE("the agent had finished") {
    CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("an error") {
    CHECK(host.refuse(3, -32603, "aborted") == Told{"cancelled ''"});
  }
  SUBCASE("the process ends") {
    CHECK(host.exit({0, 15, ""}) == Told{"cancelled ''"});
  }
  CHECK(host.exit({0, 0, ""}).empty());
}

TEST_CASE("ACP: the end of the process ends a running turn in any stage") {
  const auto end_in = [](int answered) {
    Host host;
    host.begin();
    if (answered > 0) host.answer(1, kAll);
    if (answered > 1) host.answer(2, R"({"sessionId":"s"})");
    host.events();
    return host.exit({55, 0, "line one\nnot running in a trusted directory\n"});
  };
  for (const int answered : {0, 1, 2}) {
    CHECK(end_in(answered) == failed(FailureKind::Crashed,
                                     "The agent ended before the turn did (exit code 55): line "
                                     "one\nnot running in a trusted directory"));
  }
}

TEST_CASE("ACP: nothing is left without an answer, and what is no message is counted") {
  Host host;
  host.begin_answer();
  CHECK(host.line(R"({"jsonrpc":"2.0","id":"x","method":"terminal/create","params":{}})") ==
        Told{"unrecognised terminal/create"});
  CHECK(
      host.written() ==
      Told{
          R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"agent-doc does not know the method \"terminal/create\""}})"});
  CHECK(host.line(R"({"jsonrpc":"2.0","method":"x/y"})") == Told{"unrecognised x/y"});
  CHECK(host.line(R"({"jsonrpc":"2.0","method":"session/update"})") ==
        Told{"unrecognised session/update without update"});
  CHECK(host.line("oops") == Told{"malformed oops"});
}

}  // namespace agent_doc::plugins::acp_test
