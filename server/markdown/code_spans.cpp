#include "server/markdown/code_spans.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

std::size_t run_of_backticks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of('`', at), text.size()) - at;
}

}  // namespace

std::size_t CodeSpans::end_of(std::size_t at) {
  if (last_.empty()) find_last();
  const std::size_t length = run_of_backticks(paragraph_, at);
  if (last_.at(length) == at) return at + length;
  std::size_t next = at + length;
  while (true) {
    next = paragraph_.find('`', next);
    const std::size_t found = run_of_backticks(paragraph_, next);
    next += found;
    if (found == length) return next;
  }
}

void CodeSpans::find_last() {
  for (std::size_t at = paragraph_.find('`'); at != std::string_view::npos;) {
    const std::size_t length = run_of_backticks(paragraph_, at);
    last_[length] = at;
    at = paragraph_.find('`', at + length);
  }
}

}  // namespace agent_doc::markdown
