// What it is: the dialect `codex`: Codex over `codex app-server`, JSON-RPC lines both ways, one
// process per session.
// What it is not: it starts no process (see agent.hpp); `codex exec` is codex_exec.hpp.
// Thread rule: not thread-safe; one object per agent process.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_codex(const AgentSpec& spec);

}  // namespace agent_doc::plugins
