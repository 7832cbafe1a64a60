#include "server/markdown/turns.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kSpacesAndTabs = " \t";
constexpr std::string_view kWhitespaceAndLineEnds = " \t\r\n";
constexpr std::string_view kHeadSuffix = " (HEAD)";
/// The component that questions and replies are in where no heading says it.
constexpr std::string_view kConversation = "exchange";
/// Line ends between a heading and the text around it: the end of the line and one blank line.
constexpr std::size_t kLineEndsAround = 2;

std::optional<Speaker> speaker_of(std::string_view heading) {
  if (heading.ends_with(kHeadSuffix)) heading.remove_suffix(kHeadSuffix.size());
  if (heading == "User") return Speaker::User;
  if (heading == "Assistant") return Speaker::Assistant;
  return std::nullopt;
}

std::size_t trimmed_begin(std::string_view document, std::size_t begin, std::size_t end) {
  return std::min(document.find_first_not_of(kWhitespaceAndLineEnds, begin), end);
}

std::size_t trimmed_end(std::string_view document, std::size_t begin, std::size_t end) {
  while (end > begin && kWhitespaceAndLineEnds.find(document[end - 1]) != std::string_view::npos)
    --end;
  return end;
}

/// Returns true for scratch text: nothing but HTML comments and `[//]: # (…)` lines.
bool is_scratch(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kWhitespaceAndLineEnds), text.size()));
    if (text.empty()) return true;
    if (text.starts_with("<!--")) {
      const std::size_t close = text.find("-->");
      text.remove_prefix(close == std::string_view::npos ? text.size() : close + 3);
    } else if (text.starts_with("[//]: #")) {
      text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
    } else {
      return false;
    }
  }
}

Problem problem_of(std::string_view document, const OpenBlock& open) {
  const std::string what = open.kind == OpenBlock::Kind::Fence ? "This code block" : "This HTML";
  const std::size_t end = std::min(document.find_first_of("\r\n", open.begin), document.size());
  return {
      open.begin, end,
      what +
          " is not closed: everything below belongs to it, headings, too. Close it with a line \"" +
          open.closing_line + "\"."};
}

/// Returns the number of line ends in `whitespace`; "\r\n" counts once.
std::size_t count_line_ends(std::string_view whitespace) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < whitespace.size(); ++i) {
    if (whitespace[i] == '\n' ||
        (whitespace[i] == '\r' && (i + 1 == whitespace.size() || whitespace[i + 1] != '\n')))
      ++count;
  }
  return count;
}

std::size_t missing_line_ends(std::string_view whitespace) {
  return kLineEndsAround - std::min(kLineEndsAround, count_line_ends(whitespace));
}

/// Returns how many line ends a heading at `at` needs before it.
std::size_t line_ends_before(std::string_view document, std::size_t at) {
  const std::size_t text_end = trimmed_end(document, 0, at);
  const std::string_view above = document.substr(text_end, at - text_end);
  const bool inside_line =
      !above.empty() && kSpacesAndTabs.find(above.back()) != std::string_view::npos;
  const std::size_t missing = text_end == 0 ? 0 : missing_line_ends(above);
  return std::max<std::size_t>(missing, inside_line ? 1 : 0);
}

std::string repeated(std::string_view line_end, std::size_t times) {
  std::string text;
  for (; times > 0; --times) text += line_end;
  return text;
}

/// The part of `exchange` that a first prompt is: what follows its boundary marker, or all above
/// that when nothing follows.
InlineTurn first_prompt_in(std::string_view document, const Component& exchange) {
  InlineTurn turn{Speaker::User, exchange.body_begin, exchange.body_begin, exchange.closing_begin};
  if (!exchange.boundary) return turn;
  const std::size_t behind = document.find("-->", *exchange.boundary) + 3;
  if (trimmed_begin(document, behind, exchange.closing_begin) < exchange.closing_begin) {
    turn.heading_begin = turn.body_begin = behind;
  } else {
    turn.body_end = *exchange.boundary;
  }
  return turn;
}

/// The first prompt of a document, which needs no heading: all above `first_heading`, or what is in
/// the component that the questions and replies are in.
InlineTurn first_prompt(std::string_view document, std::size_t body_begin,
                        const Components& components, std::optional<std::size_t> first_heading) {
  if (first_heading) {
    const Component* around = components.around(*first_heading);
    const std::size_t begin = around == nullptr ? body_begin : around->body_begin;
    return {Speaker::User, begin, begin, *first_heading};
  }
  if (const Component* exchange = components.find(kConversation))
    return first_prompt_in(document, *exchange);
  return {Speaker::User, body_begin, body_begin, document.size()};
}

/// A turn that begins in a component ends there, too.
void end_in_components(std::vector<InlineTurn>& turns, const std::vector<Component>& components) {
  std::vector<const Component*> around;
  auto next = components.begin();
  for (InlineTurn& turn : turns) {
    for (; next != components.end() && next->opening_begin < turn.heading_begin; ++next) {
      while (!around.empty() && around.back()->closing_end <= next->opening_begin)
        around.pop_back();
      around.push_back(&*next);
    }
    while (!around.empty() && around.back()->closing_end <= turn.heading_begin) around.pop_back();
    if (!around.empty()) turn.body_end = std::min(turn.body_end, around.back()->closing_begin);
  }
}

}  // namespace

std::optional<Speaker> turn_begun_by(const Line& line, std::string_view text) {
  if (line.kind != LineKind::Heading || line.level != 2) return std::nullopt;
  return speaker_of(text.substr(line.content_begin, line.content_end - line.content_begin));
}

InlineTurns find_turns(std::string_view document, std::size_t body_begin) {
  const Blocks blocks = scan_blocks(document, body_begin);
  InlineTurns found;
  for (std::size_t i = 0; i < blocks.lines.size(); ++i) {
    const Line& line = blocks.lines[i];
    const std::optional<Speaker> speaker = turn_begun_by(line, document);
    if (!speaker) continue;
    if (!found.turns.empty()) found.turns.back().body_end = line.begin;
    const std::size_t after_heading =
        i + 1 < blocks.lines.size() ? blocks.lines[i + 1].begin : document.size();
    found.turns.push_back({*speaker, line.begin, after_heading, document.size()});
  }

  found.components = find_components(document, blocks.lines);
  const bool starts_with_reply =
      !found.turns.empty() && found.turns.front().speaker == Speaker::Assistant;
  if (found.turns.empty() || starts_with_reply) {
    std::optional<std::size_t> heading;
    if (starts_with_reply) heading = found.turns.front().heading_begin;
    const InlineTurn prompt = first_prompt(document, body_begin, found.components, heading);
    const bool has_text =
        trimmed_begin(document, prompt.body_begin, prompt.body_end) < prompt.body_end;
    if (found.turns.empty() || has_text) found.turns.insert(found.turns.begin(), prompt);
  }
  end_in_components(found.turns, found.components.found);
  if (blocks.open) found.problems.push_back(problem_of(document, *blocks.open));
  return found;
}

std::optional<OpenPrompt> find_open_prompt(std::string_view document,
                                           const FrontMatter& front_matter) {
  return open_prompt_of(document, find_turns(document, front_matter.body_begin).turns.back());
}

std::optional<OpenPrompt> open_prompt_of(std::string_view document, const InlineTurn& turn) {
  if (turn.speaker == Speaker::Assistant) return std::nullopt;

  OpenPrompt prompt;
  prompt.begin = trimmed_begin(document, turn.body_begin, turn.body_end);
  prompt.end = trimmed_end(document, prompt.begin, turn.body_end);
  if (is_scratch(document.substr(prompt.begin, prompt.end - prompt.begin))) return std::nullopt;
  prompt.frame_at = std::min(document.find_first_not_of(kSpacesAndTabs, prompt.end), turn.body_end);
  return prompt;
}

InlineFrame make_frame(std::string_view document, std::size_t at, std::string_view line_end) {
  const std::size_t text_below = trimmed_begin(document, at, document.size());
  const std::size_t below = missing_line_ends(document.substr(at, text_below - at));
  const auto line_ends = [line_end](std::size_t times) { return repeated(line_end, times); };
  const std::string around = line_ends(kLineEndsAround);
  return {line_ends(line_ends_before(document, at)) + "## Assistant" + around,
          around + "## User" + line_ends(below)};
}

}  // namespace agent_doc::markdown
