// What it is: the one table of the numbers and words that services and programs use for what went
// wrong, for all agents.
// What it is not: names that only one agent's wire has (codexErrorInfo, …); its plugin knows these.
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <cstdint>
#include <string_view>

namespace agent_doc::plugins {

/// Unknown for what is no error of HTTP.
FailureKind kind_of_status(std::int64_t http_status);
/// `http_status`: 0 when it is not known apart from `text`; a number in `text` counts as well. A
/// word that says exactly what it is counts more than either. Unknown when nothing tells.
FailureKind kind_of_failure(std::int64_t http_status, std::string_view text);
/// The same of a text alone.
FailureKind kind_of_words(std::string_view text);
/// The agent does not have the session that it was asked for.
bool says_session_unknown(std::string_view text);
/// The connection is not trusted: a proxy with a certificate of its own.
bool is_about_certificates(std::string_view text);

}  // namespace agent_doc::plugins
