// What it is: what the agent gets to read: the document for the first turn of a session, the open
// prompt for later ones.
// What it is not: it does not find the turns of a document (server/markdown).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
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

/// A document and its open prompt as they were when a run began: what build_prompt() needs, kept
/// for a session that turns out to know less than it should.
class PromptSource {
 public:
  PromptSource() = default;
  /// Costs the prompt, not the document.
  PromptSource(std::string body, std::size_t prompt_begin, std::size_t prompt_end);

  /// The prompt alone. Costs nothing.
  const std::string& asked() const { return asked_; }
  /// As build_prompt(). Costs the document when the session knows nothing.
  std::string text(SessionKnows knows) const;

 private:
  std::string body_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string asked_;
};

/// `markdown` without HTML comments (outside code) and without `[//]: # (…)` lines.
std::string without_comments(std::string_view markdown);

}  // namespace agent_doc::turn
