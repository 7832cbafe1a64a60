// What it is: what went wrong with claude, as a kind and in words that tell a person what to do.
// What it is not: it decides no turn (claude.cpp).
// Thread rule: pure functions.
#pragma once

#include "plugins/failure.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// An `assistant` line that is an error message: it is not part of the reply.
struct ClaudeError {
  std::string text;
  std::string error;        ///< "authentication_failed", …
  std::int64_t status = 0;  ///< of HTTP, 0 when there was no answer
};

AgentFailure failure_of_error(const ClaudeError& error, const AgentSpec& spec);
/// `result` is an error; `said` is the error message that came before it, if any.
AgentFailure failure_of_result(const boost::json::object& result, const ClaudeError& said,
                               const AgentSpec& spec);
AgentFailure failure_of_exit(const ExitStatus& status, const AgentSpec& spec);
/// The answer ended with `stop_reason` (refusal, max_tokens); kind Unknown when that is no failure.
AgentFailure failure_of_stop_reason(std::string_view stop_reason, const AgentSpec& spec);

}  // namespace agent_doc::plugins
