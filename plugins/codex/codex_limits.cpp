#include "plugins/codex/codex_limits.hpp"

#include "plugins/json_line.hpp"
#include "plugins/rate_limit.hpp"

#include <algorithm>

namespace agent_doc::plugins {
namespace {

constexpr double kUsedUp = 100;

/// Returns the latest end of the exhausted windows (hours, a week), or 0 when none is.
std::int64_t end_of(const boost::json::object& limits) {
  std::int64_t end = 0;
  for (const std::string_view name : {"primary", "secondary"}) {
    const boost::json::object* window = object_of(limits, name);
    if (window == nullptr || number_of(*window, "usedPercent") < kUsedUp) continue;
    end = std::max(end, integer_of(*window, "resetsAt", 0));
  }
  return end;
}

}  // namespace

void CodexLimits::update(const boost::json::object& limits, Actions& actions) {
  const std::string_view limit = string_of(limits, "limitId");
  const std::int64_t end = end_of(limits);
  if (end == 0 && string_of(limits, "rateLimitReachedType").empty()) {
    if (limit == limit_) reached_.clear();
    return;
  }
  limit_ = limit;
  reached_ = limit_in_words(LimitState::Reached, end);
  tell(actions);
}

void CodexLimits::tell(Actions& actions) const {
  if (!reached_.empty()) actions.emit(Notice{NoticeKind::RateLimit, reached_});
}

}  // namespace agent_doc::plugins
