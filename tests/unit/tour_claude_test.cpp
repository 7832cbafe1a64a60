// The tour as agent-doc hears it: every line goes through the claude dialect into a Reply, every
// answer back through it.
#include "plugins/claude/claude.hpp"

#include "server/turn/reply.hpp"
#include "tests/unit/tour_driver.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::tour_test {

class IgnoredEdits final : public turn::RegionWrites {
 public:
  void write(const turn::RegionWrite&) override {}
};

/// One process of the tour and the dialect that speaks with it.
class Conversation final : public plugins::Actions {
 public:
  Conversation()
      : protocol_(plugins::make_claude({"tour", "tour", "agent-doc", {"tour-agent"}, {}})) {}

  /// Runs a turn until its end, or until a question is open.
  void ask(std::string_view prompt, turn::Rounds rounds = turn::Rounds::Last) {
    begin(prompt, 0, rounds);
    settle();
  }
  /// The first `steps` moments of a turn.
  void begin(std::string_view prompt, int steps, turn::Rounds rounds = turn::Rounds::Last) {
    reply_ = std::make_unique<turn::Reply>(rounds, turn::Thinking::None, edits_);
    outcome_.reset();
    protocol_->begin_turn({std::string(prompt)}, *this);
    for (; steps > 0; --steps) step();
  }
  void settle() {
    while (step()) {
    }
  }
  bool step() {
    pass_on();
    const std::size_t had = driver_.lines().size();
    if (!driver_.step()) return false;
    for (std::size_t at = had; at < driver_.lines().size(); ++at)
      protocol_->on_line(json::serialize(driver_.lines()[at]), *this);
    pass_on();
    return true;
  }
  void answer(std::string_view option) {
    protocol_->answer(question_, option, *this);
    settle();
  }
  void cancel() {
    protocol_->cancel(*this);
    settle();
  }

  std::string reply() const { return reply_->text(); }
  std::string result() const { return at(driver_.last("result"), "/result"); }
  std::optional<plugins::Outcome> outcome() const { return outcome_; }
  const std::string& question() const { return question_; }
  const std::string& question_detail() const { return question_detail_; }
  const std::vector<std::string>& options() const { return options_; }
  const std::string& session_id() const { return session_id_; }
  std::size_t turns_ended() const { return turns_ended_; }
  const std::vector<std::string>& not_understood() const { return not_understood_; }

  void emit(const plugins::AgentEvent& event) override {
    reply_->on_event(event);
    if (const auto* started = std::get_if<plugins::SessionStarted>(&event))
      session_id_ = started->session_id;
    if (const auto* unrecognised = std::get_if<plugins::Unrecognised>(&event))
      not_understood_.emplace_back(unrecognised->type);
    if (const auto* malformed = std::get_if<plugins::Malformed>(&event))
      not_understood_.emplace_back(malformed->line);
    if (std::holds_alternative<plugins::PermissionWithdrawn>(event)) question_.clear();
    if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) {
      question_ = asked->id;
      question_detail_ = asked->detail;
      options_.clear();
      for (const plugins::PermissionOption& option : asked->options) options_.push_back(option.id);
    }
    if (const auto* ended = std::get_if<plugins::TurnEnded>(&event)) {
      reply_->finish();
      outcome_ = ended->outcome;
      ++turns_ended_;
    }
  }
  void write_line(std::string line) override { input_.push_back(std::move(line)); }
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

 private:
  void pass_on() {
    for (; !input_.empty(); input_.pop_front()) driver_.send(input_.front());
  }

  std::unique_ptr<plugins::AgentProtocol> protocol_;
  Driver driver_;
  IgnoredEdits edits_;
  std::unique_ptr<turn::Reply> reply_;
  std::deque<std::string> input_;
  std::string session_id_;
  std::string question_;
  std::string question_detail_;
  std::vector<std::string> options_;
  std::optional<plugins::Outcome> outcome_;
  std::size_t turns_ended_ = 0;
  std::vector<std::string> not_understood_;
};

TEST_CASE("tour through the claude dialect: the reply is the tour's text, in every topic") {
  Conversation conversation;
  std::size_t turns = 0;
  for (const tour::TopicEntry& entry : tour::topics()) {
    if (entry.topic == tour::Topic::Permission) continue;
    CAPTURE(entry.name);
    conversation.ask(entry.name);
    CHECK(conversation.outcome() == plugins::Outcome::Done);
    CHECK(conversation.turns_ended() == ++turns);
    CHECK(!conversation.result().empty());
    CHECK(conversation.reply() == conversation.result());
  }
  CHECK(conversation.session_id() == kId);
  CHECK(conversation.not_understood() == std::vector<std::string>{});
}

TEST_CASE("tour through the claude dialect: all rounds are kept where the document wants them") {
  Conversation conversation;
  conversation.ask("rounds", turn::Rounds::All);
  CHECK(conversation.reply() ==
        "First I count the words of your question.\n\nThat was the first step. Now I count what "
        "you have asked in this session.\n\n" +
            conversation.result());
}

TEST_CASE("tour through the claude dialect: permission") {
  Conversation conversation;
  conversation.ask("permission");
  REQUIRE_FALSE(conversation.question().empty());
  CHECK(conversation.question_detail() == "look at the clock");
  CHECK(conversation.options() == std::vector<std::string>{"allow", "allow_always", "deny"});
  CHECK_FALSE(conversation.outcome().has_value());

  SUBCASE("allow") {
    conversation.answer("allow");
    CHECK(contains(conversation.reply(), "It says: **2026-11-20 09:11 UTC**"));
    conversation.ask("clock");
    CHECK_FALSE(conversation.outcome().has_value());
    conversation.cancel();
  }
  SUBCASE("allow always") {
    conversation.answer("allow_always");
    conversation.ask("clock");
    CHECK(contains(conversation.reply(), "It says: **2026-11-20 09:11 UTC**"));
    CHECK(conversation.outcome() == plugins::Outcome::Done);
  }
  SUBCASE("deny") {
    conversation.answer("deny");
    CHECK(conversation.outcome() == plugins::Outcome::Done);
    CHECK(conversation.reply() == conversation.result());
    CHECK(contains(conversation.reply(), "You did not allow me to look at the clock"));
  }
  SUBCASE("closed without an answer") {
    conversation.answer("");
    CHECK(conversation.outcome() == plugins::Outcome::Done);
    CHECK(contains(conversation.reply(), "You did not allow me to look at the clock"));
  }
  SUBCASE("the turn is cancelled") {
    conversation.cancel();
    CHECK(conversation.outcome() == plugins::Outcome::Cancelled);
    CHECK(conversation.question().empty());
    conversation.ask("history");
    CHECK(contains(conversation.reply(),
                   "Question 1 (its reply did not come to its end):\n\n> permission\n"));
  }
}

TEST_CASE(
    "tour through the claude dialect: cancelled, what came stays, and the next turn is whole") {
  Conversation whole;
  whole.ask("hello");
  whole.ask("tables");
  const std::string tables = whole.reply();
  for (const int steps : {1, 10, 40, 60, 100}) {
    CAPTURE(steps);
    Conversation stopped;
    stopped.ask("hello");
    stopped.begin("tables", steps);
    stopped.cancel();
    CHECK(stopped.outcome() == plugins::Outcome::Cancelled);
    CHECK(stopped.turns_ended() == 2);
    CHECK(tables.starts_with(stopped.reply()));
    CHECK(stopped.reply().size() < tables.size());
    stopped.ask("fork");
    CHECK(stopped.outcome() == plugins::Outcome::Done);
    CHECK(stopped.reply() == stopped.result());
  }
}

TEST_CASE("tour through the claude dialect: an unknown session is known as such") {
  class Events final : public plugins::Actions {
   public:
    void emit(const plugins::AgentEvent& event) override {
      if (const auto* failure = std::get_if<plugins::Failure>(&event))
        kinds.push_back(failure->kind);
      if (const auto* ended = std::get_if<plugins::TurnEnded>(&event))
        outcomes.push_back(ended->outcome);
    }
    void write_line(std::string) override {}
    void close_stdin() override {}
    void send_signal(plugins::Signal) override {}
    void read_file(plugins::FileRead) override {}
    void write_file(plugins::FileWrite) override {}
    std::vector<plugins::FailureKind> kinds;
    std::vector<plugins::Outcome> outcomes;
  } events;
  const auto protocol = plugins::make_claude({"tour", "tour", "agent-doc", {"tour-agent"}, {}});
  const std::string message = "No conversation found with session ID: " + std::string(kOtherId);
  tour::TourWire wire({}, fixed_bits());
  wire.no_such_session(kOtherId, message);
  protocol->begin_turn({"hello"}, events);
  protocol->on_line(wire.take_lines().front(), events);
  protocol->on_exit({1, 0, message + "\n"}, events);
  CHECK(events.kinds == std::vector<plugins::FailureKind>{plugins::FailureKind::SessionUnknown});
  CHECK(events.outcomes == std::vector<plugins::Outcome>{plugins::Outcome::Failed});
}

}  // namespace agent_doc::tour_test
