// The part of Writer that looks at the edits that leave: what was meant by each, and whether it may
// leave at all.

#include "server/text/utf8.hpp"
#include "tests/simulation/client_positions.hpp"
#include "tests/simulation/writer.hpp"

#include <algorithm>

namespace agent_doc::simulation {

EditRequest Writer::request_for(const sync::OutgoingEdit& edit) {
  EditRequest request;
  const text::TextBuffer& shadow = engine_.shadow();
  request.number = sent_ + 1;
  request.base_version = edit.base_version;
  request.range = {shadow.position_of(edit.edit.begin, client_.model().encoding),
                   shadow.position_of(edit.edit.end, client_.model().encoding)};
  request.text = edit.edit.replacement;
  request.by = authorship_of(edit);
  request.by.flight = request.number;
  request.base = shadow.text();
  request.expected = shadow.text();
  request.expected.replace(edit.edit.begin, edit.edit.end - edit.edit.begin, edit.edit.replacement);
  return request;
}

Authorship Writer::authorship_of(const sync::OutgoingEdit& edit) {
  Authorship by;
  by.author = Author::Server;
  if (proposed_) {
    by.part = Part::FrontMatter;
    return by;
  }
  if (edit.kind == sync::FlightKind::LineEnds) by.part = Part::LineEnds;
  if (edit.kind == sync::FlightKind::LineEnds) {
    std::size_t nearest = 0;
    for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
      const std::optional<sync::RegionExtent> extent = engine_.region_extent(wanted_[i].id);
      const bool is_above = extent && extent->end <= edit.edit.begin && extent->end >= nearest;
      if (!is_above || engine_.region_state(wanted_[i].id) != sync::RegionState::Growing) continue;
      by.region = static_cast<int>(i);
      nearest = extent->end;
    }
    return by;
  }
  by.part = Part::Reply;
  std::size_t innermost = 0;
  const std::string_view text = edit.edit.replacement;
  for (std::size_t i = first_region_; i < wanted_.size(); ++i) {
    const WantedRegion& region = wanted_[i];
    const sync::RegionState state = engine_.region_state(region.id);
    if (state == sync::RegionState::Opening &&
        text.substr(0, region.frame.head.size()) == region.frame.head) {
      by.region = static_cast<int>(i);
      by.head_length = region.frame.head.size();
      by.tail_length = region.frame.tail.size();
      return by;
    }
    const std::optional<sync::RegionExtent> extent = engine_.region_extent(region.id);
    if (state != sync::RegionState::Growing || !extent) continue;
    const bool is_inner = extent->begin >= innermost;  // a block may be pasted into another one
    if (!is_inner || edit.edit.begin < extent->begin || edit.edit.end > extent->end) continue;
    by.region = static_cast<int>(i);
    innermost = extent->begin;
  }
  return by;
}

/// When a reply is complete, the heading below it begins a line, unless the person took that away.
void Writer::check_line_below(std::size_t index) {
  if (!client_.model().is_exact() || client_.model().counts != Counts::AsAgreed || in_doubt_ ||
      wanted_[index].ending != WantedRegion::Ending::Finished)
    return;
  const std::string& text = engine_.shadow().text();
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Glyph& glyph = client_.content().glyph(shadow_glyphs_[i]);
    const bool of_region = glyph.region == static_cast<int>(index);
    if (of_region && glyph.part == Part::Tail && glyph.byte == '#') {
      if (!line_begins) fail("the heading below a reply stands in its last line: " + quoted(text));
      return;
    }
    if (text[i] == '\n' || text[i] == '\r') line_begins = true;
    if (of_region && glyph.part == Part::Reply && text[i] != '\n' && text[i] != '\r')
      line_begins = false;
  }
}

void Writer::check(const sync::OutgoingEdit& edit, const EditRequest& request) {
  const std::string& text = engine_.shadow().text();
  const text::PositionEncoding encoding = client_.model().encoding;
  if (edit.base_version != engine_.version())
    fail("an edit is not made for the version of the shadow");
  if (text.compare(edit.edit.begin, edit.edit.end - edit.edit.begin, request.text) == 0)
    fail("an edit changes nothing");
  if (!text::is_valid_utf8(request.text)) fail("an edit is not UTF-8");
  if (offset_in(text, request.range.start, encoding) != edit.edit.begin ||
      offset_in(text, request.range.end, encoding) != edit.edit.end) {
    fail("an edit begins or ends where the protocol has no position");
  }
  note_restored_frame(edit);
  const bool knows_text = client_.model().is_exact() && client_.model().counts == Counts::AsAgreed;
  if (request.by.part == Part::FrontMatter || !knows_text || in_doubt_) return;
  for (std::size_t i = edit.edit.begin; i < edit.edit.end; ++i) {
    const Glyph& glyph = client_.content().glyph(shadow_glyphs_[i]);
    const bool once_the_servers =
        glyph.flight != 0;  // an undo brought it back; of equal line ends nobody knows which
    if (glyph.author == Author::Person && !once_the_servers)
      fail("an edit deletes what the person wrote, at byte " + std::to_string(i));
  }
  if (request.by.region == kNoRegion && !request.text.empty())
    fail("an edit writes outside of every region that may be written");
}

}  // namespace agent_doc::simulation
