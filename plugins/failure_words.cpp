#include "plugins/failure_words.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace agent_doc::plugins {
namespace failure_words_internal {

struct Words {
  std::string_view words;  ///< in small letters
  FailureKind kind;
};

/// The first that is found counts.
constexpr std::array kWords = {
    Words{"not logged in", FailureKind::Auth},
    Words{"log in", FailureKind::Auth},
    Words{"login", FailureKind::Auth},
    Words{"unauthorized", FailureKind::Auth},
    Words{"unauthenticated", FailureKind::Auth},
    Words{"authentication", FailureKind::Auth},
    Words{"invalid api key", FailureKind::Auth},
    Words{"api key not", FailureKind::Auth},
    Words{"no api key", FailureKind::Auth},
    Words{"rate limit", FailureKind::RateLimit},
    Words{"usage limit", FailureKind::RateLimit},
    Words{"too many requests", FailureKind::RateLimit},
    Words{"quota", FailureKind::RateLimit},
    Words{"overloaded", FailureKind::RateLimit},
    Words{"content filter", FailureKind::Refused},
    Words{"context length", FailureKind::Invalid},
    Words{"context window", FailureKind::Invalid},
    Words{"prompt is too long", FailureKind::Invalid},
    Words{"model not found", FailureKind::Invalid},
    Words{"unknown model", FailureKind::Invalid},
    Words{"invalid model", FailureKind::Invalid},
    Words{"fetch failed", FailureKind::Network},
    Words{"terminated", FailureKind::Network},
    Words{"timed out", FailureKind::Network},
    Words{"econn", FailureKind::Network},
    Words{"enotfound", FailureKind::Network},
    Words{"connection error", FailureKind::Network},
    Words{"connection refused", FailureKind::Network},
    Words{"connection reset", FailureKind::Network},
    Words{"unable to connect", FailureKind::Network},
    Words{"could not resolve", FailureKind::Network},
};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return small;
}

}  // namespace failure_words_internal

FailureKind kind_of_status(std::int64_t http_status) {
  if (http_status == 401 || http_status == 402 || http_status == 403) return FailureKind::Auth;
  if (http_status == 429 || http_status == 529) return FailureKind::RateLimit;
  if (http_status >= 500 && http_status < 600) return FailureKind::Network;
  if (http_status >= 400 && http_status < 500) return FailureKind::Invalid;
  return FailureKind::Unknown;
}

FailureKind kind_of_words(std::string_view text) {
  using failure_words_internal::kWords;
  const std::string small = failure_words_internal::in_small_letters(text);
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&small](const auto& one) { return small.find(one.words) != std::string::npos; });
  return found == kWords.end() ? FailureKind::Unknown : found->kind;
}

}  // namespace agent_doc::plugins
