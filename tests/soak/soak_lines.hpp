// What it is: the lines of an agent in a soak: those of a recording of the real one, and between
// them lines of all sizes: the agent's own with a long text in them, unknown ones, broken ones.
// What it is not: a conversation that makes sense.
// Thread rule: one per test.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::soak {

inline constexpr std::size_t kLongestLine = 10'000'000;

/// How long lines are.
enum class Sizes {
  Everything,  ///< mostly short, one in a thousand of megabytes
  AboveBuffer  ///< each a little longer than what a line's JSON is read into (64 KiB)
};

class SoakLines {
 public:
  /// `recorded` are the lines of one turn; of those of them that hold text, longer ones are made.
  SoakLines(const std::vector<std::string>& recorded, std::uint32_t seed);

  std::string next(Sizes sizes);

 private:
  struct Template {
    std::string before, behind;  ///< of the text, in a line
  };
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::size_t size_of_next(Sizes sizes);
  std::string_view text(std::size_t size);

  std::mt19937 random_;
  std::string pool_;
  std::vector<Template> own_;
};

}  // namespace agent_doc::soak
