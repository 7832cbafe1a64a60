#include "server/sync/marks.hpp"

#include "server/sync/delta.hpp"

#include <algorithm>

namespace agent_doc::sync {

namespace marks_internal {

std::vector<OwnedSpan> mapped(const std::vector<OwnedSpan>& owned, const text::Edit& edit) {
  std::vector<OwnedSpan> result;
  result.reserve(owned.size() + 1);
  for (const OwnedSpan& span : owned) {
    if (edit.begin >= span.end()) {
      result.push_back(span);
    } else if (edit.end <= span.begin) {
      OwnedSpan moved = span;
      moved.begin = span.begin - (edit.end - edit.begin) + edit.replacement.size();
      result.push_back(moved);
    } else {
      if (edit.begin > span.begin) {
        OwnedSpan left = span;
        left.length = edit.begin - span.begin;
        result.push_back(left);
      }
      if (edit.end < span.end()) {
        OwnedSpan right = span;
        right.begin = edit.begin + edit.replacement.size();
        right.length = span.end() - edit.end;
        right.reply_begin = span.reply_begin + (edit.end - span.begin);
        result.push_back(right);
      }
    }
  }
  return result;
}

void map_offsets(RegionMarks& marks, const text::Edit& edit) {
  using text::Bias;
  using text::map_offset;
  marks.place = map_offset(marks.place, Bias::Right, edit);
  if (!marks.framed) return;
  marks.frame_begin = map_offset(marks.frame_begin, Bias::Right, edit);
  marks.heading_begin = map_offset(marks.heading_begin, Bias::Right, edit);
  marks.heading_end = map_offset(marks.heading_end, Bias::Left, edit);
  marks.head_end = map_offset(marks.head_end, Bias::Left, edit);
  marks.end = map_offset(marks.end, Bias::Left, edit);
  marks.frame_end = map_offset(marks.frame_end, Bias::Left, edit);
}

/// A deletion that takes the last of our text away, up to the insertion point or further: an undo looks like that.
void judge_tail_deletion(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (!edit.replacement.empty() || edit.begin >= marks.end || edit.end < marks.end || edit.begin < marks.heading_end) return;
  if (marks.owned.empty() || marks.owned.back().stale || marks.owned.back().end() != marks.end) return;
  marks.tail_deleted = true;
  marks.tail_restored = false;
  const OwnedSpan& last = marks.owned.back();
  if (edit.begin < last.begin) {
    marks.undone.clear();
    return;
  }
  const std::size_t length = marks.end - edit.begin;
  marks.undone.push_back({std::string(text.substr(edit.begin, length)), last.reply_begin + (edit.begin - last.begin), length});
}

/// A client that shows lines, not edits, may tell the undo of "\n- item" as a deletion of "- item\n", across the end of the reply. Then it is the undo.
text::Edit ending_at_tail(const RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  const std::size_t length = edit.end - edit.begin;
  const bool crosses = edit.replacement.empty() && edit.begin < marks.end && edit.end > marks.end && marks.end - marks.head_end >= length;
  if (!crosses || (text[marks.end] != '\n' && text[marks.end] != '\r')) return edit;
  text::Edit undo{marks.end - length, marks.end, {}};
  return same_change(edit, undo, text) ? undo : edit;
}

/// A redo puts back, exactly where it was and nothing but, what was undone last. Then it is ours again.
bool restores_tail(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (marks.undone.empty() || edit.begin != edit.end) return false;
  const UndoneText undone = marks.undone.back();
  const text::Edit redo{marks.end, marks.end, undone.text};
  if (!same_change(edit, redo, text)) return false;
  const std::size_t end = marks.end + undone.text.size();
  map_own_edit(marks, redo);
  add_owned(marks.owned, OwnedSpan{redo.begin, undone.valid, undone.reply_begin, false});
  add_owned(marks.owned, OwnedSpan{redo.begin + undone.valid, undone.text.size() - undone.valid, undone.reply_begin + undone.valid, true});
  marks.end = end;
  marks.undone.pop_back();
  if (marks.undone.empty()) {
    marks.tail_deleted = false;
    marks.tail_restored = true;
  }
  return true;
}

}  // namespace marks_internal

void map_own_edit(RegionMarks& marks, const text::Edit& edit) {
  marks.owned = marks_internal::mapped(marks.owned, edit);
  marks_internal::map_offsets(marks, edit);
}

void map_foreign_change(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (!marks.framed) {
    map_own_edit(marks, edit);
    return;
  }
  if (marks_internal::restores_tail(marks, edit, text)) return;
  const text::Edit change = marks_internal::ending_at_tail(marks, edit, text);
  marks_internal::judge_tail_deletion(marks, change, text);
  const bool had_heading = marks.heading_begin < marks.heading_end;
  map_own_edit(marks, change);
  if (had_heading && marks.heading_begin >= marks.heading_end) marks.heading_deleted = true;
}

void mark_stale_from(RegionMarks& marks, std::size_t offset) {
  for (UndoneText& undone : marks.undone) undone.valid = std::min(undone.valid, offset - std::min(offset, undone.reply_begin));
  std::vector<OwnedSpan> result;
  result.reserve(marks.owned.size() + 1);
  for (OwnedSpan span : marks.owned) {
    if (span.stale || span.reply_begin + span.length <= offset) {
      result.push_back(span);
    } else if (span.reply_begin >= offset) {
      span.stale = true;
      result.push_back(span);
    } else {
      const std::size_t kept = offset - span.reply_begin;
      result.push_back(OwnedSpan{span.begin, kept, span.reply_begin, false});
      result.push_back(OwnedSpan{span.begin + kept, span.length - kept, offset, true});
    }
  }
  marks.owned = std::move(result);
}

void add_owned(std::vector<OwnedSpan>& owned, OwnedSpan span) {
  if (span.length == 0) return;
  if (!owned.empty()) {
    OwnedSpan& last = owned.back();
    if (last.stale == span.stale && last.end() == span.begin && (span.stale || last.reply_begin + last.length == span.reply_begin)) {
      last.length += span.length;
      return;
    }
  }
  const auto at =
      std::upper_bound(owned.begin(), owned.end(), span, [](const OwnedSpan& a, const OwnedSpan& b) { return a.begin < b.begin; });
  owned.insert(at, span);
}

}  // namespace agent_doc::sync
