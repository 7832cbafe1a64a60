#include "server/markdown/front_matter.hpp"

#include "server/markdown/front_matter_keys.hpp"
#include "server/markdown/front_matter_syntax.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::markdown {

const FrontMatterEntry* FrontMatter::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.rbegin(), entries.rend(),
                   [key](const FrontMatterEntry& entry) { return entry.key == key; });
  return found == entries.rend() ? nullptr : &*found;
}

std::string FrontMatter::value_of(std::string_view key) const {
  if (const FrontMatterEntry* entry = find(key)) return entry->value;
  const FrontMatterKey* row = find_front_matter_key(key);
  const FrontMatterEntry* entry =
      row != nullptr && row->key == key && !row->alias.empty() ? find(row->alias) : nullptr;
  return entry != nullptr ? entry->value : std::string();
}

bool FrontMatter::is_session_document() const {
  return std::any_of(entries.begin(), entries.end(), [](const FrontMatterEntry& entry) {
    return marks_session_document(entry.key);
  });
}

FrontMatter read_front_matter(std::string_view document) {
  return std::move(parse_front_matter(document).front_matter);
}

}  // namespace agent_doc::markdown
