// The instructions that every agent gets once per session, besides the user's prompt. They never
// become a part of the document; how they are passed on is up to the plugin.
#pragma once

#include <string_view>

namespace agent_doc::plugins {

inline constexpr std::string_view kSystemNote =
    "You answer inside a markdown document that a person edits while you write: your final message "
    "is put into it as it comes. "
    "Do not edit that document's file yourself, and do not begin your answer with a heading "
    "\"User\" or \"Assistant\".";

}  // namespace agent_doc::plugins
