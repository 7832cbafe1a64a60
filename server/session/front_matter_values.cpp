#include "server/session/front_matter_values.hpp"

#include "server/markdown/front_matter.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace front_matter_values_internal {

/// Behind the front matter so much of the body is looked at: it decides about blank lines and line ends.
constexpr std::size_t kBodyLookedAt = 4096;

}  // namespace front_matter_values_internal

std::optional<text::Edit> set_front_matter(std::string_view document, const std::vector<FrontMatterValue>& values, std::string_view agent) {
  const std::size_t body = markdown::read_front_matter(document).body_begin;
  const std::string_view head = document.substr(0, std::min(document.size(), body + front_matter_values_internal::kBodyLookedAt));
  std::optional<text::Edit> first;
  std::string wanted(head);
  for (const FrontMatterValue& value : values) {
    const std::optional<text::Edit> edit = markdown::set_value(wanted, value.key, value.value, agent);
    if (!edit) continue;
    if (!first) first = edit;
    wanted.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  }
  if (!first) return std::nullopt;
  text::Edit all = text::minimise({0, head.size(), std::move(wanted)}, head);
  return all.begin == all.end ? all : *first;
}

}  // namespace agent_doc::session
