// The keys of `[agents.NAME]` for the dialect `generic`, which describe a program that agent-doc
// does not know. Keys that all agents have are in config.cpp.
#pragma once

#include "plugins/registry.hpp"

#include <toml++/toml.h>

#include <functional>
#include <string>
#include <string_view>

namespace agent_doc::app {

inline constexpr std::string_view kGenericAgentKeys[] = {
    "format", "text_mode", "text_field", "session_id_field", "resume_args", "fork_args"};

/// Reads the keys of one agent. `place` is "[agents.NAME]"; `read` is what config.cpp has read
/// already. Calls `problem` for everything that is wrong.
plugins::GenericAgent read_generic_agent(
    const toml::table& table, const std::string& place, const plugins::AgentSpec& read,
    const std::function<void(const toml::source_region&, const std::string&)>& problem);

}  // namespace agent_doc::app
