#include "server/markdown/numbered_turns.hpp"

namespace agent_doc::markdown {

std::vector<NumberedTurn> numbered_turns(std::string_view document,
                                         const FrontMatter& front_matter) {
  const std::vector<InlineTurn> parts = find_turns(document, front_matter.body_begin).turns;
  std::vector<NumberedTurn> turns;
  for (const InlineTurn& part : parts) {
    const bool is_user = part.speaker == Speaker::User;
    if (turns.empty() || (is_user && turns.back().has_reply)) {
      turns.emplace_back();
      turns.back().begin = part.heading_begin;
    }
    NumberedTurn& turn = turns.back();
    if (is_user) {
      turn.prompt_begin = part.body_begin;
      turn.prompt_end = part.body_end;
      turn.reply_begin = part.body_end;
    } else if (!turn.has_reply) {
      turn.has_reply = true;
      turn.reply_begin = part.body_begin;
    }
    turn.end = part.body_end;
  }
  if (!turns.back().has_reply && !open_prompt_of(document, parts.back())) turns.pop_back();
  return turns;
}

}  // namespace agent_doc::markdown
