// What it is: what codex' errors are for a person.
// What it is not: the recordings of the real program (tests/transcripts).
#include "plugins/codex/codex_failure.hpp"

#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::codex_test {

namespace json = boost::json;

TEST_CASE("codex: what went wrong, as a kind") {
  struct Case {
    std::string error;
    FailureKind kind;
    std::string told;  ///< begins with
  };
  const std::vector<Case> cases = {
      {R"({"message":"m","codexErrorInfo":"unauthorized"})", FailureKind::Auth,
       "codex: m. Run `codex login`"},
      {R"({"message":"m","codexErrorInfo":"usageLimitExceeded"})", FailureKind::RateLimit,
       "codex: m. Wait"},
      {R"({"message":"m","codexErrorInfo":"serverOverloaded"})", FailureKind::RateLimit,
       "codex: m. Wait"},
      {R"({"message":"m","codexErrorInfo":"internalServerError"})", FailureKind::Network,
       "codex: m. Check"},
      {R"({"message":"m","codexErrorInfo":"modelNotFound"})", FailureKind::Invalid,
       "codex: m. Check"},
      {R"({"message":"m","codexErrorInfo":"contextWindowExceeded"})", FailureKind::ContextFull,
       "codex: m. What was said"},
      {R"({"message":"m","codexErrorInfo":"cyberPolicy"})", FailureKind::Refused,
       "codex: m. Change"},
      {R"({"message":"m","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":401}}})",
       FailureKind::Auth, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"responseTooManyFailedAttempts":{"httpStatusCode":429}}})",
       FailureKind::RateLimit, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}}})",
       FailureKind::Network, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{"brandNew":{}}})", FailureKind::Unknown, "codex: m. "},
      {R"({"message":"m","codexErrorInfo":{}})", FailureKind::Unknown, "codex: m. "},
      {R"({"message":"unexpected status 404 Not Found: no model","codexErrorInfo":"other"})",
       FailureKind::Invalid, "codex: unexpected"},
      {R"({"message":"unexpected status ??? x"})", FailureKind::Unknown, "codex: unexpected"},
      {R"({"message":"Missing environment variable: `KEY`."})", FailureKind::Auth,
       "codex: Missing environment variable: `KEY`. Run"},
      {R"({"message":"reason: max_output_tokens"})", FailureKind::MaxTokens,
       "codex: reason: max_output_tokens. The reply is cut"},
      {R"({"message":"{\"error\":{\"message\":\"bad\",\"type\":\"invalid_request_error\"}}"})",
       FailureKind::Invalid, "codex: bad. Check"},
      {R"({})", FailureKind::Unknown, "codex: "},
  };
  for (const Case& test : cases) {
    CAPTURE(test.error);
    const json::value error = json::parse(test.error);
    const AgentFailure failure = codex_failure_of_error(error.as_object(), kSpec);
    CHECK(failure.kind == test.kind);
    CHECK(failure.message.substr(0, test.told.size()) == test.told);
  }
}

TEST_CASE("codex: a retry in words") {
  CHECK(codex_retry_text("Reconnecting... 1/2", "x") == "retrying (1/2): x");
  CHECK(codex_retry_text("Reconnecting... 1/2 (lost (all))", "") == "retrying (1/2): lost (all)");
  CHECK(codex_retry_text("Reconnecting... waiting for network", "") ==
        "retrying (waiting for network)");
  CHECK(codex_retry_text("Again", "") == "retrying: Again");
}

}  // namespace agent_doc::plugins::codex_test
