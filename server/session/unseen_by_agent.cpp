#include "server/session/unseen_by_agent.hpp"

#include "server/session/document_parts.hpp"
#include "server/session/fork.hpp"
#include "server/session/run_plan.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace {

constexpr std::string_view kLineEnds = "\r\n";

/// The line that byte `at` of a text is on, without its line end.
struct LineAt {
  std::size_t begin = 0;
  std::size_t end = 0;
};

LineAt line_at(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_of(kLineEnds);
  return {before == std::string_view::npos ? 0 : before + 1,
          std::min(text.find_first_of(kLineEnds, at), text.size())};
}

}  // namespace

void UnseenByAgent::compare_with(Knower knower, std::optional<std::string> earlier) {
  forget();
  knower_ = std::move(knower);
  is_known_ = earlier.has_value();
  if (earlier) changes_.begin(std::move(*earlier));
}

void UnseenByAgent::forget() {
  *this = UnseenByAgent();
}

void UnseenByAgent::look(std::string_view document, const DocumentParts& parts,
                         std::uint64_t changes) {
  const std::size_t body = parts.front_matter.body_begin;
  const std::size_t end = end_above_prompt(document, body, parts.turns.turns.back());
  prompt_begin_ = end;
  looked_at_ = changes;
  if (!is_known_) return;
  std::vector<std::size_t> turns;
  for (const markdown::InlineTurn& turn : parts.turns.turns)
    turns.push_back(turn.heading_begin - body);
  changes_.look(document.substr(body, end - body), turns);
  places_ = changes_.places();
  for (turn::UnseenPlace& place : places_) {
    place.begin += body;
    place.end += body;
  }
}

std::vector<std::size_t> UnseenByAgent::places_at(std::string_view document, std::size_t begin,
                                                  std::size_t end) const {
  const std::size_t first = line_at(document, begin).begin;
  const std::size_t last = line_at(document, std::max(begin, end)).end;
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < places_.size(); ++number) {
    if (places_[number].begin <= last && first <= places_[number].end) numbers.push_back(number);
  }
  return numbers;
}

turn::CountedAsSeen UnseenByAgent::counted(const std::vector<std::size_t>& numbers,
                                           std::size_t mark) const {
  std::vector<turn::UnseenPlace> chosen;
  for (const std::size_t number : numbers) chosen.push_back(changes_.places()[number]);
  return turn::count_as_seen(changes_.earlier(), chosen, mark);
}

std::size_t turns_before(std::string_view document, const DocumentParts& parts,
                         const turn::UnseenPlace& place) {
  // Where lines were only taken out, they may have been the last ones of what is above.
  const bool is_gone = place.begin == place.end;
  const std::size_t text_end = document.substr(0, place.begin).find_last_not_of(" \t\r\n") + 1;
  const std::vector<std::size_t> ends = ends_of_replies(document, parts.front_matter);
  return static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), [&](std::size_t end) {
    return is_gone ? end < text_end : end <= place.begin;
  }));
}

}  // namespace agent_doc::session
