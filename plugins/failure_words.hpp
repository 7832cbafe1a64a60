// The table of numbers and words that services and programs use for failures, for all agents. Names
// that only one agent's protocol uses (codexErrorInfo, …) are in its plugin.
#pragma once

#include "plugins/agent.hpp"

#include <cstdint>
#include <string_view>

namespace agent_doc::plugins {

/// Returns Unknown when `http_status` is no HTTP error.
FailureKind kind_of_status(std::int64_t http_status);
/// Classifies a failure. `http_status` is 0 when it is only known from `text`, whose numbers count
/// as well. A word that names the exact failure overrides both. Returns Unknown when nothing
/// matches.
FailureKind kind_of_failure(std::int64_t http_status, std::string_view text);
/// Classifies a failure by its text alone.
FailureKind kind_of_words(std::string_view text);
/// Returns true when `text` says that the agent does not have the requested session.
bool says_session_unknown(std::string_view text);
/// Returns true when `text` says that the connection is not trusted: a proxy with its own
/// certificate.
bool is_about_certificates(std::string_view text);

}  // namespace agent_doc::plugins
