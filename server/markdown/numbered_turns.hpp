// The turns of a document as a person counts them: a question and the replies to it, numbered as
// `agent-doc fork --turn` does. Offsets are bytes of the document.
#pragma once

#include "server/markdown/turns.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

struct NumberedTurn {
  std::size_t begin = 0;         ///< its first heading, or its text when it has none
  std::size_t prompt_begin = 0;  ///< the text under the last `## User` above the reply
  std::size_t prompt_end = 0;
  std::size_t reply_begin = 0;  ///< the text of all replies, further headings included
  std::size_t end = 0;          ///< the next turn, or the end of the document
  bool has_reply = false;       ///< only the last turn of a document may have none
};

/// Returns the turns in order, without a last one in which nothing is asked. Turn N is at N - 1.
std::vector<NumberedTurn> numbered_turns(std::string_view document,
                                         const FrontMatter& front_matter);

}  // namespace agent_doc::markdown
