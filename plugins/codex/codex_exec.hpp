// What it is: the dialect `codex-exec`: Codex over `codex exec --json`, one process per turn, the
// prompt by standard input. Its text comes as whole messages, and it asks nothing: what its sandbox
// does not allow is denied. For versions whose app-server agent-doc does not understand.
// What it is not: it starts no process (see agent.hpp).
// Thread rule: not thread-safe; one object per agent process.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_codex_exec(const AgentSpec& spec);

}  // namespace agent_doc::plugins
