// What it is: the inline turns of a document: `## User` and `## Assistant` headings of the top
// level, the open prompt, and the frame of a run.
// What it is not: it does not follow a running turn; that is known by its anchors (server/sync),
// never by parsing.
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/markdown/scanner.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

enum class Speaker { User, Assistant };

/// Whose turn begins with `line` of `text`, if one does.
std::optional<Speaker> turn_begun_by(const Line& line, std::string_view text);

/// Bytes of the document.
struct InlineTurn {
  Speaker speaker = Speaker::User;
  std::size_t heading_begin = 0;  ///< equal to body_begin for a document without headings
  std::size_t body_begin = 0;     ///< behind the heading's line
  std::size_t body_end = 0;       ///< the next turn's heading, or the end
};

struct InlineTurns {
  std::vector<InlineTurn> turns;  ///< one at least
  std::vector<Problem>
      problems;  ///< a fence or a comment that is not closed and swallows what is below it
};

/// A document without turn headings is one User turn: its whole body. So is the text above the
/// first heading when that is `## Assistant`: it was such a document's first prompt. A heading
/// counts with trailing "#"s and with the suffix " (HEAD)", too; its case counts.
InlineTurns find_turns(std::string_view document, std::size_t body_begin);

/// The prompt that a run sends: the text of the last `## User`, trimmed, unless an `## Assistant`
/// follows it. None when nothing but HTML comments and `[//]: # (…)` lines stand there.
struct OpenPrompt {
  std::size_t begin = 0;  ///< trimmed text
  std::size_t end = 0;
  std::size_t frame_at = 0;  ///< where the run's frame goes: behind the prompt's last line (its
                             ///< trailing spaces stay with it), before its line end
};
std::optional<OpenPrompt> find_open_prompt(std::string_view document,
                                           const FrontMatter& front_matter);
/// The same of `turn`, the last one of `document`, whose end may have been moved up.
std::optional<OpenPrompt> open_prompt_of(std::string_view document, const InlineTurn& turn);

struct InlineFrame {
  std::string head;  ///< "\n\n## Assistant\n\n" as the place needs it
  std::string tail;  ///< "\n\n## User\n\n"; what stands below the prompt already is not repeated
};
/// The frame for a reply at `at`: `line_end` is the document's. With it the document has one blank
/// line around each heading, and ends with one behind `## User`, if it had at most two line ends
/// below `at`. A fence that the person left open above is not closed (it is a problem).
InlineFrame make_frame(std::string_view document, std::size_t at, std::string_view line_end);

}  // namespace agent_doc::markdown
