#include "server/session/undo_plan.hpp"

#include "server/markdown/turns.hpp"
#include "server/text/line_ends.hpp"
#include "server/text/lines.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace agent_doc::session {

namespace {

using markdown::InlineTurn;
using markdown::Speaker;

constexpr std::string_view kLineSpace = " \t";
constexpr std::string_view kAllSpace = " \t\r\n";
/// A run leaves so many line ends below the `## User` that it adds.
constexpr std::size_t kLineEndsOfRun = 2;

std::string_view without_space_around(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kAllSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAllSpace) + 1 - begin);
}

std::string_view without_line_space_after(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kLineSpace) + 1);
}

std::size_t line_ends_in(std::string_view text) {
  std::size_t count = 0;
  text::LineWalker lines(text);
  while (const std::optional<text::LineSpan> line = lines.next()) count += line->next > line->end;
  return count;
}

/// Returns where the frame of the run begins: below the prompt, with the spaces of its last line.
std::size_t frame_begin(std::string_view document, std::size_t heading, std::size_t body_begin) {
  const std::size_t last =
      heading == 0 ? std::string_view::npos : document.find_last_not_of(kAllSpace, heading - 1);
  if (last == std::string_view::npos || last < body_begin) return heading;
  return std::min(document.find_first_not_of(kLineSpace, last + 1), heading);
}

/// Returns what was below the prompt, where `below` is what is below the reply by now.
std::string restored_below(std::string_view document, std::string_view below) {
  if (line_ends_in(below) > kLineEndsOfRun) return std::string(below);
  return std::string(text::most_frequent_line_end(document));
}

}  // namespace

std::variant<LastReply, NoUndo> find_last_reply(std::string_view document,
                                                const markdown::FrontMatter& front_matter) {
  const auto [turns, components, problems] =
      markdown::find_turns(document, front_matter.body_begin);
  const auto reply = std::find_if(turns.rbegin(), turns.rend(), [](const InlineTurn& turn) {
    return turn.speaker == Speaker::Assistant;
  });
  if (reply == turns.rend()) return NoUndo::NoReply;
  if (components.around(reply->heading_begin) != nullptr) return NoUndo::InComponent;
  const auto below = reply.base();
  const bool is_last = below == turns.end();
  const std::size_t rest = is_last ? reply->body_end : below->body_begin;
  if (!is_last &&
      (below + 1 != turns.end() || !without_space_around(document.substr(rest)).empty()))
    return NoUndo::WrittenBelow;

  const std::string_view body =
      document.substr(reply->body_begin, reply->body_end - reply->body_begin);
  LastReply found;
  found.reply = without_space_around(body);
  if (std::next(reply) != turns.rend()) {
    const InlineTurn& asked = *std::next(reply);
    found.prompt = document.substr(asked.body_begin, asked.body_end - asked.body_begin);
  }
  const std::size_t begin = frame_begin(document, reply->heading_begin, front_matter.body_begin);
  // The line end of the `## User` line itself is part of what is below it.
  const std::size_t heading_end =
      is_last ? document.find_last_not_of(kAllSpace) + 1
              : std::min(document.find_first_of("\r\n", below->heading_begin), document.size());
  found.taking_out = {begin, document.size(),
                      restored_below(document, document.substr(heading_end))};
  return found;
}

bool is_as_recorded(std::string_view reply, std::string_view recorded) {
  const std::string_view ours = without_space_around(reply);
  const std::string_view theirs = without_space_around(recorded);
  text::LineWalker our_lines(ours);
  text::LineWalker their_lines(theirs);
  for (;;) {
    const std::optional<text::LineSpan> our = our_lines.next();
    const std::optional<text::LineSpan> their = their_lines.next();
    if (!our || !their) return !our && !their;
    if (without_line_space_after(ours.substr(our->begin, our->end - our->begin)) !=
        without_line_space_after(theirs.substr(their->begin, their->end - their->begin)))
      return false;
  }
}

}  // namespace agent_doc::session
