#include "server/sync/standing_texts.hpp"

#include <algorithm>

namespace agent_doc::sync {

namespace {

/// Takes [begin, end) out of `parts`, and parts them there when it is empty.
void cut(std::vector<StandingPart>& parts, std::size_t begin, std::size_t end) {
  std::vector<StandingPart> left;
  left.reserve(parts.size() + 1);
  for (const StandingPart& part : parts) {
    const std::size_t part_end = part.begin + part.length;
    const std::size_t before = std::min(part_end, std::max(part.begin, begin)) - part.begin;
    const std::size_t after = part_end - std::max(part.begin, std::min(part_end, end));
    if (before > 0) left.push_back({part.begin, before, part.text_begin});
    if (after > 0) left.push_back({part_end - after, after, part.text_begin + part.length - after});
  }
  parts = std::move(left);
}

}  // namespace

void StandingTexts::add(std::size_t begin, std::size_t end) {
  EditedText text{end - begin, {}};
  if (end > begin) text.parts.push_back({begin, end - begin, 0});
  texts_.push_back(std::move(text));
}

void StandingTexts::map(const text::Edit& edit) {
  for (EditedText& text : texts_) {
    const auto is_touched = [&edit](const StandingPart& part) {
      return edit.begin < part.begin + part.length && part.begin < edit.end;
    };
    if (std::ranges::any_of(text.parts, is_touched)) cut(text.parts, edit.begin, edit.end);
    for (StandingPart& part : text.parts) {
      if (part.begin >= edit.end)
        part.begin = part.begin - (edit.end - edit.begin) + edit.replacement.size();
    }
  }
}

}  // namespace agent_doc::sync
