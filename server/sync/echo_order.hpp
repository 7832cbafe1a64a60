// What it is: for changes that a client told as a whole (its full text, a block of lines, a file that was opened again): whether our own edit in
// flight is one of them, and an order that shows it first.
// What it is not: a proof. SyncEngine still compares texts.
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <string_view>
#include <vector>

namespace agent_doc::sync {

/// What the client said about the edit, before it told what changed.
enum class Claim { Nothing, Applied };

/// Edits that turn `before` into `after`, to be applied one after the other. When less is left to explain once `ours` (an edit of `before`) has been
/// made, it comes first: a diff alone does not know who changed what, and melts our text with what was typed inside it. Where the client claims
/// to have applied it, some of it may be gone again.
std::vector<text::Edit> echo_first(std::string_view before, std::string_view after, const text::Edit& ours, Claim claim);

}  // namespace agent_doc::sync
