// What it is: a text that an agent wrote into a document that somebody has open, as one edit of
// what stands there now: what the person changed since the agent read it stays.
// What it is not: the writing (SyncEngine), nor whether the agent may (conversation.cpp,
// server/lsp/documents/agent_files.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <optional>
#include <string_view>

namespace agent_doc::session {

/// What `wanted` changes in `base`, which the agent had read, moved to `now`; nothing when it
/// changes nothing.
std::optional<text::Edit> agent_write(std::string_view base, std::string_view wanted,
                                      std::string_view now);

}  // namespace agent_doc::session
