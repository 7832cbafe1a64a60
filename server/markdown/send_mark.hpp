// How a person says in the document itself that the open prompt is to be sent, for editors that
// have no key for it: a last line `/send`, or a checked box `- [x] send`.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::markdown {

/// Returns `document` without the lines that say so, or nullopt when there are none. They count in
/// the last `## User` only, outside of code, quotes and HTML; `/send` only as its last line.
std::optional<std::string> without_send_marks(std::string_view document,
                                              const FrontMatter& front_matter);

}  // namespace agent_doc::markdown
