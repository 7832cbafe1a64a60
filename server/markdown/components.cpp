#include "server/markdown/components.hpp"

#include "server/markdown/code_spans.hpp"
#include "server/markdown/scanner.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kMarkerOpen = "<!--";
constexpr std::string_view kMarkerClose = "-->";
constexpr std::string_view kMarkerSpace = " \t";
constexpr std::string_view kAgent = "agent:";
constexpr std::string_view kBoundary = "boundary:";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Takes the first word of `text`, with the white space before it. A quoted value belongs to it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kMarkerSpace), text.size()));
  std::size_t end = 0;
  char quote = '\0';
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (kMarkerSpace.find(c) != std::string_view::npos) {
      break;
    }
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

ComponentAttribute attribute_of(std::string_view word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  std::string_view value = word.substr(std::min(equals + 1, word.size()));
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                         value.back() == value.front();
  if (is_quoted) value = value.substr(1, value.size() - 2);
  return {std::string(word.substr(0, equals)), std::string(value)};
}

std::size_t after_line_end(std::string_view document, std::size_t at) {
  const std::size_t end = std::min(document.find_first_not_of(" \t", at), document.size());
  const std::string_view rest = document.substr(end);
  if (rest.starts_with("\r\n")) return end + 2;
  return rest.starts_with('\n') || rest.starts_with('\r') ? end + 1 : at;
}

class ComponentFinder {
 public:
  ComponentFinder(std::string_view document, const std::vector<Line>& lines)
      : document_(document), lines_(lines) {}

  Components run() {
    for (std::size_t line = 0; line < lines_.size();) line = look_at_block(line);
    for (const std::size_t open : open_) {
      without_partner(open);
      components_.open.push_back(components_.found[open].name);
    }
    drop_unclosed();
    std::ranges::stable_sort(components_.problems, {}, &Problem::begin);
    return std::move(components_);
  }

 private:
  /// Returns the first line after the block that begins with `first`.
  std::size_t look_at_block(std::size_t first) {
    const LineKind kind = lines_[first].kind;
    const bool is_html = kind == LineKind::Html || kind == LineKind::HtmlComment;
    if (!is_html && kind != LineKind::Text && kind != LineKind::Heading) return first + 1;
    std::size_t next = first + 1;
    const LineKind goes_on = is_html ? LineKind::Html : kind;
    // A comment that is a block of its own ends with its "-->"; HTML below it is another block.
    const std::size_t last = kind == LineKind::HtmlComment
                                 ? document_.find(kMarkerClose, lines_[first].begin)
                                 : document_.size();
    while (kind != LineKind::Heading && next < lines_.size() && lines_[next].kind == goes_on &&
           lines_[next].begin <= last)
      ++next;
    const std::size_t begin = lines_[first].begin;
    const std::string_view block = document_.substr(begin, lines_[next - 1].end - begin);
    if (block.find(kMarkerOpen) == std::string_view::npos) return next;
    if (is_html) {
      look_at_html(block, begin, kind);
    } else {
      look_at_text(block, begin);
    }
    return next;
  }

  /// In a block that only a blank line ends, as of an element, a comment that nobody closed does
  /// not hide the marker below it.
  void look_at_html(std::string_view block, std::size_t begin, LineKind kind) {
    for (std::size_t at = block.find(kMarkerOpen); at != std::string_view::npos;
         at = block.find(kMarkerOpen, at)) {
      const std::size_t close = block.find(kMarkerClose, at + kMarkerOpen.size());
      const std::size_t last = block.rfind(kMarkerOpen, close);
      at = look_at_comment(block, begin, kind == LineKind::Html ? std::max(at, last) : at);
    }
  }

  void look_at_text(std::string_view block, std::size_t begin) {
    CodeSpans spans(block);
    for (std::size_t at = block.find_first_of("`<"); at != std::string_view::npos;
         at = block.find_first_of("`<", at)) {
      if (block[at] == '`') {
        at = spans.end_of(at);
      } else if (block.substr(at).starts_with(kMarkerOpen)) {
        at = look_at_comment(block, begin, at);
      } else {
        ++at;
      }
    }
  }

  /// Returns where the comment at `at` ends; nowhere when it is not closed.
  std::size_t look_at_comment(std::string_view block, std::size_t begin, std::size_t at) {
    const std::size_t close = block.find(kMarkerClose, at + kMarkerOpen.size());
    if (close == std::string_view::npos) return block.size();
    const std::size_t end = close + kMarkerClose.size();
    const bool is_escaped = at > 0 && block[at - 1] == '\\';
    if (!is_escaped) comment(begin + at, begin + end);
    return end;
  }

  void comment(std::size_t begin, std::size_t end) {
    const ComponentMarker marker = component_marker_of(document_.substr(begin, end - begin));
    if (marker.kind == MarkerKind::Opening) opens(marker, begin, end);
    if (marker.kind == MarkerKind::Closing) closes(marker.name, begin, end);
    if (marker.kind == MarkerKind::Boundary && !open_.empty()) {
      Component& innermost = components_.found[open_.back()];
      if (!innermost.boundary) innermost.boundary = begin;
    }
  }

  void opens(const ComponentMarker& marker, std::size_t begin, std::size_t end) {
    if (components_.found.size() == kMaxComponents || open_.size() == kMaxComponentDepth) {
      const bool are_many = components_.found.size() == kMaxComponents;
      return problem(begin, end,
                     are_many ? "A document has at most " + std::to_string(kMaxComponents) +
                                    " components: this one is text."
                              : "Components are at most " + std::to_string(kMaxComponentDepth) +
                                    " deep: this one is text.");
    }
    Component component;
    component.name = marker.name;
    std::string_view rest = marker.attributes;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
      component.attributes.push_back(attribute_of(word));
    component.opening_begin = begin;
    component.opening_end = end;
    component.body_begin = after_line_end(document_, end);
    if (!open_.empty()) component.parent = open_.back();
    open_.push_back(components_.found.size());
    components_.found.push_back(std::move(component));
  }

  void closes(std::string_view name, std::size_t begin, std::size_t end) {
    const auto opened = std::find_if(open_.rbegin(), open_.rend(), [&](std::size_t index) {
      return components_.found[index].name == name;
    });
    if (opened == open_.rend()) {
      return problem(
          begin, end,
          "No component \"" + std::string(name) + "\" is open here: this marker is text.");
    }
    while (open_.back() != *opened) {
      without_partner(open_.back());
      open_.pop_back();
    }
    Component& component = components_.found[open_.back()];
    // The markers of an empty component may be in one line.
    component.body_begin = std::min(component.body_begin, begin);
    component.closing_begin = begin;
    component.closing_end = end;
    open_.pop_back();
  }

  void without_partner(std::size_t index) {
    const Component& component = components_.found[index];
    problem(component.opening_begin, component.opening_end,
            "This component is not closed, so it is text. Close it with a line \"<!-- /agent:" +
                component.name + " -->\".");
  }

  void problem(std::size_t begin, std::size_t end, std::string message) {
    components_.problems.push_back({begin, end, std::move(message)});
  }

  /// What was inside of a component that is none is inside of the next one around it.
  void drop_unclosed() {
    std::vector<Component>& found = components_.found;
    std::vector<std::optional<std::size_t>> around(found.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::optional<std::size_t> parent =
          found[i].parent ? around[*found[i].parent] : std::nullopt;
      const bool is_closed = found[i].closing_end != 0;
      around[i] = is_closed ? std::optional(kept) : parent;
      if (!is_closed) continue;
      found[i].parent = parent;
      if (kept != i) found[kept] = std::move(found[i]);
      ++kept;
    }
    found.resize(kept);
  }

  std::string_view document_;
  const std::vector<Line>& lines_;
  Components components_;
  std::vector<std::size_t> open_;  ///< indices of components_.found, outermost first
};

}  // namespace

ComponentMarker component_marker_of(std::string_view comment) {
  const bool has_another = comment.find(kMarkerOpen, 1) != std::string_view::npos;
  if (has_another || comment.find_first_of("\r\n") != std::string_view::npos) return {};
  std::string_view text =
      comment.substr(kMarkerOpen.size(), comment.size() - kMarkerOpen.size() - kMarkerClose.size());
  std::string_view word = take_word(text);
  const bool is_closing = word.starts_with('/');
  if (is_closing) word.remove_prefix(1);
  if (!word.starts_with(kAgent)) return {};
  word.remove_prefix(kAgent.size());
  if (!is_closing && word.starts_with(kBoundary)) return {MarkerKind::Boundary, word, {}};
  if (!is_component_name(word)) return {};
  return {is_closing ? MarkerKind::Closing : MarkerKind::Opening, word, text};
}

std::string_view Component::attribute(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &ComponentAttribute::key);
  return found == attributes.end() ? std::string_view() : std::string_view(found->value);
}

const Component* Components::find(std::string_view name) const {
  const auto component = std::ranges::find(found, name, &Component::name);
  return component == found.end() ? nullptr : &*component;
}

const Component* Components::around(std::size_t place) const {
  const Component* innermost = nullptr;
  for (const Component& one : found) {
    if (one.opening_begin < place && place < one.closing_end) innermost = &one;
  }
  return innermost;
}

bool is_component_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxComponentName && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

Components find_components(std::string_view document, std::size_t body_begin) {
  return find_components(document, scan(document, body_begin));
}

Components find_components(std::string_view document, const std::vector<Line>& lines) {
  const bool has_marker =
      !lines.empty() && document.find(kAgent, lines.front().begin) != std::string_view::npos;
  if (!has_marker) return {};
  return ComponentFinder(document, lines).run();
}

}  // namespace agent_doc::markdown
