// What it is: what went wrong with an ACP agent, as a kind and in words that tell a person what to do. ACP has one code of its own (authentication); for the
// rest agents send HTTP's numbers, generic errors with the reason in the text or beside it, or JSON inside the text.
// What it is not: it decides no turn (acp.cpp).
// Thread rule: pure functions.
#pragma once

#include "plugins/failure.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <string>
#include <string_view>

namespace agent_doc::plugins {

inline constexpr std::int64_t kAcpAuthRequired = -32000;
inline constexpr std::int64_t kAcpNotFound = -32002;

/// What the agent said, without the wrapping.
std::string text_of_error(const RpcError& error);
AgentFailure failure_of_acp_error(const RpcError& error, const AgentSpec& spec);
/// `ways` are the agent's own ways to log in; may be empty.
AgentFailure failure_of_acp_login(const RpcError& error, std::string_view ways, const AgentSpec& spec);
/// The answer ended with `stop_reason`; kind Unknown and no message when that is no failure.
AgentFailure failure_of_acp_stop(std::string_view stop_reason, const AgentSpec& spec);
/// The agent said `error` of its service and called the turn complete.
AgentFailure failure_of_acp_words(std::string_view error, const AgentSpec& spec);
AgentFailure failure_of_acp_exit(const ExitStatus& status, const AgentSpec& spec);

}  // namespace agent_doc::plugins
