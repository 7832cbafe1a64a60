// The dialect `codex-exec`: Codex over `codex exec --json`, one process per turn, with the prompt
// on standard input. Text arrives as complete messages, and nothing is asked: what the sandbox does
// not allow is denied. For versions whose app-server agent-doc does not understand.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

std::unique_ptr<AgentProtocol> make_codex_exec(const AgentSpec& spec);

}  // namespace agent_doc::plugins
