#include "server/session/reply_place.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/text/edit.hpp"
#include "server/turn/prompt.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::session {

namespace {

using markdown::InlineTurn;
using markdown::Speaker;

constexpr std::string_view kBlankCharacters = " \t\r\n";

std::string_view without_white_space_behind(std::string_view text) {
  return text.substr(0, std::min(text.find_last_not_of(kBlankCharacters) + 1, text.size()));
}

/// The beginning of `reply` that the turn holds: all that stands in the turn but white space, or
/// the whole reply and more.
std::optional<PlaceInReply> standing(std::string_view document, const InlineTurn& turn,
                                     std::string_view reply, std::string_view line_end) {
  if (turn.speaker != Speaker::Assistant || turn.heading_begin >= turn.body_begin)
    return std::nullopt;
  const std::string_view body = document.substr(turn.body_begin, turn.body_end - turn.body_begin);
  const std::size_t blank = std::min(body.find_first_not_of("\r\n"), body.size());
  const std::string_view text = without_white_space_behind(body.substr(blank));
  const bool begins = reply.starts_with(text);
  if (!begins && !text.starts_with(reply)) return std::nullopt;
  const std::string_view heading =
      document.substr(turn.heading_begin, turn.body_begin - turn.heading_begin);
  PlaceInReply place;
  place.reply.heading_begin = turn.heading_begin;
  place.reply.heading_end =
      turn.heading_begin + std::min(heading.find_last_not_of("\r\n") + 1, heading.size());
  const std::size_t line_ends_above = text.empty() ? std::min(blank, line_end.size()) : blank;
  place.reply.begin = turn.body_begin + line_ends_above;
  place.reply.end = place.reply.begin + (begins ? text.size() : reply.size());
  const std::string around = std::string(line_end) + std::string(line_end);
  place.frame = {around + "## Assistant" + around, around + "## User" + around};
  return place;
}

bool is_blank(std::string_view document, const InlineTurn& turn) {
  return document.substr(turn.body_begin, turn.body_end - turn.body_begin)
             .find_first_not_of(kBlankCharacters) == std::string_view::npos;
}

/// A first prompt needs no heading, also when its reply is gone and only the next `## User` stands.
std::vector<InlineTurn> turns_and_first_prompt(std::string_view document) {
  const std::size_t begin = markdown::read_front_matter(document).body_begin;
  std::vector<InlineTurn> turns = markdown::find_turns(document, begin).turns;
  const InlineTurn above{Speaker::User, begin, begin, turns.front().heading_begin};
  if (above.body_end > begin && !is_blank(document, above)) turns.insert(turns.begin(), above);
  return turns;
}

/// The prompt is the last thing that is said, and nobody has answered it; its heading may wait for
/// the reply.
ReplyPlace below_prompt(std::string_view document, const std::vector<InlineTurn>& turns,
                        std::string_view prompt, std::string_view line_end) {
  const auto last = std::find_if(turns.rbegin(), turns.rend(),
                                 [&](const InlineTurn& turn) { return !is_blank(document, turn); });
  if (prompt.empty() || last == turns.rend() || last->speaker != Speaker::User) return NoPlace{};
  const std::string said =
      turn::asked_in(document.substr(last->body_begin, last->body_end - last->body_begin));
  if (said != prompt) return NoPlace{};
  const auto next = last.base();
  if (next != turns.end()) {
    if (const auto place = standing(document, *next, {}, line_end)) return *place;
  }
  const std::size_t at = without_white_space_behind(document.substr(0, last->body_end)).size();
  const markdown::InlineFrame frame = markdown::make_frame(document, at, line_end);
  return PlaceBelowPrompt{at, {frame.head, next == turns.end() ? frame.tail : std::string()}};
}

}  // namespace

ReplyPlace place_of_reply(std::string_view document, std::string_view prompt,
                          std::string_view reply, std::string_view line_end) {
  const std::vector<markdown::InlineTurn> turns = turns_and_first_prompt(document);
  std::optional<PlaceInReply> best;
  for (const markdown::InlineTurn& turn : turns) {
    const std::optional<PlaceInReply> place = standing(document, turn, reply, line_end);
    const auto length = [](const PlaceInReply& one) { return one.reply.end - one.reply.begin; };
    if (place && length(*place) > 0 && (!best || length(*place) >= length(*best))) best = place;
  }
  if (best) return *best;
  return below_prompt(document, turns, prompt, line_end);
}

}  // namespace agent_doc::session
