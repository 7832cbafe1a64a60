#include "server/lsp/turns/turn_words.hpp"

#include <algorithm>

namespace agent_doc::lsp {

namespace {

constexpr std::int64_t kMicrosPerCent = 10'000;
constexpr std::int64_t kMicrosPerDollar = 1'000'000;

std::string padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  digits.insert(0, width - std::min(width, digits.size()), '0');
  return digits;
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string duration_words(std::chrono::milliseconds elapsed) {
  const std::int64_t tenths = elapsed.count() / 100;
  const std::int64_t seconds = elapsed.count() / 1000;
  if (seconds < 10) return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  if (seconds < 60) return std::to_string(seconds) + " s";
  return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
}

std::string cost_words(std::int64_t micros) {
  if (micros >= kMicrosPerCent) {
    const std::int64_t cents = (micros + kMicrosPerCent / 2) / kMicrosPerCent;
    return "$" + std::to_string(cents / 100) + "." + padded(cents % 100, 2);
  }
  std::int64_t unit = 1;
  while (micros / unit >= 100) unit *= 10;
  const std::int64_t rounded = (micros + unit / 2) / unit * unit;
  std::string digits = padded(rounded % kMicrosPerDollar, 6);
  digits.erase(digits.find_last_not_of('0') + 1);
  return "$0." + digits;
}

std::string turn_words(const session::TurnView& view) {
  std::string words = view.agent + " · " + std::string(turn::name_of(view.state));
  if (!view.model.empty()) words += " · " + view.model;
  const std::int64_t input = view.usage.input + view.usage.cache_read + view.usage.cache_write;
  if (input > 0 || view.usage.output > 0)
    words += " · " + grouped(input) + " tokens in, " + grouped(view.usage.output) + " out";
  if (view.usage.cost_micros > 0) words += " · " + cost_words(view.usage.cost_micros);
  return words + " · " + duration_words(view.elapsed);
}

}  // namespace agent_doc::lsp
