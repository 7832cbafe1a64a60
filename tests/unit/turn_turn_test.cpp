#include "server/turn/turn.hpp"

#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::turn {
namespace turn_test {

using namespace plugins;

struct TurnFixture {
  EditedText document;
  Turn turn{Rounds::Last, Thinking::None, document};

  const std::string& after(const AgentEvent& event) {
    turn.on_line(10);
    turn.on_event(event);
    return turn.status();
  }
};

TEST_CASE("the newest of a long thought stands in the status, and nothing of the thought before") {
  TurnFixture f;
  f.after(MessageStarted{"", "m"});
  f.after(BlockStarted{{"", "m", 0}, BlockKind::Thinking});
  for (int sentence = 1; sentence <= 50; ++sentence) {
    const std::string& status = f.after(ThinkingDelta{
        {"", "m", 0}, "Thought number " + std::to_string(sentence) + " on one line. "});
    CHECK(status.size() <= kMaxStatus);
    CHECK(status.starts_with("Thought number "));
    CHECK(status.ends_with("Thought number " + std::to_string(sentence) + " on one line."));
  }
  const std::string& of_words = f.after(ThinkingDelta{
      {"", "m", 0}, std::string(150, 'x') + " " + std::string(150, 'y') + " é the newest words"});
  CHECK(of_words.ends_with("é the newest words"));
  CHECK(of_words.size() <= kMaxStatus);
  f.after(BlockStarted{{"", "m", 1}, BlockKind::Thinking});
  CHECK(f.after(ThinkingDelta{{"", "m", 1}, "Another"}) == "Another");
  f.after(MessageStarted{"", "m2"});
  CHECK(f.after(ThinkingDelta{{"", "m2", 0}, "A third"}) == "A third");
}

Permission question(std::string_view id) {
  return shown(PermissionAsked{
      id, "Write", "/srv/out.txt", {{"allow", "Allow once", OptionKind::AllowOnce}}});
}

TEST_CASE("a turn's phases replace the status line, and its end clears it") {
  TurnFixture f;
  CHECK(f.turn.state() == TurnState::Starting);
  CHECK(f.turn.status() == "starting");
  f.after(SessionStarted{"s-1", "model-1", "/"});
  CHECK(f.turn.state() == TurnState::Running);
  CHECK(f.turn.phase() == Phase::Starting);
  CHECK(f.turn.session_id() == "s-1");
  CHECK(f.turn.model() == "model-1");
  CHECK(f.after(MessageStarted{"", "m"}) == "thinking");
  CHECK(f.after(BlockStarted{{"", "m", 0}, BlockKind::Thinking}) == "thinking");
  CHECK(f.after(ThinkingDelta{{"", "m", 0}, "**Weighing "}) == "Weighing");
  CHECK(f.after(ThinkingDelta{{"", "m", 0}, "options**\n\nThe pre"}) == "The pre");
  CHECK(f.after(ThinkingDelta{{"", "m", 0}, "mise\n"}) == "The premise");
  CHECK(f.turn.phase() == Phase::Thinking);
  CHECK(f.after(BlockStarted{{"", "m", 1}, BlockKind::ToolCall}) == "preparing a tool call");
  CHECK(f.after(ToolStarted{"", "t1", "Bash", ""}) == "Bash");
  CHECK(f.after(ToolStarted{"", "t1", "Bash", "echo\nhi"}) == "Bash: echo hi");
  CHECK(f.turn.phase() == Phase::Tool);
  CHECK(f.after(ToolStarted{"", "t2", "Read", "a.txt"}) == "Read: a.txt");
  CHECK(f.after(ToolEnded{"", "t2", false}) == "Bash: echo hi");
  CHECK(f.after(ToolStarted{"t1", "t3", "Bash", "ls"}) == "sub-agent: Bash: ls");
  CHECK(f.after(TextDelta{{"t1", "s", 0}, "sub-agent text"}) == "sub-agent: Bash: ls");
  CHECK(f.after(ToolEnded{"t1", "t3", false}) == "Bash: echo hi");
  CHECK(f.after(Snapshot{{"t1", "s", 0}, BlockKind::Thinking, "a sub-agent's thought"}) ==
        "Bash: echo hi");
  CHECK(f.after(Snapshot{{"", "m", 2}, BlockKind::Thinking, "A whole\nthought"}) == "thought");
  CHECK(f.after(ToolEnded{"", "t1", true}) == "thinking");
  CHECK(f.after(Notice{NoticeKind::Retry, "retrying (1/2): rate limit (429)"}) ==
        "retrying (1/2): rate limit (429)");
  CHECK(f.after(TextDelta{{"", "m2", 0}, "Done."}) == "writing");
  CHECK(f.turn.phase() == Phase::Writing);
  const std::uint64_t revision = f.turn.revision();
  f.after(TextDelta{{"", "m2", 0}, " More."});
  CHECK(f.turn.revision() == revision);
  f.after(Usage{11, 4, 5, 7, 160});
  f.after(Usage{11, 4, 5, 7, 160});
  CHECK(f.turn.usage().input == 22);
  CHECK(f.turn.usage().cost_micros == 320);
  CHECK(f.after(TurnEnded{Outcome::Done, {}}).empty());
  CHECK(f.turn.state() == TurnState::Done);
  CHECK(f.document.text() == "Done. More.");
}

TEST_CASE("nothing changes a turn that has ended") {
  TurnFixture f;
  f.after(TextDelta{{"", "m", 0}, "text"});
  f.after(TurnEnded{Outcome::Cancelled, {}});
  const std::uint64_t revision = f.turn.revision();
  f.after(TextDelta{{"", "m", 0}, "late"});
  f.after(Failure{FailureKind::Auth, "late"});
  f.after(TurnEnded{Outcome::Done, "late"});
  f.turn.end(TurnState::Interrupted, FailureKind::Unknown, "late");
  CHECK(f.turn.state() == TurnState::Cancelled);
  CHECK(f.turn.failure_message().empty());
  CHECK(f.turn.revision() == revision);
  CHECK(f.document.text() == "text");
  CHECK(f.turn.health().lines == 2);
}

TEST_CASE("a failure is told with its kind, whatever the outcome says") {
  for (const Outcome outcome : {Outcome::Failed, Outcome::Done}) {
    TurnFixture f;
    f.after(Failure{FailureKind::Auth, "claude: not logged in \x1b[31m(401)\x1b[0m."});
    f.after(TurnEnded{outcome, {}});
    CHECK(f.turn.state() == TurnState::Failed);
    CHECK(f.turn.failure_kind() == FailureKind::Auth);
    CHECK(f.turn.failure_message() == "claude: not logged in (401).");
  }
  TurnFixture silent;
  silent.after(TurnEnded{Outcome::Failed, {}});
  CHECK(silent.turn.failure_message() == "The agent ended the turn without saying why. Run again.");
}

TEST_CASE("a turn that is ended from outside keeps what came") {
  TurnFixture f;
  f.after(TextDelta{{"", "m", 0}, "```\ncode"});
  f.turn.end(TurnState::Interrupted, FailureKind::Unknown, "");
  CHECK(f.turn.state() == TurnState::Interrupted);
  CHECK(f.document.text() == "```\ncode\n```");
  TurnFixture never_started;
  never_started.turn.end(TurnState::Failed, FailureKind::Crashed, "claude is not installed.");
  CHECK(never_started.turn.failure_message() == "claude is not installed.");
}

TEST_CASE("a permission question makes the turn wait until it is answered or the turn ends") {
  TurnFixture f;
  f.after(ToolStarted{"", "t", "Write", "/srv/out.txt"});
  f.turn.ask(question("q1"));
  CHECK(f.turn.state() == TurnState::Waiting);
  CHECK(f.turn.phase() == Phase::Waiting);
  CHECK(f.turn.status() == "waiting for your permission: Write /srv/out.txt");
  CHECK(f.turn.permission()->id == "q1");
  f.after(Notice{NoticeKind::Status, "does not hide the question"});
  CHECK(f.turn.status() == "waiting for your permission: Write /srv/out.txt");
  f.turn.permission_answered();
  CHECK_FALSE(f.turn.permission().has_value());
  CHECK(f.turn.state() == TurnState::Running);
  CHECK(f.turn.status() == "Write: /srv/out.txt");
  f.turn.permission_answered();
  CHECK(f.turn.state() == TurnState::Running);
  f.turn.ask(question("q4"));
  f.after(TurnEnded{Outcome::Cancelled, {}});
  CHECK_FALSE(f.turn.permission().has_value());
}

TEST_CASE("a rate limit that fails the turn says when it ends, if the agent told it") {
  const auto failed = [](std::vector<AgentEvent> events) {
    TurnFixture f;
    for (const AgentEvent& event : events) f.after(event);
    f.after(TurnEnded{Outcome::Failed, ""});
    return f.turn.failure_message();
  };
  const Notice limit{NoticeKind::RateLimit, "rate limit reached, it ends at 14:05 UTC"};
  CHECK(failed({limit, Failure{FailureKind::RateLimit, "Limit. Wait a while, then run again."}}) ==
        "Limit. Wait a while, then run again. (rate limit reached, it ends at 14:05 UTC)");
  CHECK(failed({Failure{FailureKind::RateLimit, "Limit."}}) == "Limit.");
  CHECK(failed({limit, Failure{FailureKind::Network, "Connection lost."}}) == "Connection lost.");
}

TEST_CASE("health tells times and sizes that are worth it, and the log has the types") {
  Health health;
  health.first_text = std::chrono::milliseconds{1250};
  health.longest_silence = std::chrono::milliseconds{4999};
  health.longest_line = 1000;
  CHECK(health.sentence() ==
        "0 delta events and 0 complete events; nothing unrecognised; no malformed lines; first "
        "text after 1.2 s");
  health.longest_silence = std::chrono::milliseconds{61'000};
  health.longest_line = 200'000;
  CHECK(health.sentence() ==
        "0 delta events and 0 complete events; nothing unrecognised; no malformed lines; first "
        "text after 1.2 s; longest silence 61.0 s; "
        "longest line "
        "200,000 bytes");
  health.unrecognised = {{"a", 1}, {"b", 1200}};
  CHECK(health.unrecognised_types() == "a, b (1,200)");
}

TEST_CASE("health is one sentence, and warns when the stream was not understood") {
  Health health;
  health.reply.deltas = 1500;
  health.reply.snapshots = 53;
  health.unrecognised = {{"a", 20}, {"b", 20}, {"c", 10}};
  CHECK(health.sentence() ==
        "1,500 delta events and 53 complete events; 50 unrecognised (3 types); no malformed lines");
  Health rough;
  rough.reply = {1, 1, 2, 1};
  rough.malformed = 1;
  CHECK(rough.sentence() ==
        "1 delta event and 1 complete event; nothing unrecognised; 1 malformed line; 2 blocks "
        "repaired; 1 byte sent twice");

  const auto warning = [](std::uint64_t lines, std::uint64_t malformed,
                          std::uint64_t unrecognised) {
    Health of;
    of.lines = lines;
    of.malformed = malformed;
    if (unrecognised > 0) of.unrecognised["x"] = unrecognised;
    of.reply.deltas = 1'000'000;
    return of.warning();
  };
  CHECK(warning(9, 9, 0).empty());
  CHECK(warning(10, 5, 0).empty());
  CHECK(warning(10, 6, 0).starts_with(
      "Most of what the agent printed could not be read (6 of 10 lines)."));
  CHECK(warning(10, 5, 5).starts_with(
      "Nothing of what the agent printed was understood (10 lines)."));
  CHECK(warning(1000, 0, 999).empty());
}

TEST_CASE("unrecognised events are counted by type, up to a limit of types") {
  TurnFixture f;
  for (int i = 0; i < 150; ++i) f.after(Unrecognised{"type " + std::to_string(i)});
  f.after(Unrecognised{"type 1"});
  f.after(Malformed{"{"});
  const Health health = f.turn.health();
  CHECK(health.unrecognised.size() == kMaxUnrecognisedTypes + 1);
  CHECK(health.unrecognised.at("type 1") == 2);
  CHECK(health.unrecognised.at("(other types)") == 50);
  CHECK(health.malformed == 1);
  CHECK(health.lines == 152);
  CHECK(health.bytes == 1520);
}

}  // namespace turn_test
}  // namespace agent_doc::turn
