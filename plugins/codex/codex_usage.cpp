#include "plugins/codex/codex_usage.hpp"

#include "plugins/json_line.hpp"

#include <algorithm>

namespace agent_doc::plugins {
namespace {

std::int64_t tokens_of(const boost::json::object& tokens, std::string_view key) {
  constexpr std::int64_t kMost = 1'000'000'000'000;  // larger numbers are implausible
  return std::clamp<std::int64_t>(integer_of(tokens, key, 0), 0, kMost);
}

Usage without_cache(Usage usage) {
  usage.input = std::max<std::int64_t>(usage.input - usage.cache_read - usage.cache_write, 0);
  return usage;
}

Usage read(const boost::json::object& tokens) {
  Usage usage;
  usage.input = tokens_of(tokens, "inputTokens");
  usage.output = tokens_of(tokens, "outputTokens");
  usage.cache_read = tokens_of(tokens, "cachedInputTokens");
  usage.cache_write = tokens_of(tokens, "cacheWriteInputTokens");
  return without_cache(usage);
}

Usage difference(const Usage& all, const Usage& part) {
  Usage rest;
  rest.input = std::max<std::int64_t>(all.input - part.input, 0);
  rest.output = std::max<std::int64_t>(all.output - part.output, 0);
  rest.cache_read = std::max<std::int64_t>(all.cache_read - part.cache_read, 0);
  rest.cache_write = std::max<std::int64_t>(all.cache_write - part.cache_write, 0);
  return rest;
}

}  // namespace

Usage codex_exec_usage(const boost::json::object& tokens) {
  Usage usage;
  usage.input = tokens_of(tokens, "input_tokens");
  usage.output = tokens_of(tokens, "output_tokens");
  usage.cache_read = tokens_of(tokens, "cached_input_tokens");
  usage.cache_write = tokens_of(tokens, "cache_write_input_tokens");
  return without_cache(usage);
}

void CodexUsage::update(const boost::json::object& params, Of turn, Actions& actions) {
  const boost::json::object* usage = object_of(params, "tokenUsage");
  const boost::json::object* total = usage != nullptr ? object_of(*usage, "total") : nullptr;
  if (total == nullptr) return actions.emit(Unrecognised{"thread/tokenUsage/updated"});
  const Usage sum = read(*total);
  if (turn == Of::ThisTurn) {
    const boost::json::object* last = object_of(*usage, "last");
    if (!last_sum_) last_sum_ = last != nullptr ? difference(sum, read(*last)) : Usage{};
    const Usage used = difference(sum, *last_sum_);
    if (used.input + used.output + used.cache_read + used.cache_write > 0) actions.emit(used);
  }
  last_sum_ = sum;
}

}  // namespace agent_doc::plugins
