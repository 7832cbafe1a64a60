#include "plugins/rate_limit.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace agent_doc::plugins {
namespace {

/// 9999-12-31 23:59:59
constexpr std::int64_t kLatest = 253'402'300'799;

/// Returns the time as "2026-11-21 14:05 UTC", or an empty string when it is implausible.
std::string time_in_words(std::int64_t seconds_since_1970) {
  if (seconds_since_1970 <= 0 || seconds_since_1970 > kLatest) return {};
  const std::chrono::sys_seconds time{std::chrono::seconds{seconds_since_1970}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d UTC",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()));
  return text.data();
}

}  // namespace

std::string limit_in_words(LimitState state, std::int64_t ends_at) {
  const std::string text =
      state == LimitState::Reached ? "rate limit reached" : "close to the rate limit";
  const std::string time = time_in_words(ends_at);
  return time.empty() ? text : text + ", it ends at " + time;
}

std::string with_limit_in_words(std::string_view message) {
  constexpr std::string_view kBefore = "limit reached|";
  const std::size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return std::string(message);
  const std::string_view number = message.substr(at + kBefore.size());
  std::int64_t ends_at = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ends_at);
  const std::string time = error == std::errc() ? time_in_words(ends_at) : std::string();
  if (time.empty()) return std::string(message);
  std::string text(message.substr(0, at + kBefore.size() - 1));
  text.append(", it ends at ").append(time);
  return text.append(end, number.data() + number.size());
}

}  // namespace agent_doc::plugins
