// What it is: the turns of a document as a person looks at them: with a title, the line of the
// heading, and where their text ends. For symbols, folds, lenses.
// What it is not: it knows nothing of what ran (session), nor positions of LSP.
// Thread rule: pure functions.
#pragma once

#include "server/markdown/turns.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

inline constexpr std::size_t kMaxTitleBytes = 80;

/// Bytes of the document.
struct OutlineEntry {
  Speaker speaker = Speaker::User;
  std::size_t heading_begin = 0;
  std::size_t heading_end =
      0;  ///< of its line, without the line end; of the first line for a turn without heading
  std::size_t body_begin = 0;
  std::size_t text_end =
      0;  ///< behind the last character that is not white space; heading_end when there is none
  std::size_t end = 0;  ///< the next turn, or the end of the document
  std::string
      title;  ///< the first line of the text, at most kMaxTitleBytes; empty when there is no text
};

/// Costs the document.
std::vector<OutlineEntry> outline(std::string_view document, const FrontMatter& front_matter);

}  // namespace agent_doc::markdown
