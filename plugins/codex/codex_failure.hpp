// What it is: what went wrong with codex, as a kind and in words that tell a person what to do.
// Both dialects of codex use it.
// What it is not: it decides no turn (codex.cpp, codex_exec.cpp).
// Thread rule: pure functions.
#pragma once

#include "plugins/failure.hpp"

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Of a failed turn: {message, codexErrorInfo, …}. The message may itself be the JSON that the
/// service sent.
AgentFailure codex_failure_of_error(const boost::json::object& error, const AgentSpec& spec);
/// Where only a text is known.
AgentFailure codex_failure_of_text(std::string_view text, const AgentSpec& spec);
/// The session could not be started, resumed or forked; `text` is the answer's error message.
AgentFailure codex_failure_of_start(SessionStart start, std::string_view text,
                                    const AgentSpec& spec);
AgentFailure codex_failure_of_exit(const ExitStatus& status, const AgentSpec& spec);

/// For the status line: "Reconnecting... 1/2" and its reason become "retrying (1/2): reason".
std::string codex_retry_text(std::string_view message, std::string_view reason);

}  // namespace agent_doc::plugins
