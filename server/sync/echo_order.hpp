// What it is: for changes that a client told as a whole (its full text, a block of lines): which of them may be our own edit in flight, and an order that
// shows it first. A diff does not know who changed what; the order of independent edits is free.
// What it is not: a proof. SyncEngine still compares texts.
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <string_view>
#include <vector>

namespace agent_doc::sync {

/// `edits` of `before` (ascending, as text::diff gives them), as edits to be applied one after the other. When one of them contains `ours`, that part comes first.
std::vector<text::Edit> echo_first(std::vector<text::Edit> edits, const text::Edit& ours, std::string_view before);

}  // namespace agent_doc::sync
