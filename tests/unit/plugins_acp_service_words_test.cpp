// What it is: what ACP programs say of their service as if it were the reply, as codex-acp 2.6.0,
// copilot 1.0.102 and goose 1.37.0 were seen to: a failure when it ended the turn, a notice when it
// is asked again, and the reply when the model had said it.
// What it is not: kinds of failures (plugins_failure_words_test.cpp).
#include "plugins/acp/acp_service_words.hpp"

#include "server/turn/heard.hpp"
#include "tests/unit/acp_host.hpp"
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace plugins_acp_service_words_test {

namespace {

using namespace agent_doc::plugins;
using agent_doc::plugins::acp_test::kAll;
using agent_doc::plugins::acp_test::kSession;
using agent_doc::tests::Told;

/// A turn of one of these agents, with its reply.
class Host : public acp_test::Host {
 public:
  explicit Host(const std::string& dialect)
      : acp_test::Host(new_session(), dialect),
        reply_(agent_doc::turn::Rounds::All, agent_doc::turn::Thinking::None, document_) {
    begin();
    answer(1, kAll);
    answer(2, kSession);
    written();
    events();
  }
  void emit(const AgentEvent& event) override {
    if (const auto* failure = std::get_if<Failure>(&event)) failure_ = failure->message;
    acp_test::Host::emit(event);
    reply_.on_event(event);
    heard_.on_event(event);
  }
  const agent_doc::turn::Heard& heard() const { return heard_; }
  /// The reply, once the turn has ended.
  std::string reply() {
    reply_.finish(failure_);
    return document_.text();
  }

 private:
  agent_doc::turn::EditedText document_;
  agent_doc::turn::Reply reply_;
  agent_doc::turn::Heard heard_;
  std::string failure_;
};

const std::string kEnd = R"({"stopReason":"end_turn"})";
const std::string kEndWithUsage =
    R"({"stopReason":"end_turn","usage":{"inputTokens":23,"outputTokens":4,"totalTokens":27}})";

std::string told_by_codex(const std::string& meta) {
  return R"({"sessionUpdate":"session_info_update","_meta":{"codex":)" + meta + "}}";
}
const std::string kSystemError = told_by_codex(R"({"threadStatus":{"type":"systemError"}})");
const std::string kGooseOwn = R"(,"_meta":{"goose":{"created":1}})";
const std::string kGooseModel = R"(,"_meta":{"goose":{"created":1,"messageId":"m"}})";

/// What is told at the end of a turn that fails so.
Told failed(const std::string& dialect, FailureKind kind, std::string_view text) {
  return {"failure " + std::to_string(static_cast<int>(kind)) + " " +
              describe_failure(kind, text, acp_test::spec_of(dialect)).message,
          "failed ''"};
}

/// Without what a turn used.
Told end_of(Host& host, const std::string& result) {
  Told told = host.answer(3, result);
  std::erase_if(told, [](const std::string& one) { return one.starts_with("usage"); });
  return told;
}

}  // namespace

TEST_CASE("ACP service words: an error that ends a turn is its failure, and not its reply") {
  struct Case {
    std::string dialect, said, more;
    FailureKind kind;
    std::string failure;
  };
  const std::vector<Case> cases = {
      {"codex-acp",
       R"({\"error\":{\"message\":\"mock: invalid request\",\"type\":\"invalid_request_error\",\"param\":null}}\n\n)",
       "", FailureKind::Invalid, "mock: invalid request"},
      {"codex-acp", R"(exceeded retry limit, last status: 429 Too Many Requests\n\n)", "",
       FailureKind::RateLimit, "exceeded retry limit, last status: 429 Too Many Requests"},
      {"codex-acp", R"(unexpected status 529 <unknown status code>: mock: overloaded\n\n)", "",
       FailureKind::RateLimit, "unexpected status 529 <unknown status code>: mock: overloaded"},
      {"codex-acp",
       R"({\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}\n\n)",
       "", FailureKind::ContextFull, "prompt is too long: 210000 tokens > 200000 maximum"},
      {"copilot", "Error: 400 mock: invalid request", "", FailureKind::Invalid,
       "400 mock: invalid request"},
      {"copilot", "Error: Authentication failed with provider at http://h/v1 (HTTP 401).", "",
       FailureKind::Auth, "Authentication failed with provider at http://h/v1 (HTTP 401)."},
      {"copilot",
       "Error: Failed to get response from the AI model; retried 5 times Last error: 429 mock: "
       "rate limited",
       "", FailureKind::RateLimit,
       "Failed to get response from the AI model; retried 5 times Last error: 429 mock: rate "
       "limited"},
      {"copilot",
       "Error: The provider rejected the prompt as too long, but automatic recovery could not "
       "reduce it.",
       "", FailureKind::ContextFull,
       "The provider rejected the prompt as too long, but automatic recovery could not reduce it."},
      {"goose",
       R"(Ran into this error: Request failed: Bad request (400): mock: invalid request.\n\nPlease retry if you think so.)",
       kGooseOwn, FailureKind::Invalid,
       "Request failed: Bad request (400): mock: invalid request."},
      {"goose",
       R"(Ran into this error: Rate limit exceeded: mock: rate limited.\n\nPlease retry if you think so.)",
       kGooseOwn, FailureKind::RateLimit, "Rate limit exceeded: mock: rate limited."},
      {"goose",
       R"(Ran into this error: Request failed: Stream decode error: error decoding response body.\n\nPlease retry.)",
       kGooseOwn, FailureKind::Network,
       "Request failed: Stream decode error: error decoding response body."},
  };
  for (const Case& one : cases) {
    CAPTURE(one.dialect);
    CAPTURE(one.said);
    for (const bool follows_text : {false, true}) {
      Host host(one.dialect);
      if (follows_text) host.text("Half of an answer", one.dialect == "goose" ? kGooseModel : "");
      if (one.dialect == "codex-acp") host.update(kSystemError);
      CHECK(host.text(one.said, one.more).empty());
      const Told ended = end_of(host, kEnd);
      REQUIRE(ended.size() >= 2);
      CHECK(ended.front() == failed(one.dialect, one.kind, one.failure).front());
      CHECK(ended.back() == "failed ''");
      CHECK(host.reply() == (follows_text ? "Half of an answer" : ""));
    }
  }
}

TEST_CASE(
    "ACP service words: a model that says the same is answered, and its words are the reply") {
  struct Case {
    std::string what, dialect, said, more, result;
  };
  const std::vector<Case> cases = {
      {"no failure was told", "codex-acp", "unexpected status 529", "", kEnd},
      {"the answer tells of tokens", "copilot", "Error: is what the log says.", "", kEndWithUsage},
      {"the answer tells of tokens, and it is an error that is known", "copilot",
       "Error: 404 not found", "", kEndWithUsage},
      {"it is no whole chunk", "copilot", "An Error: 400", "", kEnd},
      {"it is a message of the model", "goose", "Ran into this error: 404.", kGooseModel, kEnd},
      {"it is none of the program's words", "goose", "Compacting.", kGooseOwn, kEnd},
      {"of another agent", "acp", "Error: 400 mock: invalid request", "", kEnd},
      {"of another agent, too", "opencode", "Ran into this error: 404.", kGooseOwn, kEnd},
      {"longer than an error is", "copilot", "Error: " + std::string(kMaxServiceWords, 'x'), "",
       kEnd},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Host host(one.dialect);
    host.text(one.said, one.more);
    CHECK(end_of(host, one.result).back() == "done ''");
    CHECK(host.reply() == one.said);
  }
}

TEST_CASE(
    "ACP service words: after a tool the tokens of an answer may be those of what came before") {
  const auto end_after_tool = [](const std::string& said, const std::string& before) {
    Host host("copilot");
    host.text("I will look.");
    host.update(
        R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"ls","status":"pending"})");
    host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"})");
    host.update(R"({"sessionUpdate":"usage_update","used":1,"size":2})");
    if (!before.empty()) host.text(before);
    host.text(said);
    const std::string end = end_of(host, kEndWithUsage).back();
    return end + " " + host.reply();
  };
  CHECK(end_after_tool("Error: 400 mock: invalid request", "") == "failed '' I will look.");
  CHECK(end_after_tool("Error: is what it says.", "") ==
        "done '' I will look.\n\nError: is what it says.");
  CHECK(end_after_tool("Error: 404 not found", "It says: ") ==
        "done '' I will look.\n\nIt says: Error: 404 not found");
}

TEST_CASE(
    "ACP service words: an error that the agent got over stays in the reply, before what follows "
    "it") {
  Host codex("codex-acp");
  codex.update(kSystemError);
  codex.text("503 busy. ");
  codex.update(told_by_codex(R"({"threadStatus":{"type":"active","activeFlags":[]}})"));
  codex.text("It works again.");
  CHECK(end_of(codex, kEnd).back() == "done ''");
  CHECK(codex.reply() == "503 busy. It works again.");
  Host copilot("copilot");
  copilot.text("Error: 503 busy. ");
  copilot.update(R"({"sessionUpdate":"usage_update","used":1,"size":2})");
  copilot.text("It works again.");
  CHECK(end_of(copilot, kEnd).back() == "done ''");
  CHECK(copilot.reply() == "Error: 503 busy. It works again.");
}

TEST_CASE(
    "ACP service words: what was held is not lost when the turn is stopped, or its process ends") {
  Host stopped("copilot");
  stopped.text("Error: 400 nope");
  stopped.protocol->cancel(stopped);
  CHECK(stopped.answer(3, R"({"stopReason":"cancelled"})").back() == "cancelled ''");
  CHECK(stopped.reply() == "Error: 400 nope");
  Host crashed("copilot");
  crashed.text("Error: the disk is on fire");
  crashed.protocol->on_exit({1, 0, "bye\n"}, crashed);
  CHECK(crashed.events().back() == "failed ''");
  CHECK(crashed.reply() == "Error: the disk is on fire");
}

TEST_CASE(
    "ACP service words: that the service is asked again is a notice, and what comes anew stands "
    "once") {
  Host copilot("copilot");
  CHECK(copilot.text("Info: Request failed due to a transient API error. Retrying...") ==
        Told{"notice 'Request failed due to a transient API error. Retrying...'"});
  copilot.text("This answer ");
  copilot.text("loses");
  const Told anew =
      copilot.text("Info: Response was interrupted due to a server error. Retrying...");
  REQUIRE(anew.size() == 2);
  CHECK(anew.back() == "notice 'Response was interrupted due to a server error. Retrying...'");
  copilot.text("This answer ");
  copilot.text("is whole.");
  CHECK(end_of(copilot, kEndWithUsage).back() == "done ''");
  CHECK(copilot.reply() == "This answer is whole.");

  Host denied("copilot");
  denied.text("I will write a file.");
  CHECK(denied.text("Info: Operation cancelled by user") ==
        Told{"notice 'Operation cancelled by user'"});
  CHECK(denied.text("Info: three files changed").back() ==
        "text 1#0 'Info: three files changed'");  // a model's

  const std::string retry = told_by_codex(
      R"({"error":{"message":"Reconnecting... 1/2","additionalDetails":"last status: 429","willRetry":true}})");
  Host codex("codex-acp");
  CHECK(codex.update(retry) == Told{"notice 'retrying (1/2): last status: 429'"});
  codex.text("One.", R"(,"messageId":"a")");
  codex.text("Two beg", R"(,"messageId":"b")");
  CHECK(codex.update(retry) ==
        Told{"message end 2  from 0", "notice 'retrying (1/2): last status: 429'"});
  codex.text("Two.", R"(,"messageId":"c")");
  CHECK(end_of(codex, kEnd).back() == "done ''");
  CHECK(codex.reply() == "One.\n\nTwo.");
}

TEST_CASE(
    "ACP service words: a turn in which nothing was said or done is told from one in which "
    "something was") {
  for (const char* update : {"", R"({"sessionUpdate":"usage_update","used":4,"size":5})",
                             R"({"sessionUpdate":"session_info_update","title":"t"})",
                             R"({"sessionUpdate":"current_mode_update","currentModeId":"plan"})",
                             R"({"sessionUpdate":"of_tomorrow"})"}) {
    Host host("goose");
    if (*update != '\0') host.update(update);
    CHECK(end_of(host, kEnd) == Told{"done ''"});
    CHECK_FALSE(host.heard().anything());
  }
  for (const char* update :
       {R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}})",
        R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"ls"})"}) {
    CAPTURE(update);
    Host host("goose");
    host.update(update);
    CHECK(end_of(host, kEnd).back() == "done ''");
    CHECK(host.heard().anything());
  }
}

}  // namespace plugins_acp_service_words_test
