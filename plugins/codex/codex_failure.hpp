// Failures of codex, as a kind and a message for the user; for both dialects of codex.
#pragma once

#include "plugins/failure.hpp"

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Describes the error of a failed turn: {message, codexErrorInfo, …}. The message may itself be
/// the JSON that the service sent.
AgentFailure codex_failure_of_error(const boost::json::object& error, const AgentSpec& spec);
/// Describes a failure of which only a text is known.
AgentFailure codex_failure_of_text(std::string_view text, const AgentSpec& spec);
/// Describes a session that could not be started, resumed or forked. `text` is the error message in
/// the answer.
AgentFailure codex_failure_of_start(SessionStart start, std::string_view text,
                                    const AgentSpec& spec);
AgentFailure codex_failure_of_exit(const ExitStatus& status, const AgentSpec& spec);

/// Returns "retrying (1/2): reason" for "Reconnecting... 1/2" and its reason, for the status line.
std::string codex_retry_text(std::string_view message, std::string_view reason);

}  // namespace agent_doc::plugins
