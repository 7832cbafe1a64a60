#include "server/markdown/front_matter.hpp"

#include "server/markdown/front_matter_syntax.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_doc::markdown {

namespace front_matter_keys {

struct Alias {
  std::string_view key;
  std::string_view alias;
};
constexpr Alias kAliases[] = {{"agent_doc_session", "session"}, {"agent_doc_mode", "mode"}, {"agent_doc_mode", "response_mode"}};

/// Keys that show that a document is ours, besides all that begin with "agent_doc_". `mode`, `links`, `thinking` and the like are not
/// among them: site generators use these names, too.
constexpr std::string_view kTelling[] = {"session", "resume", "agent", "model", "response_mode", "forked_from"};

}  // namespace front_matter_keys

const FrontMatterEntry* FrontMatter::find(std::string_view key) const {
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [key](const FrontMatterEntry& entry) { return entry.key == key; });
  return found == entries.rend() ? nullptr : &*found;
}

std::string FrontMatter::value_of(std::string_view key) const {
  if (const FrontMatterEntry* entry = find(key)) return entry->value;
  for (const auto& [name, alias] : front_matter_keys::kAliases) {
    const FrontMatterEntry* entry = name == key ? find(alias) : nullptr;
    if (entry) return entry->value;
  }
  return {};
}

bool FrontMatter::is_session_document() const {
  return std::any_of(entries.begin(), entries.end(), [](const FrontMatterEntry& entry) {
    const auto* const end = std::end(front_matter_keys::kTelling);
    return entry.key.starts_with("agent_doc_") || std::find(std::begin(front_matter_keys::kTelling), end, entry.key) != end;
  });
}

FrontMatter read_front_matter(std::string_view document) {
  return std::move(parse_front_matter(document).front_matter);
}

}  // namespace agent_doc::markdown
