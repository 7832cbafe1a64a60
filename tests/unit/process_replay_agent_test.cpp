// The fake that all other tests build on must itself be right.
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace agent_doc::process {

namespace replay_agent_test {

using process_test::kReplayAgent;
using process_test::Launching;
using process_test::Recorder;
using process_test::write_file;

const std::string kUser =
    R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"hello"}]}})";
const std::string kInterrupt =
    R"({"type":"control_request","request_id":"ours-7","request":{"subtype":"interrupt"}})";
const std::string kInterruptAnswer =
    R"({"type":"control_response","response":{"subtype":"success","request_id":"ours-7","response":{"still_queued":[]}}})";

const std::vector<std::string> kPlain{R"({"type":"system","subtype":"init"})",
                                      R"({"type":"assistant","text":"Grüße 😀"})",
                                      R"({"type":"result"})"};
const std::vector<std::string> kCancelHead{R"({"type":"system","subtype":"init"})",
                                           R"({"type":"stream_event","text":"tick"})"};
const std::vector<std::string> kCancelTail{
    R"({"type":"assistant","aborted":true})",
    R"({"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}})",
    R"({"type":"result"})"};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::vector<std::string> sum(std::vector<std::string> first,
                             const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST_CASE("replay_agent: a recording comes out exactly, after the first user line, in any pieces") {
  const process_test::TemporaryFolder folder;
  write_file(folder / "plain.ndjson", joined(kPlain));
  write_file(folder / "plain.exit", "0\n");
  write_file(folder / "plain.stderr", "a warning\n");
  Launching launching;
  for (const std::string chunk : {"", "1", "2", "3", "7", "1000"}) {
    CAPTURE(chunk);
    std::vector<std::string> args;
    if (!chunk.empty()) args = {"--chunk", chunk};
    for (const std::string& arg :
         {(folder / "plain.ndjson"), std::string("-p"), std::string("--verbose")})
      args.push_back(arg);
    Recorder recorder;
    const auto child = launching.start(kReplayAgent, args, recorder);
    child->write_line(kInterrupt);
    REQUIRE(launching.run_until([&] { return recorder.lines.size() == 1; }));
    CHECK(recorder.lines.front() == kInterruptAnswer);
    recorder.lines.clear();
    child->write_line(kUser);
    REQUIRE(launching.run_until([&] { return recorder.lines.size() == kPlain.size(); }));
    child->close_stdin();
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.lines == kPlain);
    CHECK(recorder.exit->code == 0);
    CHECK(recorder.exit->stderr_tail == "a warning\n");
  }
}

TEST_CASE("replay_agent: cut at every byte it ends like a crash") {
  const process_test::TemporaryFolder folder;
  const std::string whole = joined(kCancelHead);
  write_file(folder / "plain.ndjson", whole);
  Launching launching;
  for (std::size_t cut = 1; cut <= whole.size(); ++cut) {
    CAPTURE(cut);
    Recorder recorder;
    const auto child = launching.start(
        kReplayAgent, {"--cut-at", std::to_string(cut), (folder / "plain.ndjson")}, recorder);
    child->write_line(kUser);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.exit->code == 1);
    std::string text = joined(recorder.lines);
    if (whole[cut - 1] != '\n') text.pop_back();
    CHECK(text == whole.substr(0, cut));
  }
}

TEST_CASE("replay_agent: ends as the recording did") {
  const process_test::TemporaryFolder folder;
  struct Case {
    const char* exit;
    const char* text;
    int code, signal;
  };
  const Case cases[] = {
      {"143", "{\"type\":\"system\"}\n", 143, 0},
      {"1", "{\"type\":\"result\"}\n", 1, 0},
      {"signal SIGKILL", "{\"type\":\"system\"}\n", 0, SIGKILL},
      {"0", "{\"type\":\"system\"}\n", 0, 0},
  };
  Launching launching;
  for (const Case& one : cases) {
    CAPTURE(one.exit);
    write_file(folder / "end.ndjson", one.text);
    write_file(folder / "end.exit", one.exit);
    Recorder recorder;
    const auto child = launching.start(kReplayAgent, {(folder / "end.ndjson")}, recorder);
    child->write_line(kUser);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.lines.size() == 1);
    CHECK(recorder.exit->code == one.code);
    CHECK(recorder.exit->signal == one.signal);
  }
  write_file(folder / "flags.ndjson", "");
  write_file(folder / "flags.exit", "1");
  write_file(folder / "flags.stderr", "wrong flags\n");
  Recorder recorder;
  const auto child = launching.start(kReplayAgent, {(folder / "flags.ndjson")}, recorder);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->code == 1);
  CHECK(recorder.exit->stderr_tail == "wrong flags\n");
}

TEST_CASE("replay_agent: an interrupted recording waits for the interruption") {
  const process_test::TemporaryFolder folder;
  write_file(folder / "cancel.ndjson", joined(sum(kCancelHead, kCancelTail)));
  Launching launching;
  for (const char* how : {"signal", "request"}) {
    CAPTURE(how);
    Recorder recorder;
    const auto child = launching.start(kReplayAgent, {(folder / "cancel.ndjson")}, recorder);
    child->write_line(kUser);
    REQUIRE(launching.run_until([&] { return recorder.lines.size() == kCancelHead.size(); }));
    CHECK(recorder.lines == kCancelHead);
    recorder.lines.clear();
    if (how == std::string("signal")) {
      child->send_signal(plugins::Signal::Interrupt);
      REQUIRE(launching.run_until_exit(recorder));
      CHECK(recorder.lines == kCancelTail);
    } else {
      child->write_line(kInterrupt);
      REQUIRE(launching.run_until([&] { return recorder.lines.size() == kCancelTail.size() + 1; }));
      CHECK(recorder.lines == sum({kInterruptAnswer}, kCancelTail));
      CHECK(!recorder.exit);
      child->close_stdin();
      REQUIRE(launching.run_until_exit(recorder));
    }
    CHECK(recorder.exit->code == 0);
  }
}

TEST_CASE("replay_agent: both directions, with the ids that were really sent") {
  const process_test::TemporaryFolder folder;
  const std::string asked =
      R"({"type":"control_request","request_id":"perm-1","request":{"subtype":"can_use_tool"}})";
  const std::string recorded_answer =
      R"({"type":"control_response","response":{"subtype":"success","request_id":"REC","response":{"x":1}}})";
  std::string real_answer = recorded_answer;
  real_answer.replace(real_answer.find("REC"), 3, "ours-7");
  std::vector<std::string> recording{
      R"({"dir":"in","frame":{"type":"control_request","request_id":"init-1","request":{"subtype":"initialize"}}})",
      R"({"dir":"in","frame":)" + kUser + "}",
      R"({"dir":"out","frame":{"type":"control_response","response":{"request_id":"init-1"}}})",
      R"({"dir":"out","frame":)" + asked + "}",
      R"({"dir":"in","frame":{"type":"control_response","response":{"request_id":"perm-1"}}})",
      R"({"dir":"out","frame":{"type":"stream_event"}})",
      R"({"dir":"in","frame":{"type":"control_request","request_id":"REC","request":{"subtype":"interrupt"}}})",
      R"({"dir":"out","frame":)" + recorded_answer + "}",
      R"({"dir":"out","frame":{"type":"result","n":1}})",
  };
  write_file(folder / "both.duplex.ndjson", joined(recording));
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kReplayAgent, {(folder / "both.duplex.ndjson")}, recorder);
  child->write_line(kUser);  // without initialize: that is passed over with its answer
  REQUIRE(launching.run_until([&] { return recorder.lines.size() == 1; }));
  child->write_line(R"({"type":"control_response","response":{"request_id":"perm-1"}})");
  REQUIRE(launching.run_until([&] { return recorder.lines.size() == 2; }));
  child->write_line(kInterrupt);
  REQUIRE(launching.run_until([&] { return recorder.lines.size() == 4; }));
  child->close_stdin();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{asked, R"({"type":"stream_event"})", real_answer,
                                                   R"({"type":"result","n":1})"});
  CHECK(recorder.exit->code == 0);
}

TEST_CASE("replay_agent: --deltas counts, and an interrupt ends the turn with what was said") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(
      kReplayAgent, {"--deltas", "30", "--interval-ms", "1", "-p", "--session-id", "abc"},
      recorder);
  const auto results = [&] {
    return std::count_if(recorder.lines.begin(), recorder.lines.end(), [](const std::string& line) {
      return line.find("\"type\":\"result\"") != std::string::npos;
    });
  };
  child->write_line(kUser);
  REQUIRE(launching.run_until([&] { return results() == 1; }));
  const std::string text =
      "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11\\nw12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 "
      "w23\\nw24 w25 w26 w27 w28 w29 ";
  CHECK(recorder.lines.size() == 30 + 8);
  CHECK(recorder.lines.back().find("\"result\":\"" + text + '"') != std::string::npos);
  CHECK(recorder.lines.front().find("\"session_id\":\"abc\"") != std::string::npos);
  child->close_stdin();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->code == 0);

  for (const char* how : {"signal", "request"}) {
    CAPTURE(how);
    Recorder slow;
    const auto other =
        launching.start(kReplayAgent, {"--deltas", "1000000", "--interval-ms", "1"}, slow);
    other->write_line(kUser);
    REQUIRE(launching.run_until([&] { return slow.lines.size() > 20; }));
    if (how == std::string("signal")) {
      other->send_signal(plugins::Signal::Interrupt);
    } else {
      other->write_line(kInterrupt);
      other->close_stdin();
    }
    REQUIRE(launching.run_until_exit(slow));
    CHECK(slow.exit->code == 0);
    CHECK(slow.has(kInterruptAnswer) == (how == std::string("request")));
    CHECK(slow.lines.back().find("aborted_streaming") != std::string::npos);
    CHECK(slow.lines.size() < 100'000);
  }
}

TEST_CASE("replay_agent: wrong use is told") {
  Launching launching;
  struct Case {
    std::vector<std::string> args;
    const char* message;
  };
  const Case cases[] = {
      {{}, "replay_agent: name a recording, or --deltas N\n"},
      {{"--chunk", "x", "r.ndjson"}, "replay_agent: --chunk needs a number, not \"x\"\n"},
      {{"--what"},
       "replay_agent: unknown option --what; options of the fake come before the recording\n"},
      {{"/no/such.ndjson"}, "replay_agent: there is no recording /no/such.ndjson\n"},
  };
  for (const Case& one : cases) {
    Recorder recorder;
    const auto child = launching.start(kReplayAgent, one.args, recorder);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.exit->code == 2);
    CHECK(recorder.exit->stderr_tail == one.message);
  }
}

}  // namespace replay_agent_test

}  // namespace agent_doc::process
