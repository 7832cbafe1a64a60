// What it is: what every agent is told of where its answer goes, once per session, beside the
// person's prompt.
// What it is not: it is never part of the document; how an agent is told is its plugin's.
// Thread rule: a constant.
#pragma once

#include <string_view>

namespace agent_doc::plugins {

inline constexpr std::string_view kSystemNote =
    "You answer inside a markdown document that a person edits while you write: your final message "
    "is put into it as it comes. "
    "Do not edit that document's file yourself, and do not begin your answer with a heading "
    "\"User\" or \"Assistant\".";

}  // namespace agent_doc::plugins
