// What it is: what the benchmarks of latency share: a document of a size, and how old the agent's
// marks ("@" and 19 digits: the steady clock's nanoseconds just before the agent wrote the line)
// are when they are seen.
// What it is not: a test.
// Thread rule: one thread.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::bench {

/// Further apart than the pace of edits, so that no line waits for it.
inline constexpr int kMillisecondsBetweenLines = 40;

inline std::string document_of(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes)
    text += "A line of the document, as long as lines of prose are wont to be in one.\n";
  return text;
}

class Ages {
 public:
  /// Takes the time, and notes how old the marks in `text` are that were not seen before.
  void see(std::string_view text) {
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count();
    for (std::size_t at = text.find('@'); at != std::string_view::npos && at + 20 <= text.size();
         at = text.find('@', at + 1)) {
      const long long mark = std::atoll(std::string(text.substr(at + 1, 19)).c_str());
      if (mark <= newest_) continue;
      newest_ = mark;
      microseconds_.push_back(static_cast<double>(now - mark) / 1000.0);
    }
  }

  /// p50, p99 and the number of marks, as counters of `state`.
  void report(benchmark::State& state) {
    if (microseconds_.empty()) return state.SkipWithError("no text arrived");
    std::sort(microseconds_.begin(), microseconds_.end());
    state.counters["p50_us"] = microseconds_[microseconds_.size() / 2];
    state.counters["p99_us"] = microseconds_[microseconds_.size() * 99 / 100];
    state.counters["samples"] = static_cast<double>(microseconds_.size());
  }

 private:
  long long newest_ = 0;
  std::vector<double> microseconds_;
};

}  // namespace agent_doc::bench
