// What it is: what an agent's failure is called and what it tells a person: which agent, what happened, what to do next. The same words for all agents.
// What it is not: it recognises no failure (each plugin does that) and ends no turn.
// Thread rule: pure functions.
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

/// "NAME: what happened. What to do." `text` is what the agent said, or what was seen of it.
AgentFailure describe_failure(FailureKind kind, std::string_view text, const AgentSpec& spec);
/// The process ended in the middle of a turn; `said` is what is worth telling of its standard error (last_lines()).
AgentFailure describe_exit(FailureKind kind, const ExitStatus& status, std::string_view said, const AgentSpec& spec);
/// The agent gave its turn up, for a question of it got a no: nobody stopped it.
AgentFailure describe_denied_end(const AgentSpec& spec);
/// The agent calls a turn done in which it said and did nothing that was understood; `not_understood`: of how much else that is so.
AgentFailure describe_silence(std::uint64_t not_understood, const std::string& agent);
/// The last lines of `text` that are not blank: few, and not too long for a message.
std::string last_lines(std::string_view text);

}  // namespace agent_doc::plugins
