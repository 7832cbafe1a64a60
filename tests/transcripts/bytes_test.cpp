// What it is: the recordings as bytes: through the line reader, the protocol, the turn and the
// reply, in pieces of any size, cut at any byte, and with everything around the lines that a pipe,
// a terminal or a broken program may add. The reply is always the same.
// What it is not: processes (tests/e2e).
#include "server/process/line_reader.hpp"
#include "tests/transcripts/player.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc {
namespace {

namespace json = boost::json;

using tests::check_turn;
using tests::expected_text;
using tests::Player;
using tests::Recording;

std::vector<std::string_view> dialects() {
  std::vector<std::string_view> all(std::begin(tests::kOneShotDialects),
                                    std::end(tests::kOneShotDialects));
  all.push_back("claude");
  return all;
}

/// Longer ones are cut and chunked in larger steps.
constexpr std::size_t kShort = 4000;

plugins::AgentSpec agent(std::string_view dialect) {
  return {std::string(dialect), std::string(dialect), "program", {}, {}};
}

std::string bytes_of(const Recording& recording) {
  std::string bytes;
  for (const std::string& line : recording.lines) bytes += line + "\n";
  return bytes;
}

/// Calls `check` with each recording that is one turn, and what it must give.
void for_all(
    const std::function<void(std::string_view, const Recording&, const json::object&)>& check) {
  for (const std::string_view dialect : dialects()) {
    const json::value expected = tests::read_expected(dialect);
    for (const auto& [name, turns] : expected.at("recordings").as_object()) {
      if (turns.as_array().size() != 1) continue;
      CAPTURE(dialect);
      CAPTURE(std::string(name));
      check(dialect, tests::read_recording(dialect, std::string(name)),
            turns.as_array().front().as_object());
    }
  }
}

/// A turn that gets its bytes as they come from a pipe.
class Stream {
 public:
  explicit Stream(std::string_view dialect, turn::Rounds rounds = turn::Rounds::Last)
      : player_(agent(dialect), rounds) {
    player_.begin("a prompt");
  }

  void feed(std::string_view piece) {
    reader_.feed(piece);
    take();
  }
  void end(const plugins::ExitStatus& exit) {
    reader_.finish();
    take();
    player_.exit(exit);
  }
  Player::Played& turn() { return player_.last(); }

 private:
  void take() {
    while (const std::optional<process::Line> line = reader_.next())
      player_.line(std::get<std::string_view>(*line));
  }

  process::LineReader reader_;
  Player player_;
};

/// Lines of the recording itself that are no JSON.
std::uint64_t malformed_in(std::string_view dialect, const Recording& recording) {
  Stream stream(dialect);
  stream.feed(bytes_of(recording));
  stream.end(recording.exit);
  return stream.turn().turn->health().malformed;
}

void play_in_pieces(Stream& stream, const std::string& bytes,
                    const std::function<std::size_t()>& size) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string piece = bytes.substr(at, std::max<std::size_t>(1, size()));
    stream.feed(piece);
    at += piece.size();
  }
}

}  // namespace

TEST_CASE("bytes: pieces of any size give the same turn") {
  std::mt19937 random(20261120);
  for_all([&random](std::string_view dialect, const Recording& recording,
                    const json::object& expectation) {
    const std::string bytes = bytes_of(recording);
    const std::vector<std::size_t> sizes = bytes.size() < kShort
                                               ? std::vector<std::size_t>{1, 2, 3, 7, 100}
                                               : std::vector<std::size_t>{61, 4099};
    for (const std::size_t size : sizes) {
      CAPTURE(size);
      Stream stream(dialect);
      play_in_pieces(stream, bytes, [size] { return size; });
      stream.end(recording.exit);
      check_turn(stream.turn(), expectation, turn::Rounds::Last, dialect);
    }
    Stream stream(dialect);
    play_in_pieces(stream, bytes, [&random] { return random() % 200; });
    stream.end(recording.exit);
    check_turn(stream.turn(), expectation, turn::Rounds::Last, dialect);
  });
}

TEST_CASE(
    "bytes: a stream that ends after any byte ends its turn exactly once, with the text that "
    "came") {
  for_all(
      [](std::string_view dialect, const Recording& recording, const json::object& expectation) {
        const std::string bytes = bytes_of(recording);
        const std::string whole = expected_text(expectation, turn::Rounds::All);
        const bool cut_is_text = recording.name.starts_with("tags") ||
                                 whole.find("```") != std::string::npos ||
                                 recording.name.starts_with("drop");
        const std::size_t step = bytes.size() < kShort ? 1 : bytes.size() / 40;
        for (std::size_t cut = 0; cut < bytes.size(); cut += step) {
          CAPTURE(cut);
          Stream stream(dialect, turn::Rounds::All);
          stream.feed(std::string_view(bytes).substr(0, cut));
          stream.end({0, 9, "killed"});
          CHECK(stream.turn().ends == 1);
          CHECK(turn::is_terminal(stream.turn().turn->state()));
          if (!cut_is_text) CHECK(whole.starts_with(stream.turn().document.text()));
        }
      });
}

TEST_CASE("bytes: line ends, marks and prefixes change nothing") {
  for_all([](std::string_view dialect, const Recording& recording,
             const json::object& expectation) {
    if (recording.lines.empty()) return;
    const auto joined = [&recording](const std::string& before, const std::string& behind) {
      std::string bytes;
      for (const std::string& line : recording.lines) bytes += before + line + behind;
      return bytes;
    };
    std::string without_end = bytes_of(recording);
    without_end.pop_back();
    for (const std::string& bytes : {joined("", "\r\n"), "\xEF\xBB\xBF" + joined("", "\n"),
                                     joined("data: ", "\n\n"), joined(" \t", " \n"), without_end}) {
      Stream stream(dialect);
      stream.feed(bytes);
      stream.end(recording.exit);
      check_turn(stream.turn(), expectation, turn::Rounds::Last, dialect);
      CHECK(stream.turn().turn->health().malformed == malformed_in(dialect, recording));
    }
  });
}

TEST_CASE("bytes: what is no line of the agent's is counted, and changes no text") {
  const std::vector<std::string> dirt = {
      "{",       "{\"type\":\"te", std::string("\0\0\0", 3), "\xff\xfe\xc3", "]}",
      "\x1b[2J", "Killed",         std::string(5000, '{')};
  for_all([&dirt](std::string_view dialect, const Recording& recording,
                  const json::object& expectation) {
    if (recording.lines.size() > 100) return;
    std::string bytes;
    for (const std::string& line : recording.lines) {
      for (const std::string& one : dirt) bytes += one + "\n";
      bytes += line + "\n";
    }
    Stream stream(dialect);
    stream.feed(bytes);
    stream.end(recording.exit);
    check_turn(stream.turn(), expectation, turn::Rounds::Last, dialect);
    const std::uint64_t added =
        stream.turn().turn->health().malformed - malformed_in(dialect, recording);
    // claude may say something after the end of its turn.
    CHECK(added <= dirt.size() * recording.lines.size());
    CHECK(added >=
          dirt.size() *
              (dialect == "claude" && recording.lines.size() > 1 ? 1 : recording.lines.size()));
  });
}

TEST_CASE("bytes: a line of ten megabytes between the others, known or not") {
  const std::string big(10'000'000, 'x');
  for (const std::string_view dialect : dialects()) {
    CAPTURE(dialect);
    const Recording recording = tests::read_recording(dialect, "tool");
    const json::value expected = tests::read_expected(dialect);
    std::string bytes = R"({"type":"unknown","text":")" + big + "\"}\n";
    for (const std::string& line : recording.lines)
      bytes += line + "\n" + R"({"type":"unknown","text":")" + "short\"}\n";
    Stream stream(dialect);
    stream.feed(bytes);
    stream.end(recording.exit);
    check_turn(stream.turn(), expected.at("recordings").at("tool").as_array().front().as_object(),
               turn::Rounds::Last, dialect);
  }
  Stream stream("generic");
  stream.feed(R"({"text":")" + big + "\"}\n");
  stream.end({});
  CHECK(stream.turn().document.text() == big);
}

TEST_CASE("bytes: a character cut at every byte, and bytes that are none") {
  const std::string line = "{\"text\":\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xE6\xBC\xA2\"}\n";
  for (std::size_t cut = 0; cut <= line.size(); ++cut) {
    Stream stream("generic");
    stream.feed(std::string_view(line).substr(0, cut));
    stream.feed(std::string_view(line).substr(cut));
    stream.end({});
    CHECK(stream.turn().document.text() == "gr\u00fc\u00df \U0001F600 \u6f22");
  }
  Stream stream("generic");
  stream.feed("{\"text\":\"a\xFF\xC3-\"}\n{\"text\":\"\\ud83d\"}\n{\"text\":\"b\"}");
  stream.end({});
  CHECK(stream.turn().document.text() == "a\uFFFD\uFFFD-\uFFFDb");
}

namespace {

/// How a dialect says one thing.
struct Speech {
  std::string_view dialect;
  const char* mode;
  std::vector<std::string> text;      ///< "Hello there"
  std::vector<std::string> thinking;  ///< "Hm, well"; empty: it does not tell
  std::vector<std::string> tool;      ///< a call of `ls`, and its end
};

std::string claude_event(const std::string& event) {
  return R"({"type":"stream_event","event":)" + event +
         R"(,"session_id":"s","parent_tool_use_id":null})";
}

std::vector<Speech> speeches() {
  const std::string result =
      R"({"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"Hello there","session_id":"s"})";
  const auto claude = [&result](std::vector<std::string> body) {
    body.insert(body.begin(),
                R"({"type":"system","subtype":"init","session_id":"s","model":"m","cwd":"/"})");
    body.push_back(result);
    return body;
  };
  const auto block = [](const std::string& content) {
    return R"({"type":"assistant","message":{"id":"m","model":"m","content":[)" + content + "]}}";
  };
  const std::string start =
      claude_event(R"({"type":"message_start","message":{"id":"m","content":[]}})");
  const auto streamed = [&](const std::string& type, const std::string& field,
                            const std::string& one, const std::string& two) {
    const auto delta = [&](const std::string& piece) {
      return claude_event(R"({"type":"content_block_delta","index":0,"delta":{"type":")" + type +
                          R"(_delta",")" + field + "\":\"" + piece + "\"}}");
    };
    return claude(
        {start,
         claude_event(R"({"type":"content_block_start","index":0,"content_block":{"type":")" +
                      type + "\"}}"),
         delta(one), delta(two)});
  };
  const std::string tool_result =
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}})";
  const auto cursor = [](std::vector<std::string> body) {
    body.push_back(
        R"({"type":"result","subtype":"success","is_error":false,"result":"","session_id":"s"})");
    return body;
  };
  const auto cursor_text = [](const std::string& text, const std::string& more) {
    return R"({"type":"assistant","message":{"content":[{"type":"text","text":")" + text + "\"}]}" +
           more + "}";
  };
  const std::string finish = R"({"type":"step_finish","sessionID":"s","part":{"reason":"stop"}})";
  return {
      {"claude", "deltas", streamed("text", "text", "Hello ", "there"),
       streamed("thinking", "thinking", "Hm, ", "well"),
       claude(
           {start,
            claude_event(
                R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"ls"}})"),
            claude_event(
                R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}})"),
            claude_event(
                R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"l\\\\"}})"),
            tool_result})},
      {"claude", "snapshots", claude({block(R"({"type":"text","text":"Hello there"})")}),
       claude({block(R"({"type":"thinking","thinking":"Hm, well"})")}),
       claude({block(R"({"type":"tool_use","id":"t","name":"ls","input":{}})"), tool_result})},
      {"gemini-stream",
       "deltas",
       {R"({"type":"message","role":"assistant","content":"Hello ","delta":true})",
        R"({"type":"message","role":"assistant","content":"there","delta":true})",
        R"({"type":"result","status":"success"})"},
       {},
       {R"({"type":"tool_use","tool_name":"ls","tool_id":"t"})",
        R"({"type":"tool_result","tool_id":"t","status":"success"})",
        R"({"type":"result","status":"success"})"}},
      {"gemini-stream",
       "whole",
       {R"({"type":"message","role":"assistant","content":"Hello there"})",
        R"({"type":"result","status":"success"})"},
       {},
       {}},
      {"opencode-run",
       "whole",
       {R"({"type":"text","sessionID":"s","part":{"id":"p","messageID":"m","text":"Hello there"}})",
        finish},
       {R"({"type":"reasoning","sessionID":"s","part":{"id":"p","messageID":"m","text":"Hm, well"}})",
        finish},
       {R"({"type":"tool_use","sessionID":"s","part":{"tool":"ls","callID":"t","state":{"status":"completed"}}})",
        finish}},
      {"cursor-agent", "deltas",
       cursor({cursor_text("Hello ", R"(,"timestamp_ms":1)"),
               cursor_text("there", R"(,"timestamp_ms":2)"), cursor_text("Hello there", "")}),
       cursor({R"({"type":"thinking","subtype":"delta","text":"Hm, "})",
               R"({"type":"thinking","subtype":"delta","text":"well"})"}),
       cursor(
           {R"({"type":"tool_call","subtype":"started","call_id":"t","tool_call":{"lsToolCall":{"args":{}}}})",
            R"({"type":"tool_call","subtype":"completed","call_id":"t","tool_call":{"lsToolCall":{"args":{},"result":{"success":{}}}}})"})},
      {"cursor-agent", "whole", cursor({cursor_text("Hello there", "")}), {}, {}},
      {"generic",
       "deltas",
       {R"({"type":"text.delta","text":"Hello "})", R"({"type":"text.delta","text":"there"})"},
       {R"({"type":"thinking.delta","text":"Hm, "})", R"({"type":"thinking.delta","text":"well"})"},
       {R"({"type":"tool.start","tool_id":"t","tool_name":"ls"})",
        R"({"type":"tool.end","tool_id":"t"})"}},
      {"generic",
       "growing",
       {R"({"text":"Hello"})", R"({"text":"Hello t"})", R"({"text":"Hello there"})"},
       {},
       {}},
      {"generic",
       "whole",
       {R"({"type":"message.completed","message":{"content":[{"type":"text","text":"Hello there"}]}})"},
       {},
       {}},
      {"generic", "at the end", {R"({"type":"result","result":"Hello there"})"}, {}, {}},
  };
}

}  // namespace

TEST_CASE(
    "every dialect, every way it has: a text is the reply, a thought and a tool are status only") {
  for (const Speech& speech : speeches()) {
    CAPTURE(speech.dialect);
    CAPTURE(speech.mode);
    const auto reply_of = [&speech](const std::vector<std::string>& lines, turn::Phase phase) {
      Stream stream(speech.dialect);
      bool shown = false;
      for (const std::string& line : lines) {
        stream.feed(line + "\n");
        shown = shown || stream.turn().turn->phase() == phase;
      }
      // A tool call of opencode is told when it is over.
      const bool is_told = speech.dialect != "opencode-run" || phase != turn::Phase::Tool;
      CHECK(shown == is_told);
      stream.end({});
      CHECK(stream.turn().ends == 1);
      CHECK(stream.turn().turn->state() == turn::TurnState::Done);
      return stream.turn().document.text();
    };
    CHECK(reply_of(speech.text, turn::Phase::Writing) == "Hello there");
    const std::string no_text =
        speech.dialect == "claude" ? "Hello there" : "";  // its result has one
    if (!speech.thinking.empty())
      CHECK(reply_of(speech.thinking, turn::Phase::Thinking) == no_text);
    if (!speech.tool.empty()) CHECK(reply_of(speech.tool, turn::Phase::Tool) == no_text);
  }
}

}  // namespace agent_doc
