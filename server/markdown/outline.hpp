// The turns of a document for symbols, folds and lenses: with a title, the line of the heading, and
// the end of the text. Offsets are bytes of the document.
#pragma once

#include "server/markdown/turns.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

inline constexpr std::size_t kMaxTitleBytes = 80;

/// One turn of the outline.
struct OutlineEntry {
  Speaker speaker = Speaker::User;
  std::size_t heading_begin = 0;
  /// End of the heading's line, or of the first line when there is no heading; before the line end.
  std::size_t heading_end = 0;
  std::size_t body_begin = 0;
  /// After the last character that is not white space; heading_end when there is none.
  std::size_t text_end = 0;
  std::size_t end = 0;  ///< the next turn, or the end of the document
  /// The first line of the text, at most kMaxTitleBytes; empty when there is no text.
  std::string title;
};

/// Returns the turns in order. Costs O(document).
std::vector<OutlineEntry> outline(std::string_view document, const FrontMatter& front_matter);

}  // namespace agent_doc::markdown
