// Failures of claude, as a kind and a message for the user.
#pragma once

#include "plugins/failure.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// An `assistant` line that is an error message and no part of the reply.
struct ClaudeError {
  std::string text;
  std::string error;        ///< "authentication_failed", …
  std::int64_t status = 0;  ///< of HTTP, 0 when there was no response
};

AgentFailure failure_of_error(const ClaudeError& error, const AgentSpec& spec);
/// Describes a `result` that is an error; `said` is the error message before it, if there was one.
AgentFailure failure_of_result(const boost::json::object& result, const ClaudeError& said,
                               const AgentSpec& spec);
AgentFailure failure_of_exit(const ExitStatus& status, const AgentSpec& spec);
/// Describes an answer that ended with `stop_reason` (refusal, max_tokens). Returns kind Unknown
/// when that is no failure.
AgentFailure failure_of_stop_reason(std::string_view stop_reason, const AgentSpec& spec);

}  // namespace agent_doc::plugins
