// The text of a document, taken apart once for all who look at it: its front matter and its turns.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"

#include <string_view>
#include <utility>

namespace agent_doc::session {

struct DocumentParts {
  markdown::FrontMatter front_matter;
  markdown::InlineTurns turns;
};

/// Costs the document.
inline DocumentParts parts_of(std::string_view document) {
  markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  markdown::InlineTurns turns = markdown::find_turns(document, front_matter.body_begin);
  return {std::move(front_matter), std::move(turns)};
}

}  // namespace agent_doc::session
