#include "tests/simulation/authored_text.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace agent_doc::simulation {

namespace authored_text_internal {

std::ptrdiff_t signed_offset(std::size_t offset) {
  return static_cast<std::ptrdiff_t>(offset);
}

}  // namespace authored_text_internal

Part Authorship::part_at(std::size_t offset, std::size_t length) const {
  if (offset < head_length) return Part::Head;
  if (offset >= length - tail_length) return Part::Tail;
  return part;
}

AuthoredText::AuthoredText(std::string_view text) {
  replace({0, 0, std::string(text)}, Authorship{});
}

AuthoredText::Change AuthoredText::replace(const text::Edit& edit, const Authorship& by) {
  using authored_text_internal::signed_offset;
  assert(edit.begin <= edit.end && edit.end <= text_.size());
  ++changes_;
  Change change;
  const auto removed_begin = visible_.begin() + signed_offset(edit.begin);
  const auto removed_end = visible_.begin() + signed_offset(edit.end);
  change.removed.assign(removed_begin, removed_end);
  for (const GlyphId id : change.removed) {
    Glyph& glyph = glyphs_[id];
    glyph.visible = false;
    glyph.removed_by_server = by.author == Author::Server;
    glyph.removed_by = by.flight;
    glyph.astray = glyph.astray || by.astray;
    if (by.part != Part::FrontMatter) continue;
    // The value of the server's own key is the server's, whoever wrote it. A person may have joined
    // a reply to it.
    glyph.author = Author::Server;
    glyph.removed_by_server = glyph.region == kNoRegion;
    if (glyph.region == kNoRegion) glyph.part = Part::FrontMatter;
  }
  const auto gap = visible_.erase(removed_begin, removed_end);

  const std::size_t length = edit.replacement.size();
  for (std::size_t i = 0; i < length; ++i) {
    Glyph glyph;
    glyph.byte = edit.replacement[i];
    glyph.author = by.author;
    glyph.part = by.part_at(i, length);
    glyph.region = by.region;
    glyph.flight = by.flight;
    glyph.astray = by.astray;
    glyph.known_changes = by.known_changes;
    change.inserted.push_back(static_cast<GlyphId>(glyphs_.size()));
    glyphs_.push_back(glyph);
  }
  visible_.insert(gap, change.inserted.begin(), change.inserted.end());
  const std::size_t at = order_index(edit.begin, by);
  order_.insert(order_.begin() + signed_offset(at), change.inserted.begin(), change.inserted.end());
  text_.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  return change;
}

AuthoredText::Change AuthoredText::paste(std::size_t offset, const std::vector<GlyphId>& cut) {
  std::string text;
  for (const GlyphId id : cut) text += glyphs_[id].byte;
  Change change = replace({offset, offset, text}, Authorship{});
  for (std::size_t i = 0; i < cut.size(); ++i) {
    Glyph& twin = glyphs_[change.inserted[i]];
    twin = glyphs_[cut[i]];
    twin.visible = true;
    twin.trimmed_before = 0;
    twin.origin = twin.origin.value_or(cut[i]);
    glyphs_[cut[i]].twin = change.inserted[i];
  }
  return change;
}

bool AuthoredText::is_replaced_by_twin(GlyphId id) const {
  return !glyphs_[id].visible && glyphs_[id].twin.has_value();
}

/// Where in order_ a change at `offset` of the text goes: behind the hidden bytes there, but a
/// reply goes on behind its own.
std::size_t AuthoredText::order_index(std::size_t offset, const Authorship& by) const {
  const auto next_visible = [this](std::size_t from) {
    while (from < order_.size() && !glyphs_[order_[from]].visible) ++from;
    return from;
  };
  std::size_t begin = 0;
  if (offset > 0) {
    const auto left = std::find(order_.begin(), order_.end(), visible_[offset - 1]);
    begin = static_cast<std::size_t>(left - order_.begin()) + 1;
  }
  const std::size_t end = next_visible(begin);
  if (by.author == Author::Person || by.head_length > 0) return end;
  std::size_t behind_own = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const Glyph& glyph = glyphs_[order_[i]];
    if (glyph.region != by.region || glyph.removed_by_server) continue;
    if (glyph.part == Part::Tail) break;
    behind_own = i + 1;
  }
  return behind_own;
}

void AuthoredText::note_trimmed(const std::vector<GlyphId>& removed) {
  const auto is_reply = [this](GlyphId id) {
    return glyphs_[id].part == Part::Reply && !glyphs_[id].removed_by_server;
  };
  const auto last = std::find_if(removed.rbegin(), removed.rend(), is_reply);
  if (last == removed.rend()) return;
  const int region = glyphs_[*last].region;
  const auto is_white = [this](GlyphId id) {
    return std::string_view(" \t\r\n").find(glyphs_[id].byte) != std::string_view::npos;
  };
  if (!std::all_of(last, removed.rend(), is_white)) return;
  auto place = std::find(order_.begin(), order_.end(), *last);
  const auto stands = [&](GlyphId id) {
    return glyphs_[id].visible && glyphs_[id].region == region && is_reply(id);
  };
  if (std::any_of(place, order_.end(), stands)) return;
  for (auto id = last; id != removed.rend(); ++id, --place) {
    // Only up to what the person wrote, or took out, inside the reply.
    const auto is_between = [&](GlyphId one) {
      return glyphs_[one].region == region && is_reply(one) && glyphs_[one].trimmed_before == 0;
    };
    while (*place != *id && !is_between(*place)) --place;
    if (*place != *id || !is_between(*id) || glyphs_[*id].region != region) return;
    glyphs_[*id].trimmed_before = next_id();
    glyphs_[*id].trimmed_by = changes_;
    if (place == order_.begin()) return;
  }
}

void AuthoredText::note_block_is_back(const std::vector<GlyphId>& shown) {
  std::map<int, bool> is_whole;
  for (const GlyphId id : shown) {
    if (glyphs_[id].part == Part::Head) is_whole.emplace(glyphs_[id].region, true);
  }
  if (is_whole.empty()) return;
  const std::set<GlyphId> back(shown.begin(), shown.end());
  for (GlyphId id = 0; id < glyphs_.size(); ++id) {
    const Glyph& glyph = glyphs_[id];
    const bool is_of_block = glyph.part == Part::Head || glyph.part == Part::Reply;
    const bool is_gone = glyph.part == Part::Head && !glyph.removed_by_server;
    const bool is_elsewhere =
        glyph.visible ? back.count(id) == 0 : is_gone && !is_replaced_by_twin(id);
    if (is_of_block && is_elsewhere && is_whole.count(glyph.region) > 0)
      is_whole[glyph.region] = false;
  }
  for (const GlyphId id : shown) {
    Glyph& glyph = glyphs_[id];
    if (glyph.region != kNoRegion && is_whole.count(glyph.region) > 0 && is_whole[glyph.region])
      glyph.restored = glyph.was_restored;
  }
}

void AuthoredText::show(GlyphId id) {
  Glyph& glyph = glyphs_[id];
  glyph.trimmed_before = 0;
  glyph.visible = true;
  glyph.was_restored = glyph.restored;
  glyph.restored = glyph.came_back = true;
  if (!glyph.removed_by_server) return;
  glyph.removed_by_server = false;
  glyph.author = Author::Person;  // the server gave it up, a person wants it
  glyph.part = Part::Plain;
  glyph.region = kNoRegion;
}

void AuthoredText::hide(GlyphId id) {
  glyphs_[id].visible = false;
}

std::vector<text::Edit> AuthoredText::undo(const Change& change) {
  remember_visibility();
  for (const GlyphId id : change.inserted) hide(id);
  for (const GlyphId id : change.removed) show(id);
  return changed_visibility();
}

std::vector<text::Edit> AuthoredText::redo(const Change& change) {
  remember_visibility();
  for (const GlyphId id : change.removed) hide(id);
  for (const GlyphId id : change.inserted) show(id);
  return changed_visibility();
}

std::vector<text::Edit> AuthoredText::become(const std::vector<GlyphId>& shown) {
  remember_visibility();
  std::vector<bool> wanted(glyphs_.size(), false);
  for (const GlyphId id : shown) wanted[id] = true;
  for (GlyphId id = 0; id < glyphs_.size(); ++id) {
    if (wanted[id] && !glyphs_[id].visible) show(id);
    if (!wanted[id] && glyphs_[id].visible) hide(id);
  }
  return changed_visibility();
}

void AuthoredText::remember_visibility() {
  ++changes_;
  was_visible_.assign(glyphs_.size(), false);
  for (const GlyphId id : visible_) was_visible_[id] = true;
}

/// The edits that lead from the remembered visibility to this one, the last place first.
std::vector<text::Edit> AuthoredText::changed_visibility() {
  std::vector<text::Edit> edits;
  std::vector<std::vector<GlyphId>> runs;   // what each of them takes out
  std::vector<std::vector<GlyphId>> shown;  // and brings back
  bool open = false;
  std::size_t before = 0;
  text_.clear();
  visible_.clear();
  for (const GlyphId id : order_) {
    const Glyph& glyph = glyphs_[id];
    const bool was = was_visible_[id];
    if (was && glyph.visible) open = false;
    if (was != glyph.visible) {
      if (!open) edits.push_back({before, before, {}});
      if (!open) runs.emplace_back();
      if (!open) shown.emplace_back();
      open = true;
      if (glyph.visible) edits.back().replacement += glyph.byte;
      (was ? runs : shown).back().push_back(id);
    }
    if (was) ++before;
    if (open) edits.back().end = before;
    if (!glyph.visible) continue;
    text_ += glyph.byte;
    visible_.push_back(id);
  }
  for (const std::vector<GlyphId>& run : shown) note_block_is_back(run);
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (edits[i].replacement.empty()) note_trimmed(runs[i]);
  }
  std::reverse(edits.begin(), edits.end());
  return edits;
}

void AuthoredText::hand_to_person() {
  for (Glyph& glyph : glyphs_) {
    glyph.author = Author::Person;
    glyph.part = Part::Plain;
    glyph.region = kNoRegion;
    glyph.removed_by_server = false;
  }
}

}  // namespace agent_doc::simulation
