// What a delta and its edit cost at the end of a long line, in a client of UTF-16: the same at
// 4 KB, 400 KB and 4 MB. Everything from the agent's line to the edit, and back from didChange.

#include "tests/fakes/session_world.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <string>

namespace {

using agent_doc::fakes::SessionWorld;

constexpr std::size_t kShort = 4'000;
constexpr std::size_t kLong = 400'000;
constexpr double kMostTimes = 3;

std::string chinese(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "\u4E2D\u6587";
  return text;
}

std::unique_ptr<SessionWorld> world_with_line_of(std::size_t bytes) {
  auto world = std::make_unique<SessionWorld>("## User\n\nHello?\n");
  if (!std::holds_alternative<std::string>(world->session.run({}))) return nullptr;
  world->say_message_start("m1");
  world->say_text(chinese(bytes));
  world->run_until_quiet();
  return world;
}

void say_and_write(SessionWorld& world) {
  world.say_text("\u4E2D\u6587\u4E2D\u6587");
  world.clock += 2 * agent_doc::session::kPaceForOurPlugins.interval;
  world.session.wake();
  while (world.step()) {
  }
}

void BM_AppendToLongLine(benchmark::State& state) {
  const auto world = world_with_line_of(static_cast<std::size_t>(state.range(0)));
  if (!world) return state.SkipWithError("the run was refused");
  for (auto _ : state) say_and_write(*world);
}
BENCHMARK(BM_AppendToLongLine)
    ->Arg(kShort)
    ->Arg(kLong)
    ->Arg(10 * kLong)
    ->Unit(benchmark::kMicrosecond);

void BM_HundredTimesTheLine(benchmark::State& state) {
  constexpr int kEdits = 200;
  constexpr int kAttempts = 7;
  const auto seconds = [](SessionWorld& world) {
    timespec begin{};
    timespec end{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int edit = 0; edit < kEdits; ++edit) say_and_write(world);
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return static_cast<double>(end.tv_sec - begin.tv_sec) +
           static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
  };
  const auto in_short = world_with_line_of(kShort);
  const auto in_long = world_with_line_of(kLong);
  if (!in_short || !in_long) return state.SkipWithError("the run was refused");
  double one = 1e9;
  double hundred = 1e9;
  for (auto _ : state) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      one = std::min(one, seconds(*in_short));
      hundred = std::min(hundred, seconds(*in_long));
    }
  }
  state.counters["edit_us"] = one / kEdits * 1e6;
  state.counters["times"] = hundred / one;
  if (hundred > kMostTimes * one)
    state.SkipWithError("an edit costs more in a line of hundred times the length");
}
BENCHMARK(BM_HundredTimesTheLine)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
