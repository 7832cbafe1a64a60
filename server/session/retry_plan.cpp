#include "server/session/retry_plan.hpp"

#include "server/markdown/turns.hpp"

#include <string>
#include <utility>

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
  std::string without_reply = document.text().substr(0, last.heading_begin);
  const markdown::Components components =
      markdown::find_components(document.text(), front_matter.body_begin);
  if (const markdown::Component* around = components.around(last.heading_begin))
    without_reply.append(document.text(), around->closing_begin);
  return plan_turn(text::TextBuffer(std::move(without_reply)), front_matter, RunRequest{});
}

}  // namespace agent_doc::session
