// What it is: pieces of a document as they were at one moment, and what changes have left of them.
// What it is not: it does not know who made a change.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/sync/region.hpp"
#include "server/text/edit.hpp"

#include <cstddef>
#include <vector>

namespace agent_doc::sync {

class StandingTexts {
 public:
  /// Adds bytes [begin, end) of the document. Its index is the number of those before it.
  void add(std::size_t begin, std::size_t end);
  void clear() { texts_.clear(); }
  /// Moves what is left by a change of the document. Costs little where that touches none.
  void map(const text::Edit& edit);
  /// Returns what is left of the text `index`, as bytes of the document now.
  const EditedText& at(std::size_t index) const { return texts_[index]; }

 private:
  std::vector<EditedText> texts_;
};

}  // namespace agent_doc::sync
