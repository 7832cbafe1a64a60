// What it is: what running the last turn again means for a document as it stands: the prompt above
// its reply, as it is now.
// What it is not: it starts nothing and changes nothing; whether the reply may be taken back is for
// the engine to say (SyncEngine::reopen_region).
// Thread rule: pure functions.
#pragma once

#include "server/session/run_plan.hpp"

#include <cstddef>

namespace agent_doc::session {

/// `reply_begin`: where the reply begins that is replaced. `frame_at` and `frame` of the plan are
/// of no use. Refused when no prompt stands above it.
Outcome<TurnPlan> plan_retry(const text::TextBuffer& document,
                             const markdown::FrontMatter& front_matter, std::size_t reply_begin);

}  // namespace agent_doc::session
