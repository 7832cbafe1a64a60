// The turns of a document (top-level headings `## User` and `## Assistant`), the open prompt, and
// the frame that a run inserts. A running turn is tracked by anchors (server/sync), never by
// parsing. Offsets are bytes of the document.
#pragma once

#include "server/markdown/components.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/markdown/scanner.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

enum class Speaker { User, Assistant };

/// Returns whose turn `line` of `text` begins, or nullopt.
std::optional<Speaker> turn_begun_by(const Line& line, std::string_view text);

/// One turn of a document.
struct InlineTurn {
  Speaker speaker = Speaker::User;
  std::size_t heading_begin = 0;  ///< equal to body_begin in a document without headings
  std::size_t body_begin = 0;     ///< after the heading's line
  /// The next turn's heading, the end of the component that the heading is in, or the end of the
  /// document.
  std::size_t body_end = 0;
};

struct InlineTurns {
  std::vector<InlineTurn> turns;  ///< at least one
  Components components;
  /// A fence or a comment that is never closed and swallows what is below it.
  std::vector<Problem> problems;
};

/// Returns the turns of `document`. Without any turn heading the whole body is one User turn, or
/// what is in the component `exchange`: below its boundary marker, or above it when nothing is
/// below. So is the text above the first heading when that is `## Assistant`, because it was the
/// first prompt of such a document. Headings may have trailing "#"s and the suffix " (HEAD)"; they
/// are case-sensitive.
InlineTurns find_turns(std::string_view document, std::size_t body_begin);

/// The prompt that a run would send: the trimmed text of the last `## User`. There is none when an
/// `## Assistant` follows, or the text has nothing but HTML comments and `[//]: # (…)` lines.
struct OpenPrompt {
  std::size_t begin = 0;  ///< of the trimmed text
  std::size_t end = 0;
  /// Where the frame of a run goes: after the last line of the prompt with its trailing spaces,
  /// before the line end.
  std::size_t frame_at = 0;
};
std::optional<OpenPrompt> find_open_prompt(std::string_view document,
                                           const FrontMatter& front_matter);
/// Returns the open prompt of `turn`, the last turn of `document`; its end may have been moved up.
std::optional<OpenPrompt> open_prompt_of(std::string_view document, const InlineTurn& turn);

struct InlineFrame {
  std::string head;  ///< "\n\n## Assistant\n\n", shortened to what the place needs
  std::string tail;  ///< "\n\n## User\n\n", without what is below the prompt already
};
/// Returns the frame for a reply at `at`, with the document's `line_end`. It leaves one blank line
/// around each heading, and one at the end after `## User` if at most two line ends were below
/// `at`. Does not close a fence that was left open above; that is a problem.
InlineFrame make_frame(std::string_view document, std::size_t at, std::string_view line_end);

}  // namespace agent_doc::markdown
