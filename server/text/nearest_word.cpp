#include "server/text/nearest_word.hpp"

#include <algorithm>
#include <vector>

namespace agent_doc::text {

namespace {

std::size_t typos_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t change = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({change, table[i - 1][j] + 1, table[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = kMaxTypos + 1;
  for (const std::string_view one : known) {
    const std::size_t typos =
        typos_between(word.substr(0, kMaxComparedBytes), one.substr(0, kMaxComparedBytes));
    if (typos >= least || typos >= one.size()) continue;
    least = typos;
    nearest = one;
  }
  return nearest;
}

}  // namespace agent_doc::text
