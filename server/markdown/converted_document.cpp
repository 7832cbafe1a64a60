#include "server/markdown/converted_document.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace agent_doc::markdown {

namespace {

using Outcome = std::variant<std::string, NotConverted>;

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kExchange = "exchange";
constexpr std::string_view kOpening = "<!-- agent:exchange patch=append -->";
constexpr std::string_view kClosing = "<!-- /agent:exchange -->";

constexpr std::string_view kOtherTurns =
    "its turns would not be the same: a code block or a comment is open at its end, or it has "
    "turns outside of the part that would be the conversation";

/// Returns who speaks in each turn, and what.
std::vector<std::pair<Speaker, std::string>> said_in(std::string_view document) {
  std::vector<std::pair<Speaker, std::string>> said;
  const std::size_t body = read_front_matter(document).body_begin;
  for (const InlineTurn& turn : find_turns(document, body).turns) {
    std::string_view text = document.substr(turn.body_begin, turn.body_end - turn.body_begin);
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    text = text.substr(0, text.find_last_not_of(kBlank) + 1);
    said.emplace_back(turn.speaker, text);
  }
  return said;
}

/// Replaces the value of `agent_doc_format`, where `document` has that key.
void name_format(std::string& document, std::string_view format) {
  const FrontMatter front_matter = read_front_matter(document);
  const FrontMatterEntry* entry = front_matter.find("agent_doc_format");
  if (entry == nullptr || entry->value.empty()) return;
  if (const auto edit = set_value(document, "agent_doc_format", format, {}))
    document.replace(edit->begin, edit->end - edit->begin, edit->replacement);
}

/// Returns `after`, if its turns say what those of `before` do.
Outcome checked(std::string_view before, std::string after) {
  if (said_in(before) == said_in(after)) return after;
  return NotConverted{std::string(kOtherTurns)};
}

Outcome to_template(std::string_view document) {
  const FrontMatter front_matter = read_front_matter(document);
  const InlineTurns turns = find_turns(document, front_matter.body_begin);
  if (turns.components.find(kExchange) != nullptr)
    return NotConverted{"it has a component exchange already"};
  const InlineTurn& first = turns.turns.front();
  if (const Component* around = turns.components.around(first.heading_begin))
    return NotConverted{"its turns are in the component " + around->name};
  const std::string line_end(text::most_frequent_line_end(document));
  std::size_t begin = first.heading_begin;
  if (begin == first.body_begin) {
    begin = text::after_line_end(document, begin);
    while (begin < document.size() && text::after_line_end(document, begin) > begin)
      begin = text::after_line_end(document, begin);
  }
  std::string text(document.substr(0, begin));
  text.append(text::is_whole_lines(text) ? "" : line_end).append(kOpening).append(line_end);
  const std::string_view said = document.substr(begin);
  text.append(said);
  if (text::is_whole_lines(said)) {
    text.append(kClosing).append(line_end);
  } else {
    text.append(line_end).append(kClosing);
  }
  return checked(document, std::move(text));
}

Outcome to_inline(std::string_view document) {
  const FrontMatter front_matter = read_front_matter(document);
  const Components components = find_components(document, front_matter.body_begin);
  const Component* exchange = components.find(kExchange);
  if (exchange == nullptr) return NotConverted{"it has no component exchange"};
  if (exchange->parent)
    return NotConverted{"its component exchange is inside of " +
                        components.found[*exchange->parent].name};
  const std::string_view above = document.substr(0, exchange->opening_begin);
  const std::size_t said =
      text::is_whole_lines(above) ? exchange->body_begin : exchange->opening_end;
  const bool ends_its_line = text::is_whole_lines(document.substr(0, exchange->closing_begin));
  const std::size_t below =
      ends_its_line ? text::after_line_end(document, exchange->closing_end) : exchange->closing_end;
  if (document.find_first_not_of(kBlank, below) != std::string_view::npos)
    return NotConverted{
        "what is below its component exchange would belong to the last turn: move that above it"};
  std::string text(above);
  text.append(document.substr(said, exchange->closing_begin - said));
  if (ends_its_line && exchange->closing_end == document.size() && !text.empty())
    text.resize(text.size() - (text.ends_with("\r\n") ? 2 : 1));
  text.append(document.substr(below));
  return checked(document, std::move(text));
}

}  // namespace

Outcome converted_document(std::string_view document, DocumentFormat format) {
  const bool is_template = format == DocumentFormat::Template;
  Outcome outcome = is_template ? to_template(document) : to_inline(document);
  auto* text = std::get_if<std::string>(&outcome);
  if (text == nullptr) return outcome;
  if (is_template) {
    const Outcome back = to_inline(*text);
    const auto* same = std::get_if<std::string>(&back);
    if (same == nullptr || *same != document) return NotConverted{std::string(kOtherTurns)};
  }
  name_format(*text, is_template ? "template" : "inline");
  return outcome;
}

}  // namespace agent_doc::markdown
