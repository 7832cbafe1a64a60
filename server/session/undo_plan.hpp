// What it is: which bytes of a document are its last reply with all that the run put around it, so
// that the reply can be taken out again and its prompt is open as before the run.
// What it is not: it changes nothing, and does not know what the agent wrote (store/history.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/text/edit.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::session {

struct LastReply {
  std::string_view prompt;  ///< the text of its turn, comments included
  std::string_view reply;   ///< without blank lines around it
  text::Edit taking_out;    ///< makes of the document what it was before the run
};

enum class NoUndo {
  NoReply,       ///< the document has none
  WrittenBelow,  ///< something was written below it
  InComponent,   ///< it is in a component: what its turn wrote into others is not known
};

/// Returns the last reply of `document`, whose front matter stays as it is. A document of which
/// only white space was below the prompt ends with one line end then, unless it had more than two:
/// how many of them the run had put there is not known.
std::variant<LastReply, NoUndo> find_last_reply(std::string_view document,
                                                const markdown::FrontMatter& front_matter);

/// Returns whether `reply` of a document is `recorded` ("\n" only). White space at the ends of
/// lines and around the reply is no difference, for editors take it away.
bool is_as_recorded(std::string_view reply, std::string_view recorded);

}  // namespace agent_doc::session
