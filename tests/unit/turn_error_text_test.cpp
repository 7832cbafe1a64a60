// What it is: an error that an agent wrote into its reply, too: when its turn has failed, the text
// is taken back.
// What it is not: how a failure is known (plugins_failure_words_test.cpp).
#include "server/turn/error_text.hpp"

#include "server/turn/turn.hpp"
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::turn {

TEST_CASE("error text: what the failure says again, and what begins as the error of a request") {
  const std::string failure =
      "qwen: [API Error: 401 Incorrect API key provided]. Start `qwen` in a terminal and log in.";
  CHECK(is_error_text("401 Incorrect  API\nkey provided", failure));
  CHECK(is_error_text("[API Error: {\"error\": \"another wording\"}]", failure));
  CHECK(is_error_text("Error: 401 Incorrect API key provided\n",
                      "agent: Error: 401 Incorrect API key provided. Log in."));
  CHECK_FALSE(
      is_error_text("Error: it broke\n", failure));  // who asked what a log says was answered
  CHECK(is_error_text("API Error: 401", failure));
  CHECK(is_error_text("Failed to authenticate. API Error: 401 mock: invalid key", failure));
  CHECK(is_error_text("Invalid API key · Fix external API key",
                      "agent: Authentication required. Log in."));
  CHECK_FALSE(
      is_error_text("Invalid API key is what it says.", "agent: Authentication required. Log in."));
  CHECK_FALSE(is_error_text("API Error: 401", ""));
  CHECK_FALSE(is_error_text("", failure));
  CHECK_FALSE(is_error_text("log in", failure));  // too short to mean it
  CHECK_FALSE(is_error_text("Half of an answer", failure));
  CHECK_FALSE(
      is_error_text("Error: is what the log says.\n\nIt means that the key is wrong.", failure));
  CHECK_FALSE(is_error_text("Error: " + std::string(kMaxErrorText, 'x'), failure));
}

TEST_CASE("error text: it is not also the reply") {
  const std::string failure = "agent: API Error: 401 nope. Log in.";
  for (const bool in_pieces : {false, true}) {
    ReplyFixture fixture;
    fixture.message("m");
    if (in_pieces) {
      fixture.delta(0, "API Error: ").delta(0, "401 nope");
    } else {
      fixture.snapshot(0, "API Error: 401 nope");
    }
    fixture.reply.finish(failure);
    CHECK(fixture.document.text().empty());
    CHECK(fixture.reply.text().empty());
    CHECK_FALSE(fixture.reply.has_text());
  }
}

TEST_CASE("error text: the messages before it stay, and an earlier round comes back") {
  const std::string failure = "agent: API Error: 529 busy. Wait.";
  ReplyFixture all(Rounds::All);
  all.message("m").delta(0, "One.").tool("t").message("n").delta(0, "API Error: 529 busy");
  all.reply.finish(failure);
  CHECK(all.document.text() == "One.");
  CHECK(all.reply.text() == "One.");
  ReplyFixture last;
  last.message("m").delta(0, "One.").tool("t").message("n").delta(0, "API Error: 529 busy");
  CHECK(last.document.text() == "API Error: 529 busy");
  last.reply.finish(failure);
  CHECK(last.document.text() == "One.");
  CHECK(last.reply.earlier_rounds().empty());
  CHECK(last.reply.has_text());
  ReplyFixture answer;
  answer.message("m").delta(0, "Half of an answer");
  answer.reply.finish(failure);
  CHECK(answer.document.text() == "Half of an answer");
}

TEST_CASE("error text: only a turn that failed takes it back") {
  for (const plugins::Outcome outcome :
       {plugins::Outcome::Done, plugins::Outcome::Failed, plugins::Outcome::Cancelled}) {
    EditedText document;
    Turn turn(Rounds::Last, Thinking::None, document);
    turn.on_event(plugins::TextDelta{{{}, "m", 0}, "Error: the disk is full"});
    if (outcome == plugins::Outcome::Failed)
      turn.on_event(plugins::Failure{plugins::FailureKind::Unknown,
                                     "agent: Error: the disk is full. Make room."});
    turn.on_event(plugins::TurnEnded{outcome, {}});
    CHECK(document.text() ==
          (outcome == plugins::Outcome::Failed ? "" : "Error: the disk is full"));
  }
}

}  // namespace agent_doc::turn
