#include "server/sync/delta.hpp"

#include <algorithm>
#include <cassert>

namespace agent_doc::sync {

Delta::Delta(const text::Edit& edit, std::string_view removed) {
  compose(edit, removed);
}

void Delta::compose(const text::Edit& edit, std::string_view removed) {
  assert(removed.size() == edit.end - edit.begin);
  // Pieces that overlap or touch the edit melt into one with it. `begin` and `end` of a piece here
  // are those in the text before this edit.
  std::ptrdiff_t shift = 0;
  std::size_t first = 0;
  for (; first < pieces_.size(); ++first) {
    const Piece& piece = pieces_[first];
    const std::size_t end = piece.begin + static_cast<std::size_t>(shift) + piece.after.size();
    if (end >= edit.begin) break;
    shift += static_cast<std::ptrdiff_t>(piece.after.size()) -
             static_cast<std::ptrdiff_t>(piece.before.size());
  }
  Piece merged;
  merged.begin = edit.begin - static_cast<std::size_t>(shift);
  std::string behind;              // what stays of the last piece, behind the edit
  std::size_t taken = edit.begin;  // removed bytes before this place are accounted for
  std::size_t last = first;
  for (; last < pieces_.size(); ++last) {
    Piece& piece = pieces_[last];
    const std::size_t begin = piece.begin + static_cast<std::size_t>(shift);
    const std::size_t end = begin + piece.after.size();
    if (begin > edit.end) break;
    if (begin < edit.begin) {
      merged.begin = piece.begin;
      merged.after.assign(piece.after, 0, edit.begin - begin);
    } else {
      merged.before.append(removed.substr(taken - edit.begin, begin - taken));
    }
    merged.before += piece.before;
    taken = std::min(end, edit.end);
    if (end > edit.end) behind.assign(piece.after, edit.end - begin, std::string::npos);
    shift += static_cast<std::ptrdiff_t>(piece.after.size()) -
             static_cast<std::ptrdiff_t>(piece.before.size());
  }
  merged.before.append(removed.substr(taken - edit.begin));
  merged.after += edit.replacement;
  merged.after += behind;
  growth_ += static_cast<std::ptrdiff_t>(edit.replacement.size()) -
             static_cast<std::ptrdiff_t>(removed.size());
  const auto at = pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(first),
                                pieces_.begin() + static_cast<std::ptrdiff_t>(last));
  if (!merged.before.empty() || !merged.after.empty()) pieces_.insert(at, std::move(merged));
}

std::size_t Delta::base_offset(std::size_t offset) const {
  std::ptrdiff_t shift = 0;
  for (const Piece& piece : pieces_) {
    const std::size_t begin = piece.begin + static_cast<std::size_t>(shift);
    if (offset <= begin) break;
    if (offset <= begin + piece.after.size()) return piece.begin + piece.before.size();
    shift += static_cast<std::ptrdiff_t>(piece.after.size()) -
             static_cast<std::ptrdiff_t>(piece.before.size());
  }
  return offset - static_cast<std::size_t>(shift);
}

namespace {

/// Reads the base of a delta, given the text after it.
class BaseReader {
 public:
  BaseReader(const Delta& delta, std::string_view text) : delta_(delta), text_(text) {}

  /// Appends the base's bytes [begin, end) to `out`.
  void append(std::size_t begin, std::size_t end, std::string& out) const {
    std::ptrdiff_t shift = 0;
    for (const Delta::Piece& piece : delta_.pieces()) {
      if (begin >= end) return;
      if (begin < piece.begin) {
        const std::size_t stop = std::min(end, piece.begin);
        out.append(text_.substr(begin + static_cast<std::size_t>(shift), stop - begin));
        begin = stop;
      }
      const std::size_t piece_end = piece.begin + piece.before.size();
      if (begin >= piece.begin && begin < piece_end && begin < end) {
        const std::size_t stop = std::min(end, piece_end);
        out.append(piece.before, begin - piece.begin, stop - begin);
        begin = stop;
      }
      shift += static_cast<std::ptrdiff_t>(piece.after.size()) -
               static_cast<std::ptrdiff_t>(piece.before.size());
    }
    if (begin < end) out.append(text_.substr(begin + static_cast<std::size_t>(shift), end - begin));
  }

 private:
  const Delta& delta_;
  std::string_view text_;
};

std::size_t end_of(const Delta& delta) {
  return delta.pieces().back().begin + delta.pieces().back().before.size();
}

}  // namespace

bool same_result(const Delta& left, const Delta& right, std::string_view text) {
  if (left.growth() != right.growth()) return false;
  if (left.pieces().empty() && right.pieces().empty()) return true;
  const Delta& some = left.pieces().empty() ? right : left;
  const Delta& other = right.pieces().empty() ? left : right;
  const std::size_t begin = std::min(some.pieces().front().begin, other.pieces().front().begin);
  const std::size_t end = std::max(end_of(some), end_of(other));
  const BaseReader base(left, text);
  std::string expected;
  std::size_t at = begin;
  for (const Delta::Piece& piece : right.pieces()) {
    base.append(at, piece.begin, expected);
    expected += piece.after;
    at = piece.begin + piece.before.size();
  }
  base.append(at, end, expected);
  return text.substr(begin, expected.size()) == expected;
}

bool same_change(const text::Edit& left, const text::Edit& right, std::string_view base) {
  const auto growth = [](const text::Edit& edit) {
    return static_cast<std::ptrdiff_t>(edit.replacement.size()) -
           static_cast<std::ptrdiff_t>(edit.end - edit.begin);
  };
  if (growth(left) != growth(right)) return false;
  const std::size_t begin = std::min(left.begin, right.begin);
  const std::size_t end = std::max(left.end, right.end);
  const auto result = [&](const text::Edit& edit) {
    std::string text(base.substr(begin, edit.begin - begin));
    text += edit.replacement;
    text += base.substr(edit.end, end - edit.end);
    return text;
  };
  return result(left) == result(right);
}

}  // namespace agent_doc::sync
