// Speaks the Agent Client Protocol (version 1) with any agent that supports it: the handshake, the
// session (new, resumed, loaded, forked), prompts, questions and files; one process per session.
// The content of a turn is in acp_updates.hpp, questions in acp_questions.hpp, failures in
// acp_failure.hpp.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

/// Returns the protocol of `spec.dialect`: gemini, opencode, claude-code-acp and others with their
/// peculiarities (acp_preset.hpp), or `acp` for any other agent, launched as `spec` says.
std::unique_ptr<AgentProtocol> make_acp(const AgentSpec& spec);

}  // namespace agent_doc::plugins
