#include "server/session/component_bodies.hpp"

#include "server/markdown/components.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_doc::session {

namespace {

using markdown::Component;
using markdown::PatchMode;

/// Where a region begins that writes into `component` by `mode`. What it replaces is the beginning
/// of its text; what it is appended to is not, for it is not ours.
sync::ComponentBody region_in(std::string_view text, const Component& component, PatchMode mode) {
  sync::ComponentBody body;
  body.opening_begin = component.opening_begin;
  body.opening_end = component.opening_end;
  body.closing_begin = component.boundary.value_or(component.closing_begin);
  const std::size_t marker_end = text.find("-->", body.closing_begin);
  body.closing_end = component.boundary ? marker_end + 3 : component.closing_end;
  body.begin = mode == PatchMode::Append ? body.closing_begin : component.body_begin;
  body.end =
      mode == PatchMode::Replace ? markdown::replaced_extent(text, component).end : body.begin;
  return body;
}

/// `left` is what is left of the component's text when the run began: the rest of `body` a person
/// has written, and it stays.
void leave_what_was_typed(sync::ComponentBody& body, const sync::EditedText& left) {
  const auto is_in_body = [&body](const sync::StandingPart& part) {
    return part.begin >= body.begin && part.begin + part.length <= body.end;
  };
  sync::EditedText& edited = body.edited.emplace();
  edited.size = left.size;
  std::ranges::copy_if(left.parts, std::back_inserter(edited.parts), is_in_body);
  body.end =
      edited.parts.empty() ? body.begin : edited.parts.back().begin + edited.parts.back().length;
}

}  // namespace

void ComponentBodies::remember_components(
    const std::function<bool(std::string_view name)>& may_be_written) {
  const std::string& text = manuscript_.text();
  sync::StandingTexts& standing = manuscript_.regions().standing_texts();
  standing.clear();
  at_begin_.clear();
  const std::size_t body = markdown::read_front_matter(text).body_begin;
  for (const Component& component : markdown::find_components(text, body).found) {
    if (!may_be_written(component.name)) continue;
    const markdown::BodyExtent extent = markdown::replaced_extent(text, component);
    standing.add(extent.begin, extent.end);
    at_begin_.push_back({component.name, text.substr(extent.begin, extent.end - extent.begin)});
  }
}

void ComponentBodies::replace(const ComponentBodies& earlier) {
  sync::SyncEngine& regions = manuscript_.regions();
  for (const Body& body : earlier.bodies_) {
    const auto extent = manuscript_.engine().region_extent(body.writer.region());
    if (body.settings.mode == PatchMode::Replace || !extent) continue;
    const std::string standing =
        manuscript_.text().substr(extent->begin, extent->end - extent->begin);
    if (text::with_line_ends(standing, "\n") != body.writer.text()) continue;
    if (!regions.reopen_region(body.writer.region(), standing)) continue;
    RegionWriter writer(regions, line_end_);
    writer.go_on_in(body.writer.region(), standing);
    bodies_.push_back({body.name, std::move(writer), body.settings, body.lead, true, {}});
  }
}

void ComponentBodies::reply_began() {
  for (Body& body : bodies_) {
    if (std::exchange(body.is_earlier, false)) body.writer.write(0, {});
  }
}

void ComponentBodies::open(std::string name, const sync::ComponentBody& body) {
  const std::string_view document = manuscript_.text();
  open(std::move(name), body, document.substr(body.begin, body.end - body.begin));
}

void ComponentBodies::open(std::string name, const sync::ComponentBody& body,
                           std::string_view standing) {
  RegionWriter writer(manuscript_.regions(), line_end_);
  writer.go_on_in(manuscript_.regions().open_body(body), standing);
  bodies_.push_back({std::move(name), std::move(writer), {}, {}, {}, {}});
}

void ComponentBodies::write(std::string_view name, std::size_t offset, std::string_view text) {
  const auto body = std::ranges::find(bodies_, name, &Body::name);
  if (body != bodies_.end()) body->writer.write(offset, text);
}

std::optional<std::size_t> ComponentBodies::body_for(const turn::PatchBlock& block) {
  const auto body = std::ranges::find(bodies_, block.name, &Body::name);
  if (body != bodies_.end()) return static_cast<std::size_t>(body - bodies_.begin());
  return open_component(block);
}

std::optional<std::size_t> ComponentBodies::open_component(const turn::PatchBlock& block) {
  const std::string& text = manuscript_.text();
  const markdown::Components components =
      markdown::find_components(text, markdown::read_front_matter(text).body_begin);
  const Component* component = components.find(block.name);
  if (component == nullptr) return std::nullopt;
  markdown::ComponentSettings settings = markdown::settings_of(*component);
  if (block.kind == turn::PatchKind::Replace) settings.mode = PatchMode::Replace;
  sync::ComponentBody place = region_in(text, *component, settings.mode);
  const bool follows_marker = place.begin == place.opening_end;
  const bool is_in_line = !text::is_whole_lines(std::string_view(text).substr(0, place.begin));
  const bool is_at_marker = follows_marker && place.begin == place.closing_begin;
  const auto before = std::ranges::find(at_begin_, block.name, &ComponentText::name);
  if (settings.mode == PatchMode::Replace && before != at_begin_.end() && !has_region_in(place)) {
    const auto index = static_cast<std::size_t>(before - at_begin_.begin());
    leave_what_was_typed(place, manuscript_.regions().standing_texts().at(index));
    open(block.name, place, before->text);
  } else {
    open(block.name, place);
  }
  bodies_.back().settings = settings;
  // The engine puts line ends between two markers that follow each other at once.
  if (is_in_line && !is_at_marker) bodies_.back().lead = "\n";
  return bodies_.size() - 1;
}

/// In a component inside of the one at `place` there is a region already: what is new there is not
/// a person's.
bool ComponentBodies::has_region_in(const sync::ComponentBody& place) const {
  const std::vector<sync::RegionExtent> regions = extents();
  return std::ranges::any_of(regions, [&place](const sync::RegionExtent& region) {
    return region.begin >= place.begin && region.end <= place.end;
  });
}

void ComponentBodies::begin_block(Block& block, const turn::PatchBlock& patch) {
  block.body = body_for(patch);
  block.has_no_place = !block.body;
  if (block.has_no_place) return;
  Body& body = bodies_[*block.body];
  const std::string& written = body.writer.text();
  block.before = block.begin = written.size();
  if (body.settings.mode == PatchMode::Replace) {
    block.replaced = written;
    block.begin = body.lead.size();
    body.writer.write(0, body.lead);
    return;
  }
  std::string above = written.empty() ? body.lead : std::string();
  if (!written.empty() && !written.ends_with('\n')) above = "\n";
  block.begin += above.size();
  if (!above.empty()) body.writer.write(block.before, above);
}

void ComponentBodies::write_block(std::size_t index, const turn::PatchBlock& patch,
                                  std::size_t offset, std::string_view text) {
  if (blocks_.size() <= index) blocks_.resize(index + 1);
  Block& block = blocks_[index];
  if (block.has_no_place || (!block.body && text.empty())) return;
  if (!block.body) begin_block(block, patch);
  if (!block.body) return;
  Body& body = bodies_[*block.body];
  if (body.settings.mode == PatchMode::Prepend) return write_lines(block, offset, text);
  body.writer.write(block.begin + offset, text);
}

/// Above other text only whole lines are written: half of one would be glued to the next.
void ComponentBodies::write_lines(Block& block, std::size_t offset, std::string_view text) {
  RegionWriter& writer = bodies_[*block.body].writer;
  const std::size_t whole = writer.text().size() - block.begin;
  std::string rest;
  if (offset >= whole) {
    rest = block.held.substr(0, offset - whole) + std::string(text);
    offset = whole;
  } else {
    const std::string before = writer.text().substr(block.begin, offset);
    const std::size_t line = before.rfind('\n') + 1;
    rest = before.substr(line) + std::string(text);
    offset = line;
  }
  const std::size_t lines = rest.rfind('\n') + 1;
  block.held = rest.substr(lines);
  rest.resize(lines);
  if (!rest.empty() || offset < whole) writer.write(block.begin + offset, rest);
}

void ComponentBodies::withdraw_block(std::size_t index) {
  if (blocks_.size() <= index) return;
  const Block& block = blocks_[index];
  if (block.body) {
    RegionWriter& writer = bodies_[*block.body].writer;
    if (block.replaced) {
      writer.write(0, *block.replaced);
    } else {
      writer.write(block.before, {});
    }
  }
  blocks_.resize(index);
}

void ComponentBodies::finish(const std::vector<turn::PatchBlock>& blocks) {
  blocks_.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks_[i];
    if (block.body && !block.held.empty())
      bodies_[*block.body].writer.write(bodies_[*block.body].writer.text().size(),
                                        std::exchange(block.held, {}) + "\n");
    const auto next = blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const bool is_last = std::none_of(next, blocks.end(), [&](const turn::PatchBlock& later) {
      return later.name == blocks[i].name;
    });
    if (!block.body && !block.has_no_place && blocks[i].is_closed && is_last)
      empty_component(blocks[i]);
  }
  for (const Body& body : bodies_) manuscript_.regions().finish_region(body.writer.region());
  manuscript_.regions().standing_texts().clear();
  at_begin_.clear();
}

/// A block without text empties what it replaces.
void ComponentBodies::empty_component(const turn::PatchBlock& block) {
  const std::optional<std::size_t> body = body_for(block);
  if (body && bodies_[*body].settings.mode == PatchMode::Replace)
    bodies_[*body].writer.write(0, {});
}

void ComponentBodies::take_surplus_lines_out() {
  for (Body& body : bodies_) {
    if (std::exchange(body.keeps_max_lines, true)) continue;
    const markdown::ComponentSettings settings = body.settings;
    const auto surplus = [name = body.name, settings](const text::TextBuffer& now) {
      return markdown::surplus_lines(now.text(), name, settings);
    };
    if (surplus(manuscript_.engine().shadow())) manuscript_.propose(surplus);
  }
}

void ComponentBodies::line_ends_changed(const sync::Notice& notice) {
  line_end_ = notice.line_end;
  for (Body& body : bodies_) {
    if (notice.region == body.writer.region())
      body.writer.adopt_line_ends(notice.reply_offset, notice.line_end);
  }
}

bool ComponentBodies::has_stopped() const {
  return std::ranges::any_of(bodies_, [this](const Body& body) {
    const sync::RegionState state = manuscript_.engine().region_state(body.writer.region());
    return state == sync::RegionState::Paused || state == sync::RegionState::Detached;
  });
}

std::string_view ComponentBodies::name_of(sync::RegionId region) const {
  const auto body = std::ranges::find_if(
      bodies_, [region](const Body& one) { return one.writer.region() == region; });
  return body == bodies_.end() ? std::string_view() : std::string_view(body->name);
}

std::vector<sync::RegionExtent> ComponentBodies::extents() const {
  std::vector<sync::RegionExtent> extents;
  for (const Body& body : bodies_) {
    if (const auto extent = manuscript_.engine().region_extent(body.writer.region()))
      extents.push_back(*extent);
  }
  return extents;
}

}  // namespace agent_doc::session
