// What it is: what the agent gets to read: the document for the first turn of a session, the open prompt for later ones.
// What it is not: it does not find the turns of a document (server/markdown).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::turn {

enum class SessionKnows { Nothing, EarlierTurns };

/// `body`: the document without front matter. `open_prompt`: bytes of `body`, [prompt_begin, prompt_end). HTML comments and `[//]: # (…)` lines
/// are the person's scratch pad and never sent. Empty when there is nothing to send.
std::string build_prompt(std::string_view body, std::size_t prompt_begin, std::size_t prompt_end, SessionKnows knows);

/// A document and its open prompt as they were when a run began: what build_prompt() needs, kept for a session that turns out to know less than it should.
struct PromptSource {
  std::string body;
  std::size_t prompt_begin = 0;
  std::size_t prompt_end = 0;

  std::string text(SessionKnows knows) const { return build_prompt(body, prompt_begin, prompt_end, knows); }
};

/// `markdown` without HTML comments (outside code) and without `[//]: # (…)` lines.
std::string without_comments(std::string_view markdown);

}  // namespace agent_doc::turn
