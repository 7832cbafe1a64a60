// What it is: how a text differs from an earlier one, as pieces of the earlier one; composed edit
// by edit at the cost of the edits, never of the text.
// What it is not: a diff: it only knows the edits that it was told.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

class Delta {
 public:
  /// The bytes `before` at `begin` of the base became `after`.
  struct Piece {
    std::size_t begin = 0;
    std::string before;
    std::string after;
  };

  Delta() = default;
  /// One edit of the base, which has `removed` at [edit.begin, edit.end).
  Delta(const text::Edit& edit, std::string_view removed);

  /// Adds an edit of the text as it is after all edits so far, which has `removed` at [edit.begin,
  /// edit.end).
  void compose(const text::Edit& edit, std::string_view removed);

  /// Where byte `offset` of the text after all edits stood in the base; inside an inserted text:
  /// behind what that replaced.
  std::size_t base_offset(std::size_t offset) const;

  /// Ascending, neither overlapping nor touching.
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Bytes that the text became longer.
  std::ptrdiff_t growth() const { return growth_; }

 private:
  std::vector<Piece> pieces_;
  std::ptrdiff_t growth_ = 0;
};

/// True when `left` and `right` turn their common base into the same text, wherever they put equal
/// bytes (an "a" inserted before or after an "a"). `text` is the base with `left` applied. Costs
/// the span from the first to the last piece of both, and nothing when they grow differently.
bool same_result(const Delta& left, const Delta& right, std::string_view text);

/// True when both edits turn `base` into the same text.
bool same_change(const text::Edit& left, const text::Edit& right, std::string_view base);

}  // namespace agent_doc::sync
