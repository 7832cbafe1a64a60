// What it is: the only source of chance of a simulated run: the same seed always gives the same
// numbers.
// What it is not: random enough for anything else.
// Thread rule: one object per run.
#pragma once

#include <cstdint>

namespace agent_doc::simulation {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  /// SplitMix64: cheap to start, which a generator with a large state is not.
  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint32_t below(std::uint32_t bound) {
    return bound == 0 ? 0 : static_cast<std::uint32_t>(roll() % bound);
  }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace agent_doc::simulation
