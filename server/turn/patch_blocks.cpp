#include "server/turn/patch_blocks.hpp"

#include "server/markdown/code_spans.hpp"
#include "server/markdown/components.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::turn {

namespace {

constexpr std::string_view kMarkerBegin = "<!--";
constexpr std::string_view kMarkerEnd = "-->";
constexpr std::string_view kBlanks = " \t";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool is_code_line(markdown::LineKind kind) {
  return kind == markdown::LineKind::Code || kind == markdown::LineKind::FenceOpen ||
         kind == markdown::LineKind::FenceClose;
}

}  // namespace

PatchBlocks::PatchBlocks(IsKnown is_known, PatchPartWrites& writes)
    : is_known_(std::move(is_known)), writes_(writes) {}

void PatchBlocks::write(std::size_t offset, std::string_view text) {
  if (offset < reply_.size()) {
    reply_.resize(offset);
    const State before = std::exchange(state_, State{});
    is_silent_ = true;
    advance(LineEnd::Missing);
    is_silent_ = false;
    for (std::size_t part = before.sizes.size(); part > state_.sizes.size(); --part)
      writes_.withdraw_part(part - 1);
    for (std::size_t part = 0; part < state_.sizes.size(); ++part) {
      if (state_.sizes[part] < before.sizes[part]) writes_.write_part(part, state_.sizes[part], {});
    }
  }
  reply_ += text;
  advance(LineEnd::Missing);
}

void PatchBlocks::finish() {
  advance(LineEnd::There);
}

/// `end_of_reply`: There, when nothing follows the last line any more.
void PatchBlocks::advance(LineEnd end_of_reply) {
  while (state_.line_begin < reply_.size()) {
    const std::size_t found = reply_.find('\n', state_.at);
    const bool is_whole = found != std::string::npos;
    const std::size_t line_end = is_whole ? found : reply_.size();
    const LineEnd end = is_whole ? LineEnd::There : end_of_reply;
    if (!advance_in_line(line_end, end)) break;
    finish_line(line_end, is_whole ? LineEnd::There : LineEnd::Missing);
    if (!is_whole) break;
  }
  flush();
}

bool PatchBlocks::advance_in_line(std::size_t line_end, LineEnd end) {
  const std::string_view line =
      std::string_view(reply_).substr(state_.line_begin, line_end - state_.line_begin);
  if (end == LineEnd::There || line.size() > kMaxMarkerLine) {
    const bool is_long = line.size() > kMaxMarkerLine;
    if (is_long && end == LineEnd::Missing) {
      put(std::string_view(reply_).substr(state_.at, line_end - state_.at));
      state_.at = line_end;
      return false;
    }
    const markdown::LineKind kind = state_.parser.parse(line, 0).kind;
    if (is_long || is_code_line(kind)) {
      put(std::string_view(reply_).substr(state_.at, line_end - state_.at));
    } else {
      take_line_with_markers(line);
    }
    state_.at = line_end;
    return true;
  }
  // Nothing of the line that cannot be in a marker waits for its end.
  std::size_t safe = line.find('<', state_.at - state_.line_begin);
  while (safe != std::string_view::npos && !may_become_marker(line.substr(safe)))
    safe = line.find('<', safe + 1);
  const std::size_t upto = state_.line_begin + std::min(safe, line.size());
  put(std::string_view(reply_).substr(state_.at, upto - state_.at));
  state_.at = upto;
  return false;
}

void PatchBlocks::finish_line(std::size_t line_end, LineEnd end) {
  if (end == LineEnd::There) put("\n");
  state_.at = line_end + (end == LineEnd::There ? 1 : 0);
  state_.line_begin = state_.at;
}

/// A whole line outside code: its markers, and what is between them. What is before `at` was
/// written already, so no marker is there.
void PatchBlocks::take_line_with_markers(std::string_view line) {
  markdown::CodeSpans spans(line);
  std::size_t from = state_.at - state_.line_begin;
  for (std::size_t at = line.find_first_of("`<"); at != std::string_view::npos;
       at = line.find_first_of("`<", at)) {
    if (line[at] == '`') {
      at = spans.end_of(at);
      continue;
    }
    const PatchMarker marker = at < from ? PatchMarker{} : marker_at(line.substr(at));
    const bool begins_block = marker.length > 0 && opens(marker);
    if (!begins_block && !(marker.length > 0 && closes(marker))) {
      ++at;
      continue;
    }
    put(line.substr(from, at - from));
    if (begins_block) {
      open_block(marker);
    } else {
      close_block();
    }
    from = at += marker.length;
    if (without_blanks(line.substr(at)).empty()) from = at = line.size();
  }
  put(line.substr(from));
}

PatchBlocks::PatchMarker PatchBlocks::marker_at(std::string_view text) {
  if (!text.starts_with(kMarkerBegin)) return {};
  const std::size_t end = text.find(kMarkerEnd, kMarkerBegin.size());
  if (end == std::string_view::npos) return {};
  std::string_view name =
      without_blanks(text.substr(kMarkerBegin.size(), end - kMarkerBegin.size()));
  PatchMarker marker;
  marker.length = end + kMarkerEnd.size();
  marker.is_closing = name.starts_with('/');
  if (marker.is_closing) name.remove_prefix(1);
  if (name.starts_with("replace:")) marker.kind = PatchKind::Replace;
  const std::size_t colon = name.find(':');
  const bool is_patch = marker.kind == PatchKind::Replace || name.starts_with("patch:");
  if (!is_patch || !markdown::is_component_name(name.substr(colon + 1))) return {};
  marker.name = name.substr(colon + 1);
  return marker;
}

/// Whether a marker may begin here once the line goes on. `text` begins with '<'.
bool PatchBlocks::may_become_marker(std::string_view text) {
  const auto takes = [&text](std::string_view expected) {
    const std::size_t size = std::min(expected.size(), text.size());
    if (text.substr(0, size) != expected.substr(0, size)) return false;
    text.remove_prefix(size);
    return true;
  };
  if (!takes(kMarkerBegin)) return false;
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.starts_with('/')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 2> kWords{"patch:", "replace:"};
  return std::ranges::any_of(kWords, [&text](std::string_view word) {
    const std::size_t size = std::min(word.size(), text.size());
    return text.substr(0, size) == word.substr(0, size);
  });
}

bool PatchBlocks::opens(const PatchMarker& marker) const {
  return !marker.is_closing && state_.part == 0 && state_.blocks.size() < kMaxPatchBlocks &&
         is_known_(marker.name);
}

bool PatchBlocks::closes(const PatchMarker& marker) const {
  return marker.is_closing && state_.part != 0 && state_.blocks.back().name == marker.name &&
         state_.blocks.back().kind == marker.kind;
}

void PatchBlocks::open_block(const PatchMarker& marker) {
  flush();
  state_.blocks.push_back({std::string(marker.name), marker.kind});
  state_.sizes.push_back(0);
  state_.part = state_.blocks.size();
  state_.outside_line_ends = std::max(state_.line_ends, state_.line_ends_before);
  state_.line_ends = 0;
  if (!is_silent_) writes_.write_part(state_.part, 0, {});
}

void PatchBlocks::close_block() {
  flush();
  state_.blocks.back().is_closed = true;
  state_.part = 0;
  state_.line_ends = 0;
  state_.line_ends_before = state_.outside_line_ends;
}

/// Line ends are written when text follows them: a part has none at its ends.
void PatchBlocks::put(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == '\n') {
      ++state_.line_ends;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t before = state_.part == 0 ? state_.line_ends_before : 0;
    const std::size_t line_ends = std::max(state_.line_ends, before);
    if (state_.sizes[state_.part] > 0) {
      unwritten_.append(line_ends, '\n');
      state_.sizes[state_.part] += line_ends;
    }
    state_.line_ends = 0;
    if (state_.part == 0) state_.line_ends_before = 0;
    const std::string_view line = text.substr(0, text.find('\n'));
    unwritten_ += line;
    state_.sizes[state_.part] += line.size();
    text.remove_prefix(line.size());
  }
}

void PatchBlocks::flush() {
  if (!unwritten_.empty() && !is_silent_)
    writes_.write_part(state_.part, state_.sizes[state_.part] - unwritten_.size(), unwritten_);
  unwritten_.clear();
}

}  // namespace agent_doc::turn
