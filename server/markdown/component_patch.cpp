#include "server/markdown/component_patch.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/scanner.hpp"
#include "server/text/line_ends.hpp"
#include "server/text/lines.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace agent_doc::markdown {

namespace {

/// `text` as whole lines: a block that it leaves open is closed, and it ends with one line end.
/// Empty when it has nothing but line ends.
std::string as_lines(std::string_view text, std::string_view line_end) {
  const std::size_t last = text.find_last_not_of("\r\n");
  if (last == std::string_view::npos) return {};
  std::string lines(text.substr(0, last + 1));
  if (const std::string closing = missing_closing_line(lines); !closing.empty())
    lines.append("\n").append(closing);
  return text::with_line_ends(lines.append("\n"), line_end);
}

std::vector<text::LineSpan> lines_of(std::string_view text) {
  std::vector<text::LineSpan> lines;
  text::LineWalker walker(text);
  while (const std::optional<text::LineSpan> line = walker.next()) lines.push_back(*line);
  return lines;
}

/// `body` without its first (Append) or last lines, so that `max_lines` are left.
std::string shortened_body(std::string body, const ComponentSettings& settings) {
  if (settings.max_lines == 0) return body;
  const std::vector<text::LineSpan> lines = lines_of(body);
  if (lines.size() <= settings.max_lines) return body;
  if (settings.mode == PatchMode::Append)
    return body.substr(lines[lines.size() - settings.max_lines].begin);
  return body.substr(0, lines[settings.max_lines - 1].next);
}

/// The body that `component` has with `lines` in it.
std::string patched_body(std::string_view document, const Component& component,
                         const ComponentSettings& settings, std::string_view lines,
                         std::string_view line_end) {
  const std::size_t end = component.closing_begin;
  const std::size_t boundary = component.boundary.value_or(end);
  const std::string_view body = document.substr(component.body_begin, end - component.body_begin);
  const auto on_lines_of_its_own = [&](std::string_view above) {
    return std::string(above) + (text::is_whole_lines(above) ? "" : std::string(line_end));
  };
  const bool shares_line = !text::is_whole_lines(document.substr(0, component.body_begin));
  const std::string lead = shares_line ? std::string(line_end) : std::string();
  switch (settings.mode) {
    case PatchMode::Replace:
      return lead + shortened_body(std::string(lines), settings) +
             std::string(document.substr(boundary, end - boundary));
    case PatchMode::Prepend:
      return lead + shortened_body(std::string(lines).append(on_lines_of_its_own(body)), settings);
    case PatchMode::Append:
      break;
  }
  std::string above = on_lines_of_its_own(body.substr(0, boundary - component.body_begin));
  if (shares_line && above.empty()) above = lead;
  return shortened_body(above.append(lines), settings)
      .append(document.substr(boundary, end - boundary));
}

/// Whether `component` of `before` is in `after` with a body of `body` bytes, and every component
/// around and below it, too.
bool keeps_structure(const Components& before, const Component& component, const Components& after,
                     std::size_t body, std::size_t grown) {
  const auto is_outside = [&component](const Component& other) {
    return other.opening_begin <= component.opening_begin ||
           other.opening_begin >= component.closing_end;
  };
  std::vector<const Component*> kept;
  for (const Component& other : after.found) {
    const bool is_inside = other.opening_begin > component.opening_begin &&
                           other.opening_begin < component.body_begin + body;
    if (!is_inside) kept.push_back(&other);
  }
  std::size_t at = 0;
  for (const Component& other : before.found) {
    if (!is_outside(other)) continue;
    if (at == kept.size()) return false;
    const Component& now = *kept[at++];
    const auto moved = [&](std::size_t place) {
      return place >= component.closing_begin ? place + grown : place;
    };
    if (now.name != other.name || now.opening_begin != moved(other.opening_begin) ||
        now.closing_begin != moved(other.closing_begin))
      return false;
  }
  return at == kept.size();
}

}  // namespace

std::optional<PatchMode> patch_mode_of(std::string_view word) {
  if (word == "append") return PatchMode::Append;
  if (word == "prepend") return PatchMode::Prepend;
  if (word == "replace") return PatchMode::Replace;
  return std::nullopt;
}

ComponentSettings settings_of(const Component& component) {
  ComponentSettings settings;
  std::optional<PatchMode> mode = patch_mode_of(component.attribute("patch"));
  if (!mode) mode = patch_mode_of(component.attribute("mode"));
  const bool grows = component.name == "exchange" || component.name == "findings";
  settings.mode = mode.value_or(grows ? PatchMode::Append : PatchMode::Replace);
  const std::string_view lines = component.attribute("max_lines");
  std::from_chars(lines.data(), lines.data() + lines.size(), settings.max_lines);
  return settings;
}

BodyExtent replaced_extent(std::string_view document, const Component& component) {
  BodyExtent extent{component.body_begin, component.boundary.value_or(component.closing_begin)};
  if (extent.end > extent.begin && document[extent.end - 1] == '\n') --extent.end;
  if (extent.end > extent.begin && document[extent.end - 1] == '\r') --extent.end;
  return extent;
}

std::optional<text::Edit> surplus_lines(std::string_view document, std::string_view name,
                                        const ComponentSettings& settings) {
  const Components components = find_components(document, read_front_matter(document).body_begin);
  const Component* component = components.find(name);
  if (component == nullptr || settings.max_lines == 0) return std::nullopt;
  const std::size_t end = component->boundary.value_or(component->closing_begin);
  const std::string_view body = document.substr(component->body_begin, end - component->body_begin);
  const std::vector<text::LineSpan> lines = lines_of(body);
  if (lines.size() <= settings.max_lines) return std::nullopt;
  if (settings.mode == PatchMode::Prepend)
    return text::Edit{component->body_begin + lines[settings.max_lines].begin, end, {}};
  const std::size_t kept = lines[lines.size() - settings.max_lines].begin;
  return text::Edit{component->body_begin, component->body_begin + kept, {}};
}

std::variant<text::Edit, NotPatched> patch_component(
    std::string_view document, std::size_t document_body, const Component& component,
    ComponentSettings settings, std::string_view text, std::string_view line_end) {
  const std::string lines = as_lines(text, line_end);
  if (lines.empty() && settings.mode != PatchMode::Replace)
    return text::Edit{component.closing_begin, component.closing_begin, {}};
  std::string body = patched_body(document, component, settings, lines, line_end);
  const std::size_t size = body.size();
  const std::string_view replaced =
      document.substr(component.body_begin, component.closing_begin - component.body_begin);
  std::string patched(document.substr(0, component.body_begin));
  patched.append(body).append(document.substr(component.closing_begin));
  const Components before = find_components(document, document_body);
  const Components after = find_components(patched, document_body);
  if (!keeps_structure(before, component, after, size, size - replaced.size())) {
    return NotPatched{"the text has markers of components outside code, which would end " +
                      component.name + " elsewhere"};
  }
  return text::minimise({component.body_begin, component.closing_begin, std::move(body)}, replaced);
}

}  // namespace agent_doc::markdown
