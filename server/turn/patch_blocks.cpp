#include "server/turn/patch_blocks.hpp"

#include "server/markdown/code_spans.hpp"
#include "server/markdown/components.hpp"
#include "server/markdown/scanner.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace agent_doc::turn {

namespace {

constexpr std::string_view kMarkerBegin = "<!--";
constexpr std::string_view kMarkerEnd = "-->";
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kAgentWord = "agent:";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// The end of the comment at `at`, or `at` where none is.
std::size_t end_of_comment(std::string_view line, std::size_t at) {
  if (!line.substr(at).starts_with(kMarkerBegin)) return at;
  const std::size_t end = line.find(kMarkerEnd, at + kMarkerBegin.size());
  return end == std::string_view::npos ? at : end + kMarkerEnd.size();
}

/// The name in a marker of a component that begins with `text`; else empty.
std::string_view name_of_component(std::string_view text) {
  if (!text.starts_with(kMarkerBegin)) return {};
  text.remove_prefix(kMarkerBegin.size());
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.starts_with('/')) text.remove_prefix(1);
  if (!text.starts_with(kAgentWord)) return {};
  text.remove_prefix(kAgentWord.size());
  const auto is_of_name = [](char c) { return c == '-' || markdown::is_component_name({&c, 1}); };
  const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_name) -
                                            text.begin());
  const std::string_view name = text.substr(0, end);
  const bool has_end = text.substr(end).starts_with('>') && name.ends_with("--");
  return has_end ? name.substr(0, end - 2) : name;
}

bool is_code_line(markdown::LineKind kind) {
  return kind == markdown::LineKind::Code || kind == markdown::LineKind::FenceOpen ||
         kind == markdown::LineKind::FenceClose;
}

}  // namespace

PatchBlocks::PatchBlocks(TargetOf target_of, PatchPartWrites& writes)
    : target_of_(std::move(target_of)), writes_(writes) {}

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
  if (state_.part != 0) close_block();
  close_what_is_open();
  flush();
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
  if (line.size() > kMaxMarkerLine) {
    put_long_line(line, end);
    if (end == LineEnd::There) state_.parser.parse(escaped(line), 0);
    return end == LineEnd::There;
  }
  if (end == LineEnd::There) {
    take_whole_line(line);
    state_.at = line_end;
    return true;
  }
  // Nothing of the line that cannot be in a marker waits for its end.
  std::size_t safe = line.find('<', state_.at - state_.line_begin);
  while (safe != std::string_view::npos && marker_begin(line.substr(safe)) == MarkerBegin::No)
    safe = line.find('<', safe + 1);
  const std::size_t upto = state_.line_begin + std::min(safe, line.size());
  put(std::string_view(reply_).substr(state_.at, upto - state_.at));
  state_.at = upto;
  return false;
}

/// No block begins or ends in it.
void PatchBlocks::put_long_line(std::string_view line, LineEnd end) {
  const std::string_view rest = line.substr(state_.at - state_.line_begin);
  std::size_t safe = rest.size();
  if (end == LineEnd::Missing) {
    safe = std::min(rest.find('<'), rest.size());
    while (safe < rest.size() && marker_begin(rest.substr(safe)) != MarkerBegin::Perhaps)
      safe = std::min(rest.find('<', safe + 1), rest.size());
  }
  put(escaped(rest.substr(0, safe)));
  state_.at += safe;
}

void PatchBlocks::take_whole_line(std::string_view line) {
  const std::size_t from = state_.at - state_.line_begin;
  if (line.find(kMarkerBegin) == std::string_view::npos) {
    state_.parser.parse(line, 0);
    return put(line.substr(from));
  }
  const markdown::BlockParser before = state_.parser;
  const markdown::LineKind kind = state_.parser.parse(line, 0).kind;
  const auto leaf = state_.parser.shape().leaf;
  const bool is_fenced = leaf == markdown::LineShape::Leaf::Fence ||
                         leaf == markdown::LineShape::Leaf::FenceOpen ||
                         leaf == markdown::LineShape::Leaf::FenceClose;
  if (is_fenced) return put(line.substr(from));
  const PatchMarker first = is_code_line(kind) ? PatchMarker{} : next_marker(line, from);
  if (first.length == 0 && is_balanced_block(line, kind)) return put(line.substr(from));
  // Each part has a line of its own, which its parser has not seen yet.
  state_.parser = before;
  if (first.length > 0) return take_line_with_markers(line, first);
  const std::string shown = escaped(line);
  state_.parser.parse(shown, 0);
  put(std::string_view(shown).substr(from));
}

void PatchBlocks::finish_line(std::size_t line_end, LineEnd end) {
  if (end == LineEnd::There && !is_line_gone_) put("\n");
  is_line_gone_ = false;
  state_.at = line_end + (end == LineEnd::There ? 1 : 0);
  state_.line_begin = state_.at;
}

/// Returns the next marker that begins or ends a block here; one of no length where none does. What
/// is before `from` was written already, so no marker is there.
PatchBlocks::PatchMarker PatchBlocks::next_marker(std::string_view line, std::size_t from) const {
  markdown::CodeSpans spans(line);
  for (std::size_t at = line.find_first_of("`<"); at != std::string_view::npos;
       at = line.find_first_of("`<", at)) {
    if (line[at] == '`') {
      at = spans.end_of(at);
      continue;
    }
    const std::size_t end = end_of_comment(line, at);
    PatchMarker marker = at < from ? PatchMarker{} : marker_at(line.substr(at));
    if (marker.length > 0 && is_taken(marker)) {
      marker.begin = at;
      marker.end = end;
      return marker;
    }
    at = std::max(end, at + 1);
  }
  return {};
}

/// A line with a marker outside code, and all that follow it there.
void PatchBlocks::take_line_with_markers(std::string_view line, PatchMarker marker) {
  std::size_t from = state_.at - state_.line_begin;
  std::string of_outside(state_.part == 0 ? line.substr(0, from) : std::string_view());
  std::string of_block(state_.part == 0 ? std::string_view() : line.substr(0, from));
  const auto add = [&](std::string_view text) {
    const std::string shown = escaped(text);
    put(shown);
    (state_.part == 0 ? of_outside : of_block).append(shown);
  };
  const auto parse = [](markdown::BlockParser& parser, std::string_view of_part) {
    if (!without_blanks(of_part).empty()) parser.parse(of_part, 0);
  };
  for (; marker.length > 0; marker = next_marker(line, from)) {
    add(line.substr(from, marker.begin - from));
    if (state_.part != 0) parse(state_.parser, std::exchange(of_block, {}));
    take(marker);
    from = marker.end;
  }
  const bool is_rest_blank = without_blanks(line.substr(from)).empty();
  if (!is_rest_blank) add(line.substr(from));
  is_line_gone_ = is_said_marker_alone(line, of_outside);
  if (state_.part != 0) parse(state_.parser, of_block);
  parse(state_.part == 0 ? state_.parser : state_.outside_parser, of_outside);
}

/// Whether the line is nothing but a marker of a block that is said.
bool PatchBlocks::is_said_marker_alone(std::string_view line, std::string_view of_outside) const {
  const PatchMarker marker = marker_at(without_blanks(line));
  return state_.part == 0 && of_outside.empty() && marker.length == without_blanks(line).size() &&
         target_of_(marker.name) == PatchTarget::Reply;
}

/// Escapes every marker of a component of the document, also in code spans and other comments: the
/// lines around may make something else of these. No reply ends a component of the document.
std::string PatchBlocks::escaped(std::string_view text) const {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view name = name_of_component(text.substr(at));
    if (name.empty() || target_of_(name) == PatchTarget::Nowhere) continue;
    result.append(text.substr(from, at - from)).push_back('\\');
    from = at;
  }
  return result.append(text.substr(from));
}

/// Whether the line is nothing but a marker that the part may have, as it closes what it opens. The
/// marker counts then.
bool PatchBlocks::is_balanced_block(std::string_view line, markdown::LineKind kind) {
  const std::string_view alone = without_blanks(line);
  if (kind != markdown::LineKind::HtmlComment || end_of_comment(alone, 0) != alone.size())
    return false;
  const markdown::ComponentMarker marker = markdown::component_marker_of(alone);
  std::vector<std::string>& open = state_.open_components;
  const bool is_marker =
      marker.kind == markdown::MarkerKind::Opening || marker.kind == markdown::MarkerKind::Closing;
  if (!is_marker || target_of_(marker.name) == PatchTarget::Nowhere) return false;
  if (marker.kind == markdown::MarkerKind::Opening) {
    if (open.size() == markdown::kMaxComponentDepth) return false;
    open.emplace_back(marker.name);
    return true;
  }
  const auto opened = std::find(open.rbegin(), open.rend(), marker.name);
  if (opened == open.rend()) return false;
  open.erase(std::prev(opened.base()), open.end());
  return true;
}

PatchBlocks::PatchMarker PatchBlocks::marker_at(std::string_view text) {
  const std::size_t end = end_of_comment(text, 0);
  if (end == 0) return {};
  std::string_view name = without_blanks(
      text.substr(kMarkerBegin.size(), end - kMarkerBegin.size() - kMarkerEnd.size()));
  PatchMarker marker;
  marker.length = end;
  marker.is_closing = name.starts_with('/');
  if (marker.is_closing) name.remove_prefix(1);
  if (name.starts_with("replace:")) marker.kind = PatchKind::Replace;
  const std::size_t colon = name.find(':');
  const bool is_patch = marker.kind == PatchKind::Replace || name.starts_with("patch:");
  if (!is_patch || !markdown::is_component_name(name.substr(colon + 1))) return {};
  marker.name = name.substr(colon + 1);
  marker.word = name;
  return marker;
}

/// `text` begins with '<'.
PatchBlocks::MarkerBegin PatchBlocks::marker_begin(std::string_view text) {
  const auto begins = [&text](std::string_view expected) {
    const std::size_t size = std::min(expected.size(), text.size());
    return text.substr(0, size) == expected.substr(0, size);
  };
  if (!begins(kMarkerBegin)) return MarkerBegin::No;
  text.remove_prefix(std::min(kMarkerBegin.size(), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.starts_with('/')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 3> kWords{"patch:", "replace:", kAgentWord};
  const auto word = std::ranges::find_if(kWords, begins);
  if (word == kWords.end()) return MarkerBegin::No;
  return text.size() < word->size() ? MarkerBegin::Perhaps : MarkerBegin::Yes;
}

/// Whether the marker begins or ends a block here.
bool PatchBlocks::is_taken(const PatchMarker& marker) const {
  if (!state_.said_marker.empty()) return marker.is_closing && marker.word == state_.said_marker;
  if (state_.part == 0)
    return !marker.is_closing && state_.blocks.size() < kMaxPatchBlocks &&
           target_of_(marker.name) != PatchTarget::Nowhere;
  const PatchBlock& open = state_.blocks.back();
  return marker.is_closing && open.name == marker.name && open.kind == marker.kind;
}

void PatchBlocks::take(const PatchMarker& marker) {
  if (!state_.said_marker.empty()) {
    state_.said_marker.clear();
  } else if (marker.is_closing) {
    state_.blocks.back().is_closed = true;
    close_block();
  } else if (target_of_(marker.name) == PatchTarget::Component) {
    open_block(marker);
  } else {
    state_.said_marker = marker.word;
  }
}

void PatchBlocks::open_block(const PatchMarker& marker) {
  flush();
  state_.blocks.push_back({std::string(marker.name), marker.kind});
  state_.sizes.push_back(0);
  state_.part = state_.blocks.size();
  state_.outside_line_ends = std::max(state_.line_ends, state_.line_ends_before);
  state_.line_ends = 0;
  std::swap(state_.open_components, state_.outside_open_components);
  state_.block_line = state_.line_begin;
  state_.outside_parser = std::exchange(state_.parser, markdown::BlockParser());
  if (!is_silent_) writes_.write_part(state_.part, 0, {});
}

void PatchBlocks::close_block() {
  close_what_is_open();
  flush();
  state_.part = 0;
  state_.line_ends = 0;
  // What follows a block of several lines does not go on in the line above it.
  const std::size_t least = state_.block_line == state_.line_begin ? 0 : 1;
  state_.line_ends_before = std::max(state_.outside_line_ends, least);
  std::swap(state_.open_components, state_.outside_open_components);
  state_.parser = std::move(state_.outside_parser);
}

/// What is open at the end of a part would swallow the closing marker of its component.
void PatchBlocks::close_what_is_open() {
  if (const auto open = state_.parser.open_block()) put_line(open->closing_line);
  for (; !state_.open_components.empty(); state_.open_components.pop_back())
    put_line("<!-- /agent:" + state_.open_components.back() + " -->");
}

void PatchBlocks::put_line(std::string_view text) {
  state_.line_ends = 1;
  put(text);
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
