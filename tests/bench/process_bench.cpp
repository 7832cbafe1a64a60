// Start of the real binary to the answer of initialize, and what it holds in memory then.

#include "tests/bench/real_server.hpp"

#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

namespace {

double resident_megabytes(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atof(line.c_str() + 6) / 1024.0;
  }
  return 0;
}

void BM_StartToInitialized(benchmark::State& state) {
  double memory = 0;
  for (auto _ : state) {
    agent_doc::bench::RealServer server(1, 1);
    server.client->initialize();
    state.PauseTiming();
    memory = resident_megabytes(server.client->pid());
    server.client->shut_down();
    state.ResumeTiming();
  }
  state.counters["idle_MB"] = memory;
}
BENCHMARK(BM_StartToInitialized)->Unit(benchmark::kMillisecond);

}  // namespace
