// What it is: mends JSON that a JavaScript program wrote after cutting a string in the middle of a
// surrogate pair: the lone half comes out as an escape such as `\ud83d`, which Boost.JSON refuses.
// What it is not: a parser, nor a repair of anything else. It includes nothing of the project, so
// that plugins can use it too.
// Thread rule: pure function.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::protocol {

/// `json` with every lone surrogate escape replaced by `\ufffd`. The length stays the same. Meant
/// for the one retry after a parser refused `json`.
std::string repair_lone_surrogates(std::string_view json);

}  // namespace agent_doc::protocol
