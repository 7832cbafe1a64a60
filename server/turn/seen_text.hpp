// What it is: the text of a document as an agent may see it, in one form, so that two states of it
// can be compared: without what is private, and without white space that means nothing.
// What it is not: what is sent of it (prompt.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// Returns `body` without HTML comments and `[//]: # (…)` lines, as if they had never stood there;
/// with "\n" at the end of each line and no white space before it; without blank lines at both
/// ends, or more than one in a row outside of fences.
std::string as_seen(std::string_view body);

/// What an agent has of a document, in the form of as_seen(): up to a prompt, and the reply to
/// that.
struct SeenDocument {
  std::string text;       ///< with the prompt at its end
  std::size_t above = 0;  ///< so many bytes of it are above the prompt and its heading
  std::string reply;      ///< as the agent gave it; empty: none came
};

/// Returns the document that `seen` is, without a prompt that nobody has answered: it is sent
/// again, as it is by then.
std::string earlier_text(const SeenDocument& seen);

/// Returns what the agent has that `seen` is of, once it has read `prompt` in the middle of its
/// turn and has ended its reply there. `prompt`: in the form of as_seen().
SeenDocument with_next_prompt(const SeenDocument& seen, std::string_view prompt);

}  // namespace agent_doc::turn
