#include "tests/simulation/text_judge.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace agent_doc::simulation {

namespace text_judge_internal {

class TextJudge {
 public:
  explicit TextJudge(TextDemand demand) : demand_(std::move(demand)) {}

  bool accepts(const std::string& text, const std::vector<bool>& free) {
    states_ = {{{0, 0}, {demand_.holes, demand_.extras}}};
    for (std::size_t t = 0; t < text.size(); ++t) {
      spread();
      States next;
      for (const auto& [place, budget] : states_) {
        const auto [i, j] = place;
        if (i < demand_.person.size() && demand_.person[i] == text[t])
          keep(next, {i + 1, j}, budget);
        if (j < demand_.server.size() && demand_.server[j] == text[t])
          keep(next, {i, j + 1}, budget);
        if (free[t]) {
          keep(next, place, budget);
        } else if (budget.extras > 0) {
          keep(next, place, {budget.holes, budget.extras - 1});
        }
      }
      states_ = std::move(next);
    }
    spread();
    return states_.count({demand_.person.size(), demand_.server.size()}) > 0;
  }

 private:
  using PlaceInBoth = std::pair<std::size_t, std::size_t>;
  struct Budget {
    int holes;
    int extras;
  };
  using States = std::map<PlaceInBoth, Budget>;

  static void keep(States& states, PlaceInBoth place, Budget budget) {
    const auto [at, is_new] = states.emplace(place, budget);
    if (!is_new && budget.holes + budget.extras > at->second.holes + at->second.extras)
      at->second = budget;
  }

  /// Adds what can be reached without a byte of the text. The map is in ascending order, so one
  /// pass suffices.
  void spread() {
    for (auto state = states_.begin(); state != states_.end(); ++state) {
      const auto [place, budget] = *state;
      if (place.second < demand_.server.size() && budget.holes > 0)
        keep(states_, {place.first, place.second + 1}, {budget.holes - 1, budget.extras});
      for (const auto& [begin, end] : demand_.cuts) {
        if (place.second >= begin && place.second < end) keep(states_, {place.first, end}, budget);
      }
    }
  }

  TextDemand demand_;
  States states_;
};

/// Whether all of `demand.server` stands in `text` in order, whatever stands between.
bool holds_in_order(const std::string& text, const TextDemand& demand) {
  constexpr int kUnreachable = -1;
  std::vector<int> holes(demand.server.size() + 1,
                         kUnreachable);  // left when so many bytes are found
  holes[0] = demand.holes;
  const auto skip = [&] {
    for (std::size_t j = 0; j < demand.server.size(); ++j) {
      if (holes[j] == kUnreachable) continue;
      holes[j + 1] = std::max(holes[j + 1], holes[j] - 1);
      for (const auto& [begin, end] : demand.cuts) {
        if (j >= begin && j < end) holes[end] = std::max(holes[end], holes[j]);
      }
    }
  };
  skip();
  for (const char byte : text) {
    for (std::size_t j = demand.server.size(); j-- > 0;) {
      if (demand.server[j] == byte) holes[j + 1] = std::max(holes[j + 1], holes[j]);
    }
    skip();
  }
  return holes.back() != kUnreachable;
}

}  // namespace text_judge_internal

bool accepts_text(TextDemand demand, const std::string& text, const std::vector<bool>& free) {
  return text_judge_internal::TextJudge(std::move(demand)).accepts(text, free);
}

bool has_all_bytes(const std::string& text, const TextDemand& demand, ServerBytes order) {
  std::map<char, int> left;
  for (const char byte : text) ++left[byte];
  for (const char byte : demand.person + demand.server) --left[byte];
  std::size_t unwritten = 0;
  for (const auto& [begin, end] : demand.cuts) unwritten += end - begin;
  int missing = -static_cast<int>(unwritten);
  int surplus = 0;
  for (const auto& [byte, count] : left) (count < 0 ? missing : surplus) += std::abs(count);
  if (missing > demand.holes || surplus > demand.extras) return false;
  return order == ServerBytes::InAnyOrder || text_judge_internal::holds_in_order(text, demand);
}

}  // namespace agent_doc::simulation
