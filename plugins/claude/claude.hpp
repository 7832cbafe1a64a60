// What it is: the dialect `claude`: Claude Code over its two-way stream-json channel, one process
// per session. `tour` speaks it too.
// What it is not: it starts no process (see agent.hpp).
// Thread rule: not thread-safe; one object per agent process.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_claude(const AgentSpec& spec);

}  // namespace agent_doc::plugins
