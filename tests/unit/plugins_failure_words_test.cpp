// What it is: what services and programs usually say when something went wrong, on every way by
// which each plugin hears of it: the kind, and what a person is told to do.
// What it is not: names of one agent's wire (plugins_*_failure_test.cpp, plugins_*_ends_test.cpp).
#include "plugins/failure_words.hpp"

#include "plugins/acp/acp_failure.hpp"
#include "plugins/claude/claude_failure.hpp"
#include "plugins/codex/codex_failure.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace plugins_failure_words_test {

namespace {

using namespace agent_doc::plugins;
using agent_doc::tests::ProtocolHost;
using agent_doc::tests::Told;

struct Sentence {
  std::string said;
  FailureKind kind;
  std::string advice;
};

const std::vector<Sentence>& sentences() {
  static const std::vector<Sentence> kSentences = {
      {"mock: invalid x-api-key", FailureKind::Auth, "API key"},
      {"API Error: 401 nope", FailureKind::Auth, "API key"},
      {"unexpected status 403 Forbidden: nope", FailureKind::Auth, "API key"},
      {"got status: 429 (slow down)", FailureKind::RateLimit, "Wait a while"},
      {"503 Service Unavailable", FailureKind::RateLimit, "Wait a while"},
      {"401 mock: no such user", FailureKind::Auth, "API key"},
      {"529 mock: too busy", FailureKind::RateLimit, "Wait a while"},
      {"API Error: 529 busy", FailureKind::RateLimit, "Wait a while"},
      {"Your input exceeds the context window of this model", FailureKind::ContextFull,
       "*New session*"},
      {"Codex ran out of room in the model's memory", FailureKind::ContextFull,
       "fork the document at an earlier turn"},
      {"400 prompt is too long: 210000 tokens > 200000 maximum", FailureKind::ContextFull,
       "*New session*"},
      {"request failed: self-signed certificate in certificate chain", FailureKind::Network,
       "NODE_EXTRA_CA_CERTS"},
      {"getaddrinfo EAI_AGAIN api.example.com", FailureKind::Network, "Check the connection"},
      {"terminated", FailureKind::Network, "Check the connection"},
      {"Your credit balance is too low to use the API", FailureKind::NoCredit,
       "credit of its account"},
      {"429 You exceeded your current quota, please check your plan and billing details",
       FailureKind::NoCredit, "credit of its account"},
      {"Quota exceeded for requests per minute. Please retry in 38s. See billing",
       FailureKind::RateLimit, "Wait a while"},
      {"The response was stopped: refusal", FailureKind::Refused, "Change the prompt"},
      {"It violates our Usage Policy", FailureKind::Refused, "Change the prompt"},
      {"The model `x` does not exist: model_not_found", FailureKind::Invalid, "Check the model"},
      {"exceeded the 32000 output token maximum", FailureKind::MaxTokens, "shorter answer"},
  };
  return kSentences;
}

struct Heard {
  FailureKind kind;
  std::string message;
};

Heard heard(const AgentFailure& failure) {
  return {failure.kind, failure.message};
}

std::string quoted(const std::string& text) {
  return boost::json::serialize(boost::json::string(text));
}

/// A turn of an agent that prints `lines` and ends.
Heard turn_of(const AgentSpec& spec, const std::vector<std::string>& lines,
              const ExitStatus& status) {
  struct Host : ProtocolHost {
    using ProtocolHost::ProtocolHost;
    void emit(const AgentEvent& event) override {
      if (const auto* failure = std::get_if<Failure>(&event))
        told = {failure->kind, std::string(failure->message)};
    }
    Heard told{FailureKind::Unknown, "no failure"};
  } host(make_protocol(spec));
  host.protocol->launch({});
  host.protocol->begin_turn({"prompt"}, host);
  for (const std::string& line : lines) host.protocol->on_line(line, host);
  host.protocol->on_exit(status, host);
  return host.told;
}

AgentSpec agent(const std::string& dialect) {
  return {"mine", dialect, "program", {}, {}};
}

AgentSpec text_agent() {
  AgentSpec spec = agent("generic");
  spec.generic.format = GenericAgent::Format::Text;
  return spec;
}

struct Way {
  std::string name;
  std::function<Heard(const std::string& said)> hear;
};

/// Every way by which a plugin hears of a failure.
std::vector<Way> ways() {
  const AgentSpec spec = agent("acp");
  std::vector<Way> all = {
      {"claude: an error in the place of a message",
       [spec](const std::string& said) {
         return heard(failure_of_error({said, "", 0}, spec));
       }},
      {"claude: its end",
       [spec](const std::string& said) {
         return heard(failure_of_exit({1, 0, said}, spec));
       }},
      {"codex: a failed turn",
       [spec](const std::string& said) { return heard(codex_failure_of_text(said, spec)); }},
      {"codex: the session",
       [spec](const std::string& said) {
         return heard(codex_failure_of_start(SessionStart::Resume, said, spec));
       }},
      {"codex: its end",
       [spec](const std::string& said) {
         return heard(codex_failure_of_exit({1, 0, said}, spec));
       }},
      {"ACP: an error",
       [spec](const std::string& said) {
         return heard(failure_of_acp_error({-32603, said, nullptr}, spec));
       }},
      {"ACP: an error without words of its own",
       [spec](const std::string& said) {
         const boost::json::value data = {{"details", said}};
         return heard(failure_of_acp_error({-32603, "Internal error", &data}, spec));
       }},
      {"ACP: its end",
       [spec](const std::string& said) {
         return heard(failure_of_acp_exit({1, 0, said}, spec));
       }},
      {"gemini-stream: a result",
       [](const std::string& said) {
         return turn_of(
             agent("gemini-stream"),
             {R"({"type":"result","status":"error","error":{"type":"unknown","message":)" +
              quoted("[API Error: " + said + "]") + "}}"},
             {1, 0, ""});
       }},
      {"opencode-run: an error",
       [](const std::string& said) {
         return turn_of(
             agent("opencode-run"),
             {R"({"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":)" +
              quoted(said) + "}}}"},
             {1, 0, ""});
       }},
      {"cursor-agent: a result",
       [](const std::string& said) {
         return turn_of(agent("cursor-agent"),
                        {R"({"type":"result","is_error":true,"session_id":"s","result":)" +
                         quoted(said) + "}"},
                        {1, 0, ""});
       }},
      {"codex-exec: a failed turn",
       [](const std::string& said) {
         return turn_of(agent("codex-exec"),
                        {R"({"type":"turn.failed","error":{"message":)" + quoted(said) + "}}"},
                        {1, 0, ""});
       }},
      {"generic: an error",
       [](const std::string& said) {
         return turn_of(agent("generic"), {R"({"type":"error","message":)" + quoted(said) + "}"},
                        {1, 0, ""});
       }},
      {"generic: text on standard output",
       [](const std::string& said) {
         return turn_of(text_agent(), {said}, {1, 0, ""});
       }},
      {"generic: text on standard error",
       [](const std::string& said) {
         return turn_of(text_agent(), {"Half of"}, {1, 0, said + "\n"});
       }},
  };
  for (const std::string dialect :
       {"gemini-stream", "opencode-run", "cursor-agent", "codex-exec", "generic"}) {
    all.push_back({dialect + ": its end", [dialect](const std::string& said) {
                     return turn_of(agent(dialect), {}, {1, 0, said + "\n"});
                   }});
  }
  return all;
}

}  // namespace

TEST_CASE(
    "failure words: every usual sentence has its kind and its advice, whichever agent says it") {
  for (const Way& way : ways()) {
    CAPTURE(way.name);
    for (const Sentence& sentence : sentences()) {
      CAPTURE(sentence.said);
      const Heard told = way.hear(sentence.said);
      CHECK(told.kind == sentence.kind);
      CHECK(told.message.find(sentence.said) != std::string::npos);
      CHECK(told.message.find(sentence.advice) != std::string::npos);
    }
  }
}

TEST_CASE("failure words: what only looks like one is none") {
  for (const std::string text :
       {"It took 429 ms", "line 404 of main.cpp", "the catalog in English",
        "Terminated by signal 15", "port 503 is open", "429 tokens were left", "503 ms went by",
        "WARNING: Refusing to create helper binaries", "", "something new"}) {
    CAPTURE(text);
    CHECK(kind_of_words(text) == FailureKind::Unknown);
  }
}

TEST_CASE("failure words: a number of HTTP counts, but a word that says more counts more") {
  CHECK(kind_of_failure(401, "nope") == FailureKind::Auth);
  CHECK(kind_of_failure(402, "nope") == FailureKind::NoCredit);
  CHECK(kind_of_failure(413, "nope") == FailureKind::ContextFull);
  CHECK(kind_of_failure(503, "nope") == FailureKind::RateLimit);
  CHECK(kind_of_failure(500, "nope") == FailureKind::Network);
  CHECK(kind_of_failure(404, "nope") == FailureKind::Invalid);
  CHECK(kind_of_failure(400, "the context length is 5") == FailureKind::ContextFull);
  CHECK(kind_of_failure(429, "insufficient_quota") == FailureKind::NoCredit);
  CHECK(kind_of_failure(-32603, "HTTP/1.1 503 x") == FailureKind::RateLimit);
  CHECK(kind_of_failure(0, "502 Bad Gateway") == FailureKind::Network);
}

TEST_CASE("failure words: a session that is not there") {
  CHECK(says_session_unknown("No conversation found with session ID: s"));
  CHECK(says_session_unknown("Error: Session not found"));
  CHECK_FALSE(says_session_unknown("the session was found"));
}

}  // namespace plugins_failure_words_test
