// A stream as claude's are (2,900 lines, 2,800 deltas, one line of 200 KB; 1,354,937 bytes) from
// its bytes to the reply: line reader, protocol, turn. What counts: below 0.1 s of CPU, and ten
// times the stream in at most twelve times as much.

#include "plugins/registry.hpp"
#include "server/process/line_reader.hpp"
#include "server/turn/turn.hpp"

#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace {

using namespace agent_doc;

constexpr std::size_t kLines = 2'900;
constexpr std::size_t kDeltas = 2'800;
constexpr std::size_t kLongLine = 200'000;
constexpr std::size_t kBytes = 1'354'937;
constexpr std::size_t kPipe = 64 * 1024;
constexpr double kMostSeconds = 0.1;
constexpr double kMostTimes = 12;

std::string event(const std::string& content) {
  return R"({"type":"stream_event","event":)" + content +
         R"(,"session_id":"0a4bb7a8-63cf-44bd-8d8e-3ff4ff5e2a11","parent_tool_use_id":null})"
         "\n";
}

struct Stream {
  std::string bytes;
  std::string reply;
  std::size_t lines = 0;

  void add(const std::string& line) {
    bytes += line;
    ++lines;
  }
};

/// `times` streams in one: so many more lines, deltas and long lines.
Stream make_stream(std::size_t times) {
  Stream stream;
  stream.add(
      R"({"type":"system","subtype":"init","session_id":"0a4bb7a8-63cf-44bd-8d8e-3ff4ff5e2a11","model":"m","cwd":"/srv/proj"})"
      "\n");
  stream.add(event(R"({"type":"message_start","message":{"id":"msg_1","content":[]}})"));
  stream.add(event(
      R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"));
  for (std::size_t delta = 0; delta < kDeltas * times; ++delta) {
    const std::string text =
        delta % 20 == 19 ? "end of `line`.\\n" : "word" + std::to_string(delta) + " ";
    stream.reply += delta % 20 == 19 ? "end of `line`.\n" : text;
    stream.add(
        event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
              text + "\"}}"));
  }
  for (std::size_t line = 0; line < times; ++line) {
    stream.add(
        R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":")" +
        std::string(kLongLine, 'x') + "\"}]}}\n");
  }
  const std::string end =
      event(R"({"type":"message_stop"})") +
      R"({"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"","session_id":"0a4bb7a8"})"
      "\n";
  const std::size_t fillers = kLines * times - stream.lines - 2;
  const std::string_view begin = R"({"type":"system","subtype":"status","status":")";
  for (std::size_t filler = 0; filler < fillers; ++filler) {
    const std::size_t left = kBytes * times - stream.bytes.size() - end.size();
    const std::size_t length = left / (fillers - filler) - begin.size() - 3;
    stream.add(std::string(begin) + std::string(length, 's') + "\"}\n");
  }
  stream.bytes += end;
  stream.lines += 2;
  return stream;
}

class Document final : public turn::RegionWrites {
 public:
  void write(const turn::RegionWrite& write) override {
    text_.replace(write.offset, std::string::npos, write.text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Agent final : public plugins::Actions {
 public:
  Agent()
      : protocol_(plugins::make_protocol({"claude", "claude", "claude", {}, {}})),
        turn_(turn::Rounds::Last, turn::Thinking::None, document_) {
    protocol_->launch({});
    protocol_->begin_turn({"prompt"}, *this);
  }
  void read(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += kPipe) {
      reader_.feed(bytes.substr(at, kPipe));
      while (const std::optional<process::Line> line = reader_.next()) {
        turn_.on_line(std::get<std::string_view>(*line).size());
        protocol_->on_line(std::get<std::string_view>(*line), *this);
      }
    }
  }
  const turn::Turn& turn() const { return turn_; }
  const std::string& text() const { return document_.text(); }

  void emit(const plugins::AgentEvent& event) override { turn_.on_event(event); }
  void write_line(std::string) override {}
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

 private:
  Document document_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  turn::Turn turn_;
  process::LineReader reader_;
};

bool reads_well(const Stream& stream, std::size_t times) {
  Agent agent;
  agent.read(stream.bytes);
  std::string reply = stream.reply;
  while (reply.ends_with('\n')) reply.pop_back();
  return stream.bytes.size() == kBytes * times && stream.lines == kLines * times &&
         agent.turn().health().lines == stream.lines &&
         agent.turn().health().reply.deltas == kDeltas * times &&
         agent.turn().state() == turn::TurnState::Done && agent.text() == reply;
}

double cpu_seconds(const Stream& stream) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  Agent agent;
  agent.read(stream.bytes);
  benchmark::DoNotOptimize(agent.text().size());
  return now() - begin;
}

void BM_Stream(benchmark::State& state) {
  const auto times = static_cast<std::size_t>(state.range(0));
  const Stream stream = make_stream(times);
  if (!reads_well(stream, times)) return state.SkipWithError("the stream did not come out right");
  for (auto _ : state) {
    Agent agent;
    agent.read(stream.bytes);
    benchmark::DoNotOptimize(agent.text().size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(stream.bytes.size()));
}
BENCHMARK(BM_Stream)->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

void BM_TenTimesTheStream(benchmark::State& state) {
  const Stream once = make_stream(1);
  const Stream ten_times = make_stream(10);
  constexpr int kAttempts = 7;
  double one = kMostSeconds * 100;
  double ten = one * 100;
  for (auto _ : state) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      one = std::min(one, cpu_seconds(once));
      ten = std::min(ten, cpu_seconds(ten_times));
    }
  }
  state.counters["cpu_ms"] = one * 1e3;
  state.counters["times"] = ten / one;
  if (one > kMostSeconds) state.SkipWithError("more than 0.1 s of CPU for one stream");
  if (ten > kMostTimes * one)
    state.SkipWithError("ten times the stream took more than twelve times as much");
}
BENCHMARK(BM_TenTimesTheStream)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
