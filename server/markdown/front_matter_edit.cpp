#include "server/markdown/front_matter.hpp"
#include "server/markdown/front_matter_syntax.hpp"

#include "server/text/lines.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::markdown {

namespace {

using text::Edit;

/// Returns the index of the entry of `key` in FrontMatterSyntax: the last one counts.
std::optional<std::size_t> index_of(const FrontMatterSyntax& syntax, std::string_view key) {
  const FrontMatterEntry* entry = syntax.front_matter.find(key);
  if (!entry) return std::nullopt;
  return static_cast<std::size_t>(entry - syntax.front_matter.entries.data());
}

/// Returns the edit that replaces the value [begin, end) by `written`, with a space after a colon.
Edit replace_value(std::string_view document, std::size_t begin, std::size_t end,
                   std::string written) {
  if (begin > 0 && document[begin - 1] == ':') {
    const bool space_and_line_end = begin == end && document[begin] == ' ' &&
                                    (document[begin + 1] == '\n' || document[begin + 1] == '\r');
    if (space_and_line_end) return {begin + 1, begin + 1, std::move(written)};
    written.insert(0, 1, ' ');
  }
  return {begin, end, std::move(written)};
}

/// Returns the first line end at the front of the document, or "\n".
std::string_view line_end_of(std::string_view document) {
  text::LineWalker walker(document.substr(0, kMaxFrontMatterBytes));
  const std::optional<text::LineSpan> line = walker.next();
  if (!line || line->end == line->next) return "\n";
  return document.substr(line->end, line->next - line->end);
}

Edit new_front_matter(std::string_view document, std::size_t at, const std::string& line) {
  const std::string line_end(line_end_of(document));
  std::string inserted = "---" + line_end + line + line_end + "---" + line_end;
  const std::string_view body = document.substr(at);
  if (!body.empty() && body.front() != '\n' && body.front() != '\r') inserted += line_end;
  return {at, at, std::move(inserted)};
}

const MapItem* find_item(const EntrySyntax& entry, std::string_view key) {
  const auto found = std::find_if(entry.items.rbegin(), entry.items.rend(),
                                  [key](const MapItem& item) { return item.key == key; });
  return found == entry.items.rend() ? nullptr : &*found;
}

std::optional<Edit> set_item(std::string_view document, const EntrySyntax& entry,
                             const MapItem& item, std::string_view value) {
  if (item.has_colon && item.value.value == value && item.value.problem.empty())
    return std::nullopt;
  const ScalarContext context =
      entry.shape == ValueShape::FlowMap ? ScalarContext::Flow : ScalarContext::Block;
  std::string written = write_scalar(value, context, item.value.style);
  if (!item.has_colon) return Edit{item.end, item.end, ": " + written};
  return replace_value(document, item.value.begin, item.value.end, std::move(written));
}

Edit add_to_flow_map(std::string_view document, const FrontMatterEntry& place,
                     const EntrySyntax& entry, const std::string& item) {
  if (entry.items.empty()) return {place.value_begin + 1, place.value_begin + 1, item};
  const std::size_t end = entry.items.back().end;
  const std::size_t comma = document.find_first_not_of(" \t\r\n", end);
  if (document[comma] == ',') return {comma + 1, comma + 1, " " + item};
  return {end, end, ", " + item};
}

Edit add_to_block_map(std::string_view document, const FrontMatterSyntax& syntax,
                      const EntrySyntax& entry, std::string item) {
  const MapItem& last = entry.items.back();
  const std::size_t key = document.find_first_not_of(" \t", last.begin);
  item.insert(0, document.substr(last.begin, key - last.begin));
  item += syntax.line_end;
  return {last.end, last.end, std::move(item)};
}

std::optional<Edit> set_in_map(std::string_view document, const FrontMatterSyntax& syntax,
                               std::size_t index, std::string_view agent, std::string_view value) {
  const EntrySyntax& entry = syntax.entries[index];
  if (const MapItem* item = find_item(entry, agent)) return set_item(document, entry, *item, value);
  const ScalarContext context =
      entry.shape == ValueShape::FlowMap ? ScalarContext::Flow : ScalarContext::Block;
  std::string item = write_scalar(agent, context) + ": " + write_scalar(value, context);
  if (entry.shape == ValueShape::FlowMap)
    return add_to_flow_map(document, syntax.front_matter.entries[index], entry, item);
  return add_to_block_map(document, syntax, entry, std::move(item));
}

Edit remove_from_map(const EntrySyntax& entry, const MapItem& item) {
  if (entry.shape == ValueShape::BlockMap) return {item.begin, item.end, {}};
  const auto index = static_cast<std::size_t>(&item - entry.items.data());
  if (index + 1 < entry.items.size()) return {item.begin, entry.items[index + 1].begin, {}};
  return {entry.items[index - 1].end, item.end, {}};
}

bool is_map(const EntrySyntax& entry) {
  return entry.shape == ValueShape::FlowMap || entry.shape == ValueShape::BlockMap;
}

}  // namespace

std::optional<text::Edit> set_value(std::string_view document, std::string_view key,
                                    std::string_view value, std::string_view agent) {
  const FrontMatterSyntax syntax = parse_front_matter(document);
  const FrontMatter& front_matter = syntax.front_matter;
  const std::optional<std::size_t> index = index_of(syntax, key);
  if (!index) {
    std::string line = syntax.indent + write_scalar(key, ScalarContext::Block) + ": " +
                       write_scalar(value, ScalarContext::Block);
    if (front_matter.present)
      return text::Edit{front_matter.close_begin, front_matter.close_begin,
                        line.append(syntax.line_end)};
    if (front_matter.too_long) return std::nullopt;
    return new_front_matter(document, front_matter.body_begin, line);
  }

  const EntrySyntax& entry = syntax.entries[*index];
  if (is_map(entry) && !agent.empty()) return set_in_map(document, syntax, *index, agent, value);
  const FrontMatterEntry& place = front_matter.entries[*index];
  if (entry.shape == ValueShape::Scalar && place.value == value) return std::nullopt;
  const text::Edit edit = replace_value(document, place.value_begin, place.value_end,
                                        write_scalar(value, ScalarContext::Block, entry.style));
  // The value is the same already, among lines that are broken: nothing to improve.
  const bool unchanged = document.substr(edit.begin, edit.end - edit.begin) == edit.replacement;
  return unchanged ? std::nullopt : std::optional(edit);
}

std::optional<text::Edit> replace_by_map(
    std::string_view document, std::string_view key,
    const std::vector<std::pair<std::string, std::string>>& entries) {
  const FrontMatterSyntax syntax = parse_front_matter(document);
  const std::optional<std::size_t> index = index_of(syntax, key);
  if (!index || is_map(syntax.entries[*index])) return std::nullopt;
  std::string written;
  for (const auto& [name, value] : entries) {
    written += written.empty() ? "{" : ", ";
    written +=
        write_scalar(name, ScalarContext::Flow) + ": " + write_scalar(value, ScalarContext::Flow);
  }
  const FrontMatterEntry& place = syntax.front_matter.entries[*index];
  return replace_value(document, place.value_begin, place.value_end, written + "}");
}

std::optional<text::Edit> remove_key(std::string_view document, std::string_view key,
                                     std::string_view agent) {
  const FrontMatterSyntax syntax = parse_front_matter(document);
  const std::optional<std::size_t> index = index_of(syntax, key);
  if (!index) return std::nullopt;
  const EntrySyntax& entry = syntax.entries[*index];
  if (is_map(entry) && !agent.empty()) {
    const MapItem* item = find_item(entry, agent);
    if (!item) return std::nullopt;
    if (entry.items.size() > 1) return remove_from_map(entry, *item);
  }
  return text::Edit{syntax.front_matter.entries[*index].line_begin, entry.lines_end, {}};
}

}  // namespace agent_doc::markdown
