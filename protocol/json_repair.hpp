// Repairs JSON written by a JavaScript program that cut a string inside a surrogate pair: the lone
// half becomes an escape such as `\ud83d`, which Boost.JSON rejects. Nothing else is repaired.
// Includes nothing of the project, so that plugins can use it.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::protocol {

/// Returns `json` with every lone surrogate escape replaced by `\ufffd`; the length stays the same.
/// For a single retry after a parser rejected `json`.
std::string repair_lone_surrogates(std::string_view json);

}  // namespace agent_doc::protocol
