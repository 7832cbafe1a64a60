// What it is: the keys of `[agents.NAME]` that only agents of the dialect `generic` have: how a
// program that agent-doc does not know is used.
// What it is not: what all agents have is config.cpp.
// Thread rule: pure functions.
#pragma once

#include "plugins/registry.hpp"

#include <toml++/toml.h>

#include <functional>
#include <string>
#include <string_view>

namespace agent_doc::app {

inline constexpr std::string_view kGenericAgentKeys[] = {
    "format", "text_mode", "text_field", "session_id_field", "resume_args", "fork_args"};

/// `place`: "[agents.NAME]". `read`: what config.cpp has read of it. What is wrong goes to
/// `problem`.
plugins::GenericAgent read_generic_agent(
    const toml::table& table, const std::string& place, const plugins::AgentSpec& read,
    const std::function<void(const toml::source_region&, const std::string&)>& problem);

}  // namespace agent_doc::app
