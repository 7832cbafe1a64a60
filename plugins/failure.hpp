// Messages for agents' failures: which agent, what happened, what to do next, in the same words for
// all agents. Each plugin recognises its own failures.
#pragma once

#include "plugins/registry.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

struct AgentFailure {
  FailureKind kind = FailureKind::Unknown;
  std::string message;
};

/// Returns "NAME: what happened. What to do." `text` is the agent's own message, or what is known
/// of it.
AgentFailure describe_failure(FailureKind kind, std::string_view text, const AgentSpec& spec);
/// Describes a process that ended in the middle of a turn. `said` is the useful part of its
/// standard error (last_lines()).
AgentFailure describe_exit(FailureKind kind, const ExitStatus& status, std::string_view said,
                           const AgentSpec& spec);
/// Describes a turn that the agent gave up because a question was denied; nobody stopped it.
AgentFailure describe_denied_end(const AgentSpec& spec);
/// Describes a turn that the agent calls done although it said and did nothing that was understood.
/// `not_understood` counts the rest of what it printed.
AgentFailure describe_silence(std::uint64_t not_understood, const std::string& agent);
/// Returns the last lines of `text` that are not blank: few, and short enough for a message.
std::string last_lines(std::string_view text);

}  // namespace agent_doc::plugins
