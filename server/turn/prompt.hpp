// What it is: what the agent gets to read: the document for the first turn of a session, the open
// prompt for later ones, and what was changed above it since the agent saw it.
// What it is not: it does not find the turns of a document (server/markdown).
// Thread rule: pure functions.
#pragma once

#include "server/text/unified_diff.hpp"
#include "server/turn/comments.hpp"
#include "server/turn/seen_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

enum class SessionKnows { Nothing, EarlierTurns };

/// `body`: the document without front matter. `open_prompt`: bytes of `body`, [prompt_begin,
/// prompt_end). HTML comments and `[//]: # (…)` lines are the person's scratch pad and never sent.
/// Empty when there is nothing to send.
std::string build_prompt(std::string_view body, std::size_t prompt_begin, std::size_t prompt_end,
                         SessionKnows knows);

/// What a session that knows the earlier turns gets to read of `prompt`: its text without comments
/// and without blank lines around it.
std::string asked_in(std::string_view prompt);

/// Where the prompt stands in a text.
struct PromptPlace {
  std::size_t heading = 0;  ///< where its turn begins: equal to begin when that has no heading
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A document and its open prompt as they were when a run began: what build_prompt() needs, kept
/// for a session that turns out to know less than it should.
class PromptSource {
 public:
  PromptSource() = default;
  /// Costs the prompt, not the document.
  PromptSource(std::string body, PromptPlace place);

  /// The prompt alone. Costs nothing.
  const std::string& asked() const { return asked_; }
  /// As build_prompt(). Costs the document when the session knows nothing.
  std::string text(SessionKnows knows) const;
  /// For a session that knows nothing, where nothing is asked but `changes` (a unified diff) have
  /// to be answered.
  std::string text_with_changes(std::string_view changes) const;
  /// Returns what an agent has of the document once it has read it up to the prompt. Costs the
  /// document.
  SeenDocument seen() const;

 private:
  std::string body_;
  PromptPlace place_;
  std::string asked_;
};

/// What is sent to a session that has an earlier state of the document.
enum class Shape : std::uint8_t {
  Nothing,  ///< nothing is asked, and nothing was changed
  Prompt,   ///< only the open prompt is new
  Changes,  ///< a unified diff, and the open prompt if there is one
  Document  ///< all of the document, where that is shorter than the diff, and the open prompt if
            ///< there is one
};

struct PromptMessage {
  Shape shape = Shape::Nothing;
  std::string text;
  text::UnifiedDiff changes;  ///< what was changed above the prompt
};

/// Returns what makes `now` (PromptSource::seen()) of what the session has, whose earlier_text() is
/// `earlier`, and asks `asked`.
PromptMessage message_about(const SeenDocument& now, std::string_view earlier,
                            std::string_view asked);

}  // namespace agent_doc::turn
