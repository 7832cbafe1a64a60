// The dialect `codex`: Codex over `codex app-server`, JSON-RPC lines in both directions, one
// process per session. `codex exec` is codex_exec.hpp.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_codex(const AgentSpec& spec);

}  // namespace agent_doc::plugins
