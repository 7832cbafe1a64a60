#include "server/text/diff.hpp"

#include "server/text/lines.hpp"

#include <dtl/dtl.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace agent_doc::text {

namespace {

/// dtl costs the product of both sizes when the sides differ much. A larger gap between anchors is
/// split further or replaced as a whole.
constexpr std::size_t kMaxDtlCells = 250'000;
/// How many times a gap may be split at anchors. Real texts need three or four splits; the limit
/// bounds the cost of contrived ones.
constexpr int kMaxSplits = 24;
/// Numbers of lines that must match at an anchor. Usually one line that occurs once on each side is
/// enough; in a text of few different lines, such as a table or a log, only a run of lines is
/// unique.
constexpr std::size_t kAnchorWidths[] = {1, 4, 16};

/// Equal lines have equal ids, in both texts.
using LineId = std::uint32_t;

/// A half-open range of lines in each text.
struct Gap {
  std::size_t a_begin = 0, a_end = 0;
  std::size_t b_begin = 0, b_end = 0;
  int splits_left = kMaxSplits;

  std::size_t a_size() const { return a_end - a_begin; }
  std::size_t b_size() const { return b_end - b_begin; }
};

struct Anchor {
  std::size_t a = 0;
  std::size_t b = 0;
};

bool is_line_start(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  if (text[at - 1] == '\n') return true;
  return text[at - 1] == '\r' && (at == text.size() || text[at] != '\n');
}

/// Returns the lines of `text`, line ends included.
std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  LineWalker walker(text);
  while (const auto line = walker.next())
    lines.push_back(text.substr(line->begin, line->next - line->begin));
  return lines;
}

/// Finds the lines that differ between two texts, as gaps; everything outside the gaps is equal.
class LineDiff {
 public:
  LineDiff(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::unordered_map<std::string_view, LineId> ids;
    ids.reserve(a.size() + b.size());
    const auto id_of = [&ids](std::string_view line) {
      return ids.emplace(line, static_cast<LineId>(ids.size())).first->second;
    };
    std::transform(a.begin(), a.end(), std::back_inserter(a_), id_of);
    std::transform(b.begin(), b.end(), std::back_inserter(b_), id_of);
  }

  /// Returns the gaps in ascending order.
  std::vector<Gap> run() {
    work_.push_back({0, a_.size(), 0, b_.size()});
    while (!work_.empty()) {
      const Gap gap = trimmed(work_.back());
      work_.pop_back();
      resolve(gap);
    }
    return joined();
  }

 private:
  Gap trimmed(Gap gap) const {
    while (gap.a_begin < gap.a_end && gap.b_begin < gap.b_end &&
           a_[gap.a_begin] == b_[gap.b_begin]) {
      ++gap.a_begin;
      ++gap.b_begin;
    }
    while (gap.a_begin < gap.a_end && gap.b_begin < gap.b_end &&
           a_[gap.a_end - 1] == b_[gap.b_end - 1]) {
      --gap.a_end;
      --gap.b_end;
    }
    return gap;
  }

  void resolve(const Gap& gap) {
    if (gap.a_size() == 0 && gap.b_size() == 0) return;
    if (gap.a_size() == 0 || gap.b_size() == 0) {
      different_.push_back(gap);
    } else if (!split_at_anchors(gap)) {
      if (gap.a_size() * gap.b_size() <= kMaxDtlCells) {
        shortest_edit(gap);
      } else {
        different_.push_back(gap);
      }
    }
  }

  bool split_at_anchors(const Gap& gap) {
    if (gap.splits_left == 0) return false;
    for (const std::size_t width : kAnchorWidths) {
      if (width > gap.a_size() || width > gap.b_size()) break;
      const std::vector<Anchor> anchors = longest_ascending(unique_matches(gap, width));
      if (anchors.empty()) continue;
      push_gaps_between(gap, anchors, width);
      return true;
    }
    return false;
  }

  /// Returns the runs of `width` lines that occur exactly once on each side, ascending in `a`.
  std::vector<Anchor> unique_matches(const Gap& gap, std::size_t width) const {
    struct Seen {
      std::size_t in_a = 0, in_b = 0;
      std::size_t at_b = 0;
    };
    std::unordered_map<std::uint64_t, Seen> seen;
    seen.reserve(gap.a_size() + gap.b_size());
    for (std::size_t at = gap.a_begin; at + width <= gap.a_end; ++at)
      ++seen[hash_of(a_, at, width)].in_a;
    for (std::size_t at = gap.b_begin; at + width <= gap.b_end; ++at) {
      Seen& entry = seen[hash_of(b_, at, width)];
      ++entry.in_b;
      entry.at_b = at;
    }
    std::vector<Anchor> matches;
    for (std::size_t at = gap.a_begin; at + width <= gap.a_end; ++at) {
      const Seen& entry = seen[hash_of(a_, at, width)];
      if (entry.in_a != 1 || entry.in_b != 1) continue;
      const auto run = a_.begin() + static_cast<std::ptrdiff_t>(at);
      if (!std::equal(run, run + static_cast<std::ptrdiff_t>(width),
                      b_.begin() + static_cast<std::ptrdiff_t>(entry.at_b)))
        continue;
      matches.push_back({at, entry.at_b});
    }
    return matches;
  }

  static std::uint64_t hash_of(const std::vector<LineId>& lines, std::size_t at,
                               std::size_t width) {
    constexpr std::uint64_t kFnvOffset = 14695981039346656037U;
    constexpr std::uint64_t kFnvPrime = 1099511628211U;
    std::uint64_t hash = kFnvOffset;
    for (std::size_t i = 0; i < width; ++i) hash = (hash ^ lines[at + i]) * kFnvPrime;
    return hash;
  }

  /// Returns the longest selection of `matches` that ascends in both texts (patience sorting).
  /// `matches` ascend in `a` and are distinct.
  static std::vector<Anchor> longest_ascending(const std::vector<Anchor>& matches) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> tops;  // the match on top of each pile
    std::vector<std::size_t> below(matches.size(), kNone);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const auto pile =
          std::lower_bound(tops.begin(), tops.end(), matches[i].b,
                           [&](std::size_t top, std::size_t b) { return matches[top].b < b; });
      if (pile != tops.begin()) below[i] = *(pile - 1);
      if (pile == tops.end()) {
        tops.push_back(i);
      } else {
        *pile = i;
      }
    }
    std::vector<Anchor> chosen;
    for (std::size_t i = tops.empty() ? kNone : tops.back(); i != kNone; i = below[i])
      chosen.push_back(matches[i]);
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

  void push_gaps_between(const Gap& gap, const std::vector<Anchor>& anchors, std::size_t width) {
    const std::size_t first = work_.size();
    Gap rest = gap;
    --rest.splits_left;
    for (const Anchor& anchor : anchors) {
      if (anchor.a < rest.a_begin || anchor.b < rest.b_begin)
        continue;  // overlaps the previous anchor
      work_.push_back({rest.a_begin, anchor.a, rest.b_begin, anchor.b, rest.splits_left});
      rest.a_begin = anchor.a + width;
      rest.b_begin = anchor.b + width;
    }
    work_.push_back(rest);
    std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(first),
                 work_.end());  // the first gap is on top of the stack
  }

  void shortest_edit(const Gap& gap) {
    const auto slice = [](const std::vector<LineId>& lines, std::size_t begin, std::size_t end) {
      return std::vector<LineId>(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                 lines.begin() + static_cast<std::ptrdiff_t>(end));
    };
    dtl::Diff<LineId, std::vector<LineId>> solver(slice(a_, gap.a_begin, gap.a_end),
                                                  slice(b_, gap.b_begin, gap.b_end));
    solver.compose();

    Gap open{gap.a_begin, gap.a_begin, gap.b_begin, gap.b_begin, 0};
    const auto close = [&] {
      if (open.a_size() + open.b_size() > 0) different_.push_back(open);
    };
    for (const auto& [line, info] : solver.getSes().getSequence()) {
      if (info.type == dtl::SES_DELETE) ++open.a_end;
      if (info.type == dtl::SES_ADD) ++open.b_end;
      if (info.type != dtl::SES_COMMON) continue;
      close();
      open = {open.a_end + 1, open.a_end + 1, open.b_end + 1, open.b_end + 1, 0};
    }
    close();
  }

  /// Among equal lines it is ambiguous which one was added or removed ("\n\n" became "\nword\n"). A
  /// gap that can be moved up to the previous one is moved there, so that added lines take the
  /// place of removed ones.
  std::vector<Gap> joined() const {
    std::vector<Gap> gaps;
    for (const Gap& gap : different_) {
      if (!gaps.empty() && (moves_down_to(gaps.back(), gap) || moves_up_to(gap, gaps.back()))) {
        gaps.back().a_end = gap.a_end;
        gaps.back().b_end = gap.b_end;
      } else {
        gaps.push_back(gap);
      }
    }
    return gaps;
  }

  bool moves_up_to(const Gap& gap, const Gap& before) const {
    if (gap.a_size() > 0 && gap.b_size() > 0) return false;
    const std::vector<LineId>& lines = gap.a_size() > 0 ? a_ : b_;
    std::size_t end = gap.a_size() > 0 ? gap.a_end : gap.b_end;
    for (std::size_t at = gap.a_begin, line = gap.a_size() > 0 ? gap.a_begin : gap.b_begin;
         at > before.a_end; --at) {
      if (lines[--line] != lines[--end]) return false;
    }
    return true;
  }

  bool moves_down_to(const Gap& gap, const Gap& after) const {
    if (gap.a_size() > 0 && gap.b_size() > 0) return false;
    const std::vector<LineId>& lines = gap.a_size() > 0 ? a_ : b_;
    std::size_t begin = gap.a_size() > 0 ? gap.a_begin : gap.b_begin;
    for (std::size_t at = gap.a_end, line = gap.a_size() > 0 ? gap.a_end : gap.b_end;
         at < after.a_begin; ++at) {
      if (lines[begin++] != lines[line++]) return false;
    }
    return true;
  }

  std::vector<LineId> a_;
  std::vector<LineId> b_;
  std::vector<Gap> work_;  ///< a stack; the next gap of the texts is on top
  std::vector<Gap> different_;
};

/// Collects edits in ascending order and joins those that touch.
class EditList {
 public:
  explicit EditList(std::string_view before) : before_(before) {}

  void replace(std::size_t begin, std::size_t end, std::string_view replacement) {
    Edit edit =
        minimise({begin, end, std::string(replacement)}, before_.substr(begin, end - begin));
    if (edit.is_no_op()) return;
    if (!edits_.empty() && edits_.back().end == edit.begin) {
      edits_.back().end = edit.end;
      edits_.back().replacement += edit.replacement;
    } else {
      edits_.push_back(std::move(edit));
    }
  }

  std::vector<Edit> take() { return std::move(edits_); }

 private:
  std::string_view before_;
  std::vector<Edit> edits_;
};

/// The middle of both texts, without the whole lines that they share at the start and the end.
struct Middle {
  std::size_t head = 0;
  std::string_view before;
  std::string_view after;
};

Middle middle_of(std::string_view before, std::string_view after) {
  std::size_t head = common_prefix(before, after);
  while (!is_line_start(before, head) || !is_line_start(after, head)) --head;
  before.remove_prefix(head);
  after.remove_prefix(head);
  std::size_t tail = common_suffix(before, after);
  while (tail > 0 && (!is_line_start(before, before.size() - tail) ||
                      !is_line_start(after, after.size() - tail)))
    --tail;
  before.remove_suffix(tail);
  after.remove_suffix(tail);
  return {head, before, after};
}

/// Returns the offset at which each line begins in the text that was split, and where the last one
/// ends.
std::vector<std::size_t> offsets_of(const std::vector<std::string_view>& lines, std::size_t first) {
  std::vector<std::size_t> offsets{first};
  offsets.reserve(lines.size() + 1);
  for (const std::string_view line : lines) offsets.push_back(offsets.back() + line.size());
  return offsets;
}

}  // namespace

std::vector<Edit> diff(std::string_view before, std::string_view after) {
  const Middle middle = middle_of(before, after);
  const auto a = split_lines(middle.before);
  const auto b = split_lines(middle.after);

  EditList edits(before);
  if (a.size() + b.size() > kMaxDiffedLines) {
    edits.replace(middle.head, middle.head + middle.before.size(), middle.after);
    return edits.take();
  }

  const std::vector<std::size_t> a_at = offsets_of(a, middle.head);
  const std::vector<std::size_t> b_at = offsets_of(b, middle.head);
  const auto replace_lines = [&](std::size_t a_begin, std::size_t a_end, std::size_t b_begin,
                                 std::size_t b_end) {
    edits.replace(a_at[a_begin], a_at[a_end],
                  after.substr(b_at[b_begin], b_at[b_end] - b_at[b_begin]));
  };
  for (const Gap& gap : LineDiff(a, b).run()) {
    if (gap.a_size() != gap.b_size()) {
      replace_lines(gap.a_begin, gap.a_end, gap.b_begin, gap.b_end);
      continue;
    }
    // The number of lines is unchanged: most likely each line was changed in place (indented, a
    // word replaced), so each is compared with its counterpart.
    for (std::size_t i = 0; i < gap.a_size(); ++i)
      replace_lines(gap.a_begin + i, gap.a_begin + i + 1, gap.b_begin + i, gap.b_begin + i + 1);
  }
  return edits.take();
}

std::vector<ChangedLines> changed_lines(std::string_view before, std::string_view after) {
  const Middle middle = middle_of(before, after);
  const auto a = split_lines(middle.before);
  const auto b = split_lines(middle.after);
  const std::size_t head = split_lines(before.substr(0, middle.head)).size();
  std::vector<ChangedLines> changed;
  if (a.empty() && b.empty()) return changed;
  if (a.size() + b.size() > kMaxDiffedLines)
    return {{head, head + a.size(), head, head + b.size()}};
  for (const Gap& gap : LineDiff(a, b).run()) {
    changed.push_back({head + gap.a_begin, head + gap.a_end, head + gap.b_begin, head + gap.b_end});
  }
  return changed;
}

std::vector<Edit> sequential(std::vector<Edit> edits) {
  std::size_t shift = 0;  // wraps when the text has become shorter
  for (Edit& edit : edits) {
    const std::size_t removed = edit.end - edit.begin;
    edit.begin += shift;
    edit.end += shift;
    shift += edit.replacement.size() - removed;
  }
  return edits;
}

std::vector<Edit> rebase(const Edit& edit, const Edit& first) {
  const std::size_t shift = first.replacement.size() - (first.end - first.begin);  // may wrap
  std::vector<Edit> rebased;
  const auto add = [&rebased](std::size_t begin, std::size_t end, const std::string& replacement) {
    if (begin != end || !replacement.empty()) rebased.push_back({begin, end, replacement});
  };

  if (edit.begin >= first.begin) {
    add(std::max(edit.begin, first.end) + shift, std::max(edit.end, first.end) + shift,
        edit.replacement);
    return rebased;
  }
  add(edit.begin, std::min(edit.end, first.begin), edit.replacement);
  if (edit.end > first.end) {
    if (first.replacement.empty()) {
      rebased.back().end += edit.end - first.end;
    } else {
      add(first.end + shift, edit.end + shift, {});
    }
  }
  return rebased;
}

}  // namespace agent_doc::text
