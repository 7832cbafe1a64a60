#include "server/session/agent_write.hpp"

#include "server/text/diff.hpp"

#include <string>
#include <utility>
#include <vector>

namespace agent_doc::session {

namespace {

/// `edit` of a text, as it stands when `changes` of the same text were made, one after the other.
std::vector<text::Edit> moved(const text::Edit& edit, const std::vector<text::Edit>& changes) {
  std::vector<text::Edit> edits{edit};
  for (const text::Edit& change : changes) {
    std::vector<text::Edit> next;
    for (const text::Edit& one : edits) {
      for (text::Edit& rebased : text::rebase(one, change)) next.push_back(std::move(rebased));
    }
    edits = std::move(next);
  }
  return edits;
}

}  // namespace

std::optional<text::Edit> agent_write(std::string_view base, std::string_view wanted,
                                      std::string_view now) {
  const std::vector<text::Edit> changes = text::sequential(text::diff(base, now));
  std::vector<text::Edit> edits;
  for (const text::Edit& edit : text::diff(base, wanted)) {
    for (text::Edit& moved : moved(edit, changes)) edits.push_back(std::move(moved));
  }
  if (edits.empty()) return std::nullopt;
  text::Edit all{edits.front().begin, edits.front().begin, {}};
  for (const text::Edit& edit : edits) {
    all.replacement.append(now.substr(all.end, edit.begin - all.end)).append(edit.replacement);
    all.end = edit.end;
  }
  return all;
}

}  // namespace agent_doc::session
