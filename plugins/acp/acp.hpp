// What it is: speaks the Agent Client Protocol (version 1) with any agent that has it: the
// handshake, the session (new, resumed, loaded, forked), prompts, questions and files. Launched
// once per session.
// What it is not: the content of a turn is acp_updates, questions are acp_questions, failures
// acp_failure. Nothing here acts on the document.
// Thread rule: what make_acp() returns is not thread-safe; one object per agent process.
#pragma once

#include "plugins/registry.hpp"

#include <memory>

namespace agent_doc::plugins {

/// Known by `spec.dialect`: gemini, opencode, claude-code-acp, with what is special about them;
/// `acp` is any other, launched as `spec` says.
std::unique_ptr<AgentProtocol> make_acp(const AgentSpec& spec);

}  // namespace agent_doc::plugins
