// What the store costs of a server in which ten documents stream a hundred deltas a second each:
// CPU time of both threads, a delta. A second of it, in real time, for what counts is how much is
// written at once.

#include "server/store/sqlite_journal.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace agent_doc;

constexpr int kDocuments = 10;
constexpr int kDeltas = 100;
constexpr std::chrono::milliseconds kBetween{10};

void BM_StoreOfTenStreams(benchmark::State& state) {
  const tests::TemporaryFolder folder;
  double cpu = 0;
  for (auto _ : state) {
    timespec begin{};
    timespec end{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    {
      auto journal = store::make_sqlite_journal(
          {folder / "state.db", "bench", [](const std::string&) { return true; }});
      std::vector<std::string> turns;
      for (int document = 0; document < kDocuments; ++document) {
        turns.push_back("turn-" + std::to_string(document) + "-of-ten-that-stream-at-once");
        journal->turn_began({turns.back(), "document-" + std::to_string(document), "/w/doc.md",
                             "prompt", "claude", "/w"});
      }
      const std::string text = "a word or two ";
      for (int delta = 0; delta < kDeltas; ++delta) {
        for (const std::string& turn : turns)
          journal->reply_changed(turn, static_cast<std::size_t>(delta) * text.size(), text);
        std::this_thread::sleep_for(kBetween);
      }
      for (const std::string& turn : turns)
        journal->turn_ended(turn, {"done", "m", "", "", 0, 0, 0});
    }
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    cpu += static_cast<double>(end.tv_sec - begin.tv_sec) +
           static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
  }
  state.counters["cpu_us_a_delta"] = cpu / kDocuments / kDeltas * 1e6;
}
BENCHMARK(BM_StoreOfTenStreams)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
