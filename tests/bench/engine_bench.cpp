// Lines per second through the whole engine (claude's protocol, reply, session, sync, edits as
// JSON-RPC frames) against Boost.JSON only parsing the same lines, in one run: the ratio is what
// counts.

#include "plugins/registry.hpp"
#include "protocol/framing.hpp"
#include "protocol/jsonrpc.hpp"
#include "tests/fakes/session_world.hpp"

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using agent_doc::fakes::SessionWorld;

/// The recorded stream of a reply of 1,200 deltas.
const std::vector<std::string>& recorded_lines() {
  static const std::vector<std::string> lines = [] {
    std::ifstream file(AGENT_DOC_TEST_DATA "/transcripts/claude/long.partial.ndjson");
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) result.push_back(line);
    return result;
  }();
  return lines;
}

void count(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const std::string& line : recorded_lines()) bytes += line.size() + 1;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(recorded_lines().size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void BM_BoostJsonParseOnly(benchmark::State& state) {
  for (auto _ : state) {
    for (const std::string& line : recorded_lines()) {
      boost::json::value value = boost::json::parse(line);
      benchmark::DoNotOptimize(value);
    }
  }
  count(state);
}
BENCHMARK(BM_BoostJsonParseOnly)->Unit(benchmark::kMillisecond);

void BM_WholeEngine(benchmark::State& state) {
  const std::string document(static_cast<std::size_t>(state.range(0)), 'x');
  std::size_t framed = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<SessionWorld>("## User\n\n" + document + "\n");
    if (!std::holds_alternative<std::string>(world->session.run({})))
      state.SkipWithError("the run was refused");
    state.ResumeTiming();
    int lines = 0;
    for (const std::string& line : recorded_lines()) {
      world->say(line);
      if (++lines % 16 != 0)
        continue;  // the editor answers, and an edit is due, every now and then
      if (world->edit)
        framed += agent_doc::protocol::frame(
                      agent_doc::protocol::serialise_notification(
                          "edit", boost::json::value(world->edit->edit.replacement)))
                      .size();
      world->clock += agent_doc::session::kPaceForOurPlugins.interval;
      world->step();
      world->session.wake();
    }
    world->run_until_quiet();
    state.PauseTiming();
    if (world->views.back().state != agent_doc::turn::TurnState::Done)
      state.SkipWithError("the turn did not end well");
    world.reset();
    state.ResumeTiming();
  }
  benchmark::DoNotOptimize(framed);
  count(state);
}
BENCHMARK(BM_WholeEngine)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
