// The cost of one edit of the person, by size of the document: the whole of didChange behind the
// JSON, with and without a reply that streams.

#include "server/markdown/scanner.hpp"
#include "tests/fakes/session_world.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>

namespace {

using agent_doc::fakes::SessionWorld;

std::string document_of(std::size_t bytes) {
  std::string text = "## User\n\n";
  while (text.size() < bytes)
    text += "A line of the document, as long as lines of prose are wont to be in one.\n";
  return text;
}

void BM_TypeOneCharacter(benchmark::State& state) {
  auto world =
      std::make_unique<SessionWorld>(document_of(static_cast<std::size_t>(state.range(0))));
  std::mt19937 random(1);
  std::int64_t version = 1;
  for (auto _ : state) {
    const std::size_t at = random() % world->session.engine().shadow().size();
    world->session.did_change(++version, {agent_doc::text::Edit{at, at, "x"}});
  }
}
BENCHMARK(BM_TypeOneCharacter)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMicrosecond);

void BM_AppendToReply(benchmark::State& state) {
  SessionWorld world(document_of(static_cast<std::size_t>(state.range(0))));
  if (!std::holds_alternative<std::string>(world.session.run({})))
    state.SkipWithError("the run was refused");
  world.say_message_start("m1");
  world.run_until_quiet();
  int words = 0;
  for (auto _ : state) {
    world.say_text(++words % 12 == 0 ? "a line\\n" : "a word ");
    world.clock += agent_doc::session::kPaceForOurPlugins.interval;
    world.session.wake();
    while (world.step()) {
    }
  }
}
BENCHMARK(BM_AppendToReply)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMicrosecond);

void BM_ScanMarkdown(benchmark::State& state) {
  const std::string text = document_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(agent_doc::markdown::scan(text, 0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_ScanMarkdown)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

}  // namespace
