// Messages about the limits of an agent's service: that one is reached, and when it ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

enum class LimitState { Close, Reached };

/// Returns "rate limit reached, it ends at 2026-11-21 14:05 UTC". `ends_at` is in seconds since
/// 1970; the time is omitted when it is implausible. In UTC, because plugins know no time zone.
std::string limit_in_words(LimitState state, std::int64_t ends_at);

/// Returns `message` with the time of "… usage limit reached|1795181100", which versions of claude
/// of 2025 write, in words. Any other text is returned unchanged.
std::string with_limit_in_words(std::string_view message);

}  // namespace agent_doc::plugins
