#include "server/sync/marks.hpp"

#include "server/sync/delta.hpp"

#include <algorithm>

namespace agent_doc::sync {

namespace {

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
  marks.place = map_offset(marks.place, marks.place_bias, edit);
  if (!marks.framed) return;
  marks.frame_begin = map_offset(marks.frame_begin, Bias::Right, edit);
  marks.heading_begin = map_offset(marks.heading_begin, Bias::Right, edit);
  marks.heading_end = map_offset(marks.heading_end, Bias::Left, edit);
  marks.head_end = map_offset(marks.head_end, Bias::Left, edit);
  marks.end = map_offset(marks.end, Bias::Left, edit);
  marks.frame_end = map_offset(marks.frame_end, Bias::Left, edit);
  marks.closing = map_offset(marks.closing, Bias::Right, edit);
  const bool is_line_ends =
      edit.begin == edit.end && edit.replacement.find_first_not_of("\r\n") == std::string::npos;
  marks.below = map_offset(marks.below, is_line_ends ? Bias::Right : Bias::Left, edit);
}

bool is_white_space(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_undone(const std::vector<UndoneText>& undone) {
  return std::any_of(undone.begin(), undone.end(),
                     [](const UndoneText& one) { return !one.white_space; });
}

/// The last of our text, which is still wanted, if only text that is not follows it up to the
/// insertion point.
const OwnedSpan* last_wanted(const RegionMarks& marks) {
  std::size_t end = marks.end;
  for (auto span = marks.owned.rbegin(); span != marks.owned.rend() && span->end() == end; ++span) {
    if (!span->stale) return &*span;
    end = span->begin;
  }
  return nullptr;
}

/// A deletion that takes the last of our text away, up to the insertion point or further: an undo
/// looks like that.
void judge_tail_deletion(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (!edit.replacement.empty() || edit.begin >= marks.end || edit.end < marks.end ||
      edit.begin < marks.heading_end)
    return;
  const OwnedSpan* last = last_wanted(marks);
  if (last == nullptr || edit.begin >= last->end()) return;
  const bool white_space = is_white_space(text.substr(edit.begin, marks.end - edit.begin));
  if (!white_space) {
    marks.tail_deleted = true;
    marks.tail_restored = false;
  }
  if (edit.begin < last->begin && !white_space) {
    marks.undone = {UndoneText{}};
    return;
  }
  const std::size_t begin = std::max(edit.begin, last->begin);
  marks.undone.push_back({std::string(text.substr(begin, marks.end - begin)),
                          last->reply_begin + (begin - last->begin), last->end() - begin,
                          white_space, std::string(text.substr(marks.end, edit.end - marks.end))});
}

/// A client that shows lines, not edits, may tell the undo of "\n- item" as a deletion of the line
/// "- item\n", across the end of the reply. Then it is the undo. What does not begin and end as
/// lines do was told as it was made.
text::Edit ending_at_tail(const RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  const std::size_t length = edit.end - edit.begin;
  if (has_stale(marks)) return edit;  // that goes anyway
  if (is_white_space(text.substr(edit.begin, length))) return edit;
  const bool crosses = edit.replacement.empty() && edit.begin < marks.end && edit.end > marks.end &&
                       marks.end - marks.head_end >= length;
  if (!crosses || (text[marks.end] != '\n' && text[marks.end] != '\r')) return edit;
  const bool is_of_lines =
      (edit.begin == 0 || text[edit.begin - 1] == '\n') && text[edit.end - 1] == '\n';
  if (!is_of_lines) return edit;
  text::Edit undo{marks.end - length, marks.end, {}};
  return same_change(edit, undo, text) ? undo : edit;
}

/// The same client may tell the undo of a frame as a deletion from inside its heading into a
/// heading below that begins alike.
text::Edit beginning_at_frame(const RegionMarks& marks, const text::Edit& edit,
                              std::string_view text) {
  if (!edit.replacement.empty() || edit.begin <= marks.heading_begin ||
      edit.begin >= marks.heading_end)
    return edit;
  for (const std::size_t begin : {marks.frame_begin, marks.heading_begin}) {
    const text::Edit undo{begin, begin + (edit.end - edit.begin), {}};
    if (begin < edit.begin && undo.end >= marks.heading_end && same_change(edit, undo, text))
      return undo;
  }
  return edit;
}

/// What `edit` takes out when that is the heading. The reply may leave the white space at its end
/// behind.
std::shared_ptr<const LostBlock> lost_by(const RegionMarks& marks, const text::Edit& edit,
                                         std::string_view text) {
  if (edit.begin > marks.heading_begin || edit.end < marks.heading_end) return nullptr;
  auto lost = std::make_shared<LostBlock>();
  lost->removed = text.substr(edit.begin, edit.end - edit.begin);
  const auto inside = [&](std::size_t place) { return place - std::min(place, edit.begin); };
  lost->frame_begin = inside(marks.frame_begin);
  lost->heading_begin = inside(marks.heading_begin);
  lost->heading_end = inside(marks.heading_end);
  lost->head_end = inside(marks.head_end);
  lost->end = inside(marks.end);
  lost->frame_end = inside(marks.frame_end);
  const std::string_view left =
      text.substr(std::min(edit.end, marks.end), marks.end - std::min(edit.end, marks.end));
  lost->is_whole = edit.end >= marks.head_end && is_white_space(left) &&
                   (left.empty() || edit.end > marks.head_end);
  if (!lost->is_whole) return lost;
  lost->white_space = left;
  lost->end -= left.size();
  for (OwnedSpan span : marks.owned) {
    span.length = std::min(span.end(), edit.end) - std::min(span.begin, edit.end);
    if (span.length == 0) continue;
    span.begin = inside(span.begin);
    lost->owned.push_back(span);
  }
  return lost;
}

void shift(std::vector<OwnedSpan>& owned, std::size_t by) {
  for (OwnedSpan& span : owned) span.begin += by;
}

/// What was undone last stands at the end of the reply again.
void own_undone_again(RegionMarks& marks) {
  const UndoneText undone = std::move(marks.undone.back());
  marks.undone.pop_back();
  add_owned(marks.owned, OwnedSpan{marks.end, undone.valid, undone.reply_begin, false});
  add_owned(marks.owned, OwnedSpan{marks.end + undone.valid, undone.text.size() - undone.valid,
                                   undone.reply_begin + undone.valid, true, undone.replacement});
  marks.end += undone.text.size();
  if (!marks.tail_deleted || is_undone(marks.undone)) return;
  marks.tail_deleted = false;
  marks.tail_restored = true;
}

/// The block came back, with `rest` behind it, and stands before `behind`. What had been undone of
/// its reply may be back with it.
void find_what_is_behind_block(RegionMarks& marks, const LostBlock& kept, std::string_view rest,
                               std::string_view behind) {
  const std::string_view gone =
      std::string_view(kept.removed).substr(std::min(kept.end, kept.removed.size()));
  while (kept.white_space.empty() && !marks.undone.empty() && !marks.undone.back().text.empty()) {
    const std::size_t size = marks.undone.back().text.size();
    if (rest.substr(0, size) != marks.undone.back().text) break;
    // What stands below it, just as it went, may begin as that does.
    if (rest.starts_with(gone) && !rest.substr(size).starts_with(gone)) break;
    own_undone_again(marks);
    rest.remove_prefix(size);
  }
  marks.frame_end =
      marks.end + std::min(rest.size(), kept.frame_end - std::min(kept.frame_end, kept.end));
  // What was typed right behind the reply stands above what went with it from below.
  const std::size_t above =
      gone.empty() || rest.rfind(gone) == std::string_view::npos ? 0 : rest.rfind(gone);
  const std::size_t line_ends = std::min(rest.find_first_not_of("\r\n", above), rest.size());
  marks.below = marks.end + line_ends;
  if (line_ends == rest.size())
    marks.below += std::min(behind.find_first_not_of("\r\n"), behind.size());
}

/// The whole block stands in what `edit` inserts.
bool finds_block(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  const LostBlock& lost = *marks.lost;
  const std::string_view inserted = edit.replacement;
  const std::string_view block =
      std::string_view(lost.removed).substr(lost.heading_begin, lost.end - lost.heading_begin);
  const std::size_t found = inserted.find(block);
  if (!lost.is_whole || found == std::string_view::npos) return false;
  // A heading that is all there was of it is not the begin of a longer one.
  const std::string_view behind = found + block.size() < inserted.size()
                                      ? inserted.substr(found + block.size())
                                      : text.substr(edit.end);
  if (lost.end == lost.heading_end && !behind.empty() && behind.front() != '\r' &&
      behind.front() != '\n')
    return false;
  const std::shared_ptr<const LostBlock> kept = std::move(marks.lost);
  map_own_edit(marks, edit);
  const std::size_t begin = edit.begin + found;
  const std::size_t before =
      begin - kept->heading_begin;  // where `removed` would begin; it may be before the text
  marks.heading_begin = begin;
  marks.heading_end = before + kept->heading_end;
  marks.head_end = before + kept->head_end;
  marks.end = before + kept->end;
  marks.frame_begin = begin - std::min(found, kept->heading_begin -
                                                  std::min(kept->heading_begin, kept->frame_begin));
  // Stray text of ours may stand behind the block: it is there only as far as the same came back.
  const std::size_t same =
      kept->heading_begin +
      text::common_prefix(inserted.substr(found),
                          std::string_view(kept->removed).substr(kept->heading_begin));
  marks.owned.clear();
  for (OwnedSpan span : kept->owned) {
    span.length = std::min(span.end(), same) - std::min(span.begin, same);
    if (span.begin >= kept->heading_begin) add_owned(marks.owned, span);
  }
  shift(marks.owned, before);
  if (!kept->white_space.empty() && !marks.owned.empty() && marks.owned.back().end() == marks.end &&
      !marks.owned.back().stale) {
    const OwnedSpan& last = marks.owned.back();
    marks.undone.push_back(
        {kept->white_space, last.reply_begin + last.length, kept->white_space.size(), true});
  }
  find_what_is_behind_block(marks, *kept, inserted.substr(found + block.size()),
                            text.substr(edit.end));
  return true;
}

/// Just what went comes back where it was, to a reply that stayed.
bool finds_heading(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  const std::shared_ptr<const LostBlock> lost = marks.lost;
  const text::Edit undo{marks.heading_begin, marks.heading_begin, lost->removed};
  if (lost->is_whole || edit.begin != edit.end || !same_change(edit, undo, text)) return false;
  map_own_edit(marks, undo);
  const std::size_t size = lost->removed.size();
  marks.frame_begin = std::min(marks.frame_begin, undo.begin + lost->frame_begin);
  marks.heading_begin = undo.begin + lost->heading_begin;
  marks.heading_end = undo.begin + lost->heading_end;
  if (lost->head_end <= size) marks.head_end = undo.begin + lost->head_end;
  return true;
}

/// What one change took out with the heading comes back unchanged: it is the reply's place again.
bool finds_lost(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (!marks.lost || edit.replacement.size() < marks.lost->heading_end - marks.lost->heading_begin)
    return false;
  if (!finds_block(marks, edit, text) && !finds_heading(marks, edit, text)) return false;
  marks.heading_deleted = false;
  marks.lost.reset();
  return true;
}

std::vector<OwnedSpan> with_stale_from(const std::vector<OwnedSpan>& owned, std::size_t offset,
                                       std::uint32_t replacement) {
  std::vector<OwnedSpan> result;
  result.reserve(owned.size() + 1);
  for (const OwnedSpan& span : owned) {
    if (span.stale || span.reply_begin + span.length <= offset) {
      result.push_back(span);
      continue;
    }
    const std::size_t kept = offset - std::min(offset, span.reply_begin);
    if (kept > 0) result.push_back(OwnedSpan{span.begin, kept, span.reply_begin, false});
    result.push_back(OwnedSpan{span.begin + kept, span.length - kept, span.reply_begin + kept, true,
                               replacement});
  }
  return result;
}

/// A redo puts back, exactly where it was and nothing but, what was undone last. Then it is ours
/// again.
bool restores_tail(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (marks.undone.empty() || marks.undone.back().text.empty() || edit.begin != edit.end)
    return false;
  const UndoneText& undone = marks.undone.back();
  const text::Edit redo{marks.end, marks.end, undone.text + undone.behind};
  if (!same_change(edit, redo, text)) return false;
  map_own_edit(marks, redo);
  if (marks.frame_end == redo.begin) marks.frame_end += redo.replacement.size();
  if (marks.below == redo.begin) marks.below += redo.replacement.size();
  own_undone_again(marks);
  return true;
}

}  // namespace

void map_own_edit(RegionMarks& marks, const text::Edit& edit) {
  marks.owned = mapped(marks.owned, edit);
  map_offsets(marks, edit);
}

void map_foreign_change(RegionMarks& marks, const text::Edit& edit, std::string_view text) {
  if (!marks.framed) {
    map_own_edit(marks, edit);
    return;
  }
  if (marks.heading_deleted ? finds_lost(marks, edit, text) : restores_tail(marks, edit, text))
    return;
  const text::Edit change = beginning_at_frame(marks, ending_at_tail(marks, edit, text), text);
  judge_tail_deletion(marks, change, text);
  const bool had_heading = marks.heading_begin < marks.heading_end;
  std::shared_ptr<const LostBlock> lost =
      had_heading && !marks.heading_deleted ? lost_by(marks, change, text) : nullptr;
  map_own_edit(marks, change);
  if (!had_heading || marks.heading_begin < marks.heading_end) return;
  marks.heading_deleted = true;
  marks.lost = std::move(lost);
}

bool has_stale(const RegionMarks& marks) {
  return std::any_of(marks.owned.begin(), marks.owned.end(),
                     [](const OwnedSpan& span) { return span.stale; });
}

std::optional<std::size_t> stale_tail(const RegionMarks& marks) {
  std::optional<std::size_t> begin;
  for (auto span = marks.owned.rbegin(); span != marks.owned.rend() && span->stale; ++span) {
    if (span->end() != begin.value_or(marks.end)) break;
    begin = span->begin;
  }
  return begin;
}

void mark_stale_from(std::vector<OwnedSpan>& owned, std::size_t offset, std::uint32_t replacement) {
  owned = with_stale_from(owned, offset, replacement);
}

void mark_stale_from(RegionMarks& marks, std::size_t offset, std::uint32_t replacement) {
  for (UndoneText& undone : marks.undone) {
    const std::size_t valid = offset - std::min(offset, undone.reply_begin);
    if (valid >= undone.valid) continue;
    undone.replacement = undone.valid == undone.text.size() ? replacement : 0;
    undone.valid = valid;
  }
  mark_stale_from(marks.owned, offset, replacement);
  if (!marks.lost) return;
  auto lost = std::make_shared<LostBlock>(*marks.lost);
  mark_stale_from(lost->owned, offset, replacement);
  if (!lost->owned.empty() && lost->owned.back().stale) lost->white_space.clear();
  marks.lost = std::move(lost);
}

std::string white_space_gone(const RegionMarks& marks, std::size_t landed) {
  if (marks.undone.empty() || is_undone(marks.undone)) return {};
  if (!marks.owned.empty() && marks.owned.back().stale) return {};
  std::string gone;
  for (auto one = marks.undone.rbegin(); one != marks.undone.rend(); ++one)
    gone.append(one->text, 0, one->valid);
  return marks.undone.back().reply_begin + gone.size() == landed ? gone : std::string();
}

std::size_t revalidate(RegionMarks& marks, const SaidAgain& said) {
  std::size_t up_to = 0;
  std::vector<OwnedSpan> result;
  const auto add_part = [&result](const OwnedSpan& span, std::size_t begin, std::size_t end) {
    if (begin < end)
      result.push_back(OwnedSpan{span.begin + begin, end - begin, span.reply_begin + begin, true,
                                 span.replacement});
  };
  for (const OwnedSpan& span : marks.owned) {
    const std::size_t said_end = said.old_offset + said.length;
    const std::size_t begin =
        std::min(span.length, said.old_offset - std::min(said.old_offset, span.reply_begin));
    const std::size_t end = std::min(span.length, said_end - std::min(said_end, span.reply_begin));
    if (!span.stale || span.replacement == 0 || span.replacement != said.replacement ||
        begin >= end) {
      result.push_back(span);
      continue;
    }
    add_part(span, 0, begin);
    const std::size_t offset = said.offset + (span.reply_begin + begin - said.old_offset);
    result.push_back(OwnedSpan{span.begin + begin, end - begin, offset, false});
    add_part(span, end, span.length);
    up_to = std::max(up_to, offset + (end - begin));
  }
  marks.owned = std::move(result);
  return up_to;
}

void add_owned(std::vector<OwnedSpan>& owned, OwnedSpan span) {
  if (span.length == 0) return;
  if (!owned.empty()) {
    OwnedSpan& last = owned.back();
    const bool goes_on =
        last.end() == span.begin && last.reply_begin + last.length == span.reply_begin;
    if (goes_on && last.stale == span.stale && last.replacement == span.replacement) {
      last.length += span.length;
      return;
    }
  }
  const auto at =
      std::upper_bound(owned.begin(), owned.end(), span,
                       [](const OwnedSpan& a, const OwnedSpan& b) { return a.begin < b.begin; });
  owned.insert(at, span);
}

}  // namespace agent_doc::sync
