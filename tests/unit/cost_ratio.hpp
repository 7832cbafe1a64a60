// What it is: how much more CPU time a tenfold input costs than a single one, in one run.
// What it is not: a measurement (tests/bench): work that grows with the square of its input costs a
// hundred times as much, and nothing else does.
// Thread rule: the CPU time of the calling thread.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace agent_doc::test {

/// Linear work is at 10; a cache that is left behind may make 12 of it, a busy machine some more.
inline constexpr double kMostForTenfold = 20;

template <class Work>
double cpu_seconds(const Work& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  work();
  return now() - begin;
}

/// Returns the least that `work(input(10 * size))` costs in some attempts, in units of the least
/// that `work(input(size))` does.
template <class Input, class Work>
double cost_of_tenfold(std::size_t size, const Input& input, const Work& work) {
  constexpr int kAttempts = 5;
  const auto once = input(size);
  const auto tenfold = input(10 * size);
  double one = std::numeric_limits<double>::max();
  double ten = one;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    one = std::min(one, cpu_seconds([&] { work(once); }));
    ten = std::min(ten, cpu_seconds([&] { work(tenfold); }));
    if (ten < kMostForTenfold / 2 * one) break;
  }
  return ten / one;
}

}  // namespace agent_doc::test
