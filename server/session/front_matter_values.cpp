#include "server/session/front_matter_values.hpp"

#include "server/markdown/front_matter.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace {

/// Behind the front matter so much of the body is looked at: it decides about blank lines and line
/// ends.
constexpr std::size_t kBodyLookedAt = 4096;

}  // namespace

std::optional<text::Edit> set_front_matter(std::string_view document,
                                           const std::vector<FrontMatterValue>& values,
                                           std::string_view agent) {
  const std::size_t body = markdown::read_front_matter(document).body_begin;
  const std::string_view head = document.substr(0, std::min(document.size(), body + kBodyLookedAt));
  std::optional<text::Edit> first;
  std::string wanted(head);
  for (const FrontMatterValue& value : values) {
    const std::optional<text::Edit> edit =
        markdown::set_value(wanted, value.key, value.value, agent);
    if (!edit) continue;
    if (!first) first = edit;
    wanted.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  }
  if (!first) return std::nullopt;
  text::Edit all = text::minimise({0, head.size(), std::move(wanted)}, head);
  return all.begin == all.end ? all : *first;
}

std::optional<text::Edit> add_front_matter(std::string_view document,
                                           std::vector<FrontMatterValue> values,
                                           std::string_view agent) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  std::erase_if(values, [&front_matter](const FrontMatterValue& value) {
    return !front_matter.value_of(value.key).empty();
  });
  return set_front_matter(document, values, agent);
}

std::optional<text::Edit> set_session(std::string_view document, std::string_view agent,
                                      std::string_view session, std::string_view other_owner) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  const markdown::FrontMatterEntry* resume = front_matter.find("resume");
  const bool is_other =
      resume != nullptr && !resume->is_map && !resume->value.empty() && !other_owner.empty();
  if (!is_other) return markdown::set_value(document, "resume", session, agent);
  if (resume->value == session) return std::nullopt;
  return markdown::replace_by_map(
      document, "resume",
      {{std::string(other_owner), resume->value}, {std::string(agent), std::string(session)}});
}

}  // namespace agent_doc::session
