// The dialect `claude`: Claude Code over its bidirectional stream-json channel, one process per
// session. `tour` speaks it, too.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_claude(const AgentSpec& spec);

}  // namespace agent_doc::plugins
