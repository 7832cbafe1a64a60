// What it is: a limit of an agent's service in words that a person can plan with: that it is
// reached, and when it ends.
// What it is not: it recognises no failure; what is told about the limit is known to each plugin.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

enum class LimitState { Close, Reached };

/// "rate limit reached, it ends at 2026-11-21 14:05 UTC". In UTC, for plugins know no time zone;
/// without the time when `ends_at` (seconds since 1970) is none that can be.
std::string limit_in_words(LimitState state, std::int64_t ends_at);

/// "… usage limit reached|1795181100", as versions of claude of 2025 say it, with the time in
/// words. Any other text stays as it is.
std::string with_limit_in_words(std::string_view message);

}  // namespace agent_doc::plugins
