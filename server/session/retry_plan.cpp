#include "server/session/retry_plan.hpp"

#include "server/markdown/turns.hpp"

#include <string>

namespace agent_doc::session {

Outcome<TurnPlan> plan_retry(const text::TextBuffer& document,
                             const markdown::FrontMatter& front_matter, std::size_t reply_begin) {
  const markdown::InlineTurns above =
      markdown::find_turns(document.text().substr(0, reply_begin), front_matter.body_begin);
  const markdown::InlineTurn& last = above.turns.back();
  if (last.speaker != markdown::Speaker::Assistant) {
    return Refusal{RefusalKind::Invalid,
                   "the last reply has no `## Assistant` heading any more, so its prompt cannot be "
                   "told: run again below it"};
  }
  const text::TextBuffer before_reply(document.text().substr(0, last.heading_begin));
  return plan_turn(before_reply, front_matter, RunRequest{});
}

}  // namespace agent_doc::session
