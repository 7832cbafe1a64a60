// Failures of ACP agents, as a kind and a message for the user. ACP has one error code of its own
// (authentication); beyond that agents send HTTP statuses, generic errors with the reason in the
// text or beside it, or JSON within the text.
#pragma once

#include "plugins/failure.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <string>
#include <string_view>

namespace agent_doc::plugins {

inline constexpr std::int64_t kAcpAuthRequired = -32000;
inline constexpr std::int64_t kAcpNotFound = -32002;

/// Returns the agent's message without the wrapping.
std::string text_of_error(const RpcError& error);
AgentFailure failure_of_acp_error(const RpcError& error, const AgentSpec& spec);
/// Describes a failed login. `ways` are the agent's own ways to log in; may be empty.
AgentFailure failure_of_acp_login(const RpcError& error, std::string_view ways,
                                  const AgentSpec& spec);
/// Describes an answer that ended with `stop_reason`. Returns kind Unknown and no message when that
/// is no failure.
AgentFailure failure_of_acp_stop(std::string_view stop_reason, const AgentSpec& spec);
/// Describes a turn that the agent called complete after it had reported `error` from its service.
AgentFailure failure_of_acp_words(std::string_view error, const AgentSpec& spec);
AgentFailure failure_of_acp_exit(const ExitStatus& status, const AgentSpec& spec);

}  // namespace agent_doc::plugins
