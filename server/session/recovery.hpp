// What it is: how a reply that the store has comes back into a document in which a part of it is missing.
// What it is not: when it is offered (document_session_past.cpp, editors/cli/recover.cpp).
// Thread rule: pure functions.
#pragma once

#include "server/store/records.hpp"
#include "server/text/edit.hpp"

#include <optional>
#include <string_view>

namespace agent_doc::session {

/// What must be inserted into `document` so that the whole `reply` ("\n" only) to `prompt` stands in it: the rest of it, where the reply to this prompt stands
/// and ends too early; else all of it in a frame of its own, below the prompt, or at the end where there is no such prompt any more. Nothing when it is
/// there already.
std::optional<text::Edit> recovery_edit(std::string_view document, std::string_view prompt, std::string_view reply);

/// Whether what the store has may be offered for `document`: something is missing, and where the document has no id that proves it, it asks this prompt.
bool can_recover(std::string_view document, const store::UnsavedReply& reply);

/// The keys of the front matter that were lost with the reply, one edit after the other: the first one that is still to be made, if any.
std::optional<text::Edit> identity_edit(std::string_view document, const store::UnsavedReply& reply);

}  // namespace agent_doc::session
