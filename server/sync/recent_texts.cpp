#include "server/sync/recent_texts.hpp"

#include "server/sync/delta.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::sync {

namespace {

bool stand_alike(const RegionMarks& a, const RegionMarks& b) {
  const auto is_same = [](const OwnedSpan& x, const OwnedSpan& y) {
    return x.begin == y.begin && x.length == y.length && x.reply_begin == y.reply_begin &&
           x.stale == y.stale;
  };
  return a.place == b.place && a.frame_begin == b.frame_begin &&
         a.heading_begin == b.heading_begin && a.heading_end == b.heading_end &&
         a.head_end == b.head_end && a.end == b.end && a.frame_end == b.frame_end &&
         a.heading_deleted == b.heading_deleted &&
         std::equal(a.owned.begin(), a.owned.end(), b.owned.begin(), b.owned.end(), is_same);
}

}  // namespace

RegionMarks as_then(const RegionThen* then, const RegionMarks& now, std::size_t landed) {
  RegionMarks marks = now;
  if (now.framed && (then == nullptr || !then->marks.framed)) {
    marks.heading_deleted = true;
    return marks;
  }
  if (then == nullptr || now.framed != then->marks.framed) return marks;
  if (stand_alike(now, then->marks)) {  // it knows more of what was undone
    if (then->landed < landed) {
      marks.tail_deleted = true;
      marks.tail_restored = false;
    }
    return marks;
  }
  marks = then->marks;
  // What has landed since is missing, too: then the redo of what was undone before does not make
  // the reply whole.
  if (then->landed < landed) marks.undone.clear();
  marks.tail_deleted = then->marks.tail_deleted || then->landed < landed;
  marks.tail_restored = !marks.tail_deleted;
  return marks;
}

void RecentTexts::note(const RegionsThen& regions) {
  for (const RegionThen& then : regions) {
    some_have_echo_ = some_have_echo_ || then.marks_if_echo;
    some_have_stale_ = some_have_stale_ || has_stale(then.marks) ||
                       (then.marks_if_echo && has_stale(*then.marks_if_echo));
  }
}

void RecentTexts::remember(RegionsThen regions, std::size_t size) {
  note(regions);
  texts_.push_back({std::move(regions), size, {}, 0});
  while (texts_.size() > kMaxRecentTexts || bytes_ > kMaxRecentBytes) {
    bytes_ -= texts_.front().bytes;
    texts_.pop_front();
  }
}

void RecentTexts::changed(const text::Edit& edit, std::string_view removed) {
  if (texts_.empty()) return;
  Text& last = texts_.back();
  last.steps.push_back({edit.begin, std::string(removed), edit.replacement});
  const std::size_t bytes = removed.size() + edit.replacement.size();
  last.bytes += bytes;
  bytes_ += bytes;
}

void RecentTexts::saved(std::string text, RegionsThen regions) {
  note(regions);
  saved_text_ = std::move(text);
  saved_ = std::move(regions);
}

const RegionsThen* RecentTexts::find(std::string_view text) const {
  const auto may_be = [&](const Text& then) {
    return then.size == text.size() && (&then != &texts_.back() || then.steps.size() > 1);
  };
  if (!std::any_of(texts_.begin(), texts_.end(), may_be)) return nullptr;
  Delta back;
  for (auto then = texts_.rbegin(); then != texts_.rend(); ++then) {
    for (auto step = then->steps.rbegin(); step != then->steps.rend(); ++step)
      back.compose({step->begin, step->begin + step->after.size(), step->before}, step->after);
    if (may_be(*then) && same_result(Delta(), back, text)) return &then->regions;
  }
  return nullptr;
}

const RegionsThen* RecentTexts::find_saved(std::string_view text) const {
  return saved_text_ == text ? &saved_ : nullptr;
}

template <class Change>
void RecentTexts::for_each(RegionId region, Change change) {
  const auto change_in = [&](RegionsThen& regions) {
    for (RegionThen& then : regions) {
      if (then.id == region) change(then);
    }
  };
  for (Text& text : texts_) change_in(text.regions);
  change_in(saved_);
}

void RecentTexts::landed(RegionId region, std::size_t bytes) {
  if (!std::exchange(some_have_echo_, false)) return;
  for_each(region, [bytes](RegionThen& then) {
    if (then.marks_if_echo) then.landed += bytes;
  });
  const auto take = [](RegionsThen& regions) {
    for (RegionThen& then : regions) {
      if (then.marks_if_echo) then.marks = *std::exchange(then.marks_if_echo, std::nullopt);
    }
  };
  for (Text& text : texts_) take(text.regions);
  take(saved_);
}

void RecentTexts::dropped() {
  if (!std::exchange(some_have_echo_, false)) return;
  const auto forget = [](RegionsThen& regions) {
    for (RegionThen& then : regions) then.marks_if_echo.reset();
  };
  for (Text& text : texts_) forget(text.regions);
  forget(saved_);
}

void RecentTexts::replaced_from(RegionId region, std::size_t offset, std::uint32_t replacement) {
  some_have_stale_ = true;
  for_each(region, [=](RegionThen& then) {
    mark_stale_from(then.marks, offset, replacement);
    if (then.marks_if_echo) mark_stale_from(*then.marks_if_echo, offset, replacement);
    then.landed = std::min(then.landed, offset);
  });
}

void RecentTexts::wanted_again(RegionId region, const SaidAgain& said) {
  for_each(region, [&](RegionThen& then) {
    then.landed = std::max(then.landed, revalidate(then.marks, said));
    if (then.marks_if_echo) revalidate(*then.marks_if_echo, said);
  });
}

void RecentTexts::cleaned(RegionId region) {
  if (!some_have_stale_) return;
  const auto forget_stale = [](RegionMarks& marks) {
    std::erase_if(marks.owned, [](const OwnedSpan& span) { return span.stale; });
  };
  for_each(region, [&](RegionThen& then) {
    forget_stale(then.marks);
    if (then.marks_if_echo) forget_stale(*then.marks_if_echo);
  });
  some_have_stale_ = false;
  for (const Text& text : texts_) note(text.regions);
  note(saved_);
}

void RecentTexts::resumed(RegionId region) {
  for_each(region, [](RegionThen& then) {
    then.marks.tail_deleted = false;
    if (then.marks_if_echo) then.marks_if_echo->tail_deleted = false;
  });
}

}  // namespace agent_doc::sync
