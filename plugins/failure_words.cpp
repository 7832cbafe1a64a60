#include "plugins/failure_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::plugins {
namespace {

struct Words {
  std::string_view words;  ///< in lower case; matched at the beginning of a word
  FailureKind kind;
};

constexpr FailureKind kFull = FailureKind::ContextFull;
constexpr FailureKind kMax = FailureKind::MaxTokens;
constexpr FailureKind kAuth = FailureKind::Auth;
constexpr FailureKind kLimit = FailureKind::RateLimit;
constexpr FailureKind kCredit = FailureKind::NoCredit;
constexpr FailureKind kNetwork = FailureKind::Network;
constexpr FailureKind kRefused = FailureKind::Refused;
constexpr FailureKind kInvalid = FailureKind::Invalid;

/// Phrases that name the exact failure, whatever number comes with them. In each table the first
/// match counts.
constexpr auto kExact = std::to_array<Words>({
    {"max_output_tokens", kMax},
    {"output token maximum", kMax},
    {"output token limit", kMax},
    {"maximum output", kMax},
    {"context window", kFull},
    {"context length", kFull},
    {"context_length", kFull},
    {"context limit", kFull},
    {"context overflow", kFull},
    {"contextoverflow", kFull},
    {"model_context_window", kFull},
    {"maximum context", kFull},
    {"ran out of room", kFull},
    {"prompt is too long", kFull},
    {"prompt too long", kFull},
    {"prompt as too long", kFull},
    {"input is too long", kFull},
    {"input too long", kFull},
    {"conversation is too long", kFull},
    {"input token count", kFull},
    {"too many tokens", kFull},
    {"maximum number of tokens", kFull},
    {"reduce the length", kFull},
    {"retry in ", kLimit},  // a quota that recovers, although its message mentions billing
    {"credit balance", kCredit},
    {"credits", kCredit},
    {"out of credit", kCredit},
    {"insufficient_quota", kCredit},
    {"insufficient credit", kCredit},
    {"insufficient funds", kCredit},
    {"insufficient balance", kCredit},
    {"billing", kCredit},
    {"payment required", kCredit},
    {"content filter", kRefused},
    {"content_filter", kRefused},
    {"content policy", kRefused},
    {"usage policy", kRefused},
    {"usage policies", kRefused},
    {"refusal", kRefused},
    {"refused to answer", kRefused},
    {"refused to respond", kRefused},
    {"model refused", kRefused},
    {"unable to respond to this request", kRefused},
});

constexpr auto kWords = std::to_array<Words>({
    {"connection refused", kNetwork},
    {"not logged in", kAuth},
    {"logged out", kAuth},
    {"log in", kAuth},
    {"login", kAuth},
    {"sign in", kAuth},
    {"unauthori", kAuth},
    {"unauthenticated", kAuth},
    {"authentic", kAuth},
    {"forbidden", kAuth},
    {"permission_denied", kAuth},
    {"api key", kAuth},
    {"api-key", kAuth},
    {"api_key", kAuth},
    {"apikey", kAuth},
    {"x-api-key", kAuth},
    {"oauth", kAuth},
    {"credentials", kAuth},
    {"token expired", kAuth},
    {"token has expired", kAuth},
    {"missing environment variable", kAuth},
    {"rate limit", kLimit},
    {"rate-limit", kLimit},
    {"rate_limit", kLimit},
    {"ratelimit", kLimit},
    {"usage limit", kLimit},
    {"limit reached", kLimit},
    {"hit your limit", kLimit},
    {"too many requests", kLimit},
    {"quota", kLimit},
    {"resource_exhausted", kLimit},
    {"resource exhausted", kLimit},
    {"resource has been exhausted", kLimit},
    {"overloaded", kLimit},
    {"at capacity", kLimit},
    {"high demand", kLimit},
    {"service unavailable", kLimit},
    {"temporarily unavailable", kLimit},
    {"fetch failed", kNetwork},
    {"terminated by", FailureKind::Unknown},  // a process, not a connection
    {"terminated", kNetwork},
    {"timed out", kNetwork},
    {"timeout", kNetwork},
    {"etimedout", kNetwork},
    {"econn", kNetwork},
    {"enotfound", kNetwork},
    {"eai_again", kNetwork},
    {"ehostunreach", kNetwork},
    {"enetunreach", kNetwork},
    {"getaddrinfo", kNetwork},
    {"certificate", kNetwork},
    {"self-signed", kNetwork},
    {"self signed", kNetwork},
    {"self_signed", kNetwork},
    {"unable_to_verify", kNetwork},
    {"tls", kNetwork},
    {"connection", kNetwork},
    {"unable to connect", kNetwork},
    {"could not connect", kNetwork},
    {"failed to connect", kNetwork},
    {"cannot connect", kNetwork},
    {"could not resolve", kNetwork},
    {"network", kNetwork},
    {"socket", kNetwork},
    {"stream disconnected", kNetwork},
    {"transport error", kNetwork},
    {"error sending request", kNetwork},
    {"error decoding response", kNetwork},
    {"safety", kRefused},
    {"model not found", kInvalid},
    {"model_not_found", kInvalid},
    {"unknown model", kInvalid},
    {"invalid model", kInvalid},
    {"issue with the selected model", kInvalid},
    {"invalid request", kInvalid},
    {"invalid_request", kInvalid},
    {"invalid argument", kInvalid},
    {"invalid_argument", kInvalid},
    {"bad request", kInvalid},
});

constexpr auto kUnknownSession = std::to_array<std::string_view>({
    "no conversation found",
    "no rollout found",
    "session not found",
    "invalid session id",
    "error resuming session",
});

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Also removes terminal colours, whose letters would join the words.
std::string in_small_letters(std::string_view text) {
  std::string small;
  small.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("\x1b[")) {
      at = std::min(text.find_first_not_of("0123456789;", at + 2), text.size());
      continue;
    }
    const char c = text[at];
    small.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return small;
}

/// Matches at the beginning of a word: "catalog in" does not contain "log in".
bool has(const std::string& small, std::string_view words) {
  for (std::size_t at = small.find(words); at != std::string::npos;
       at = small.find(words, at + 1)) {
    if (at == 0 || !is_letter(small[at - 1])) return true;
  }
  return false;
}

template <std::size_t Size>
std::optional<FailureKind> first_of(const std::array<Words, Size>& table,
                                    const std::string& small) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&small](const Words& one) { return has(small, one.words); });
  return found == table.end() ? std::nullopt : std::optional(found->kind);
}

/// Returns the words of `small`, as views into it.
std::vector<std::string_view> words_of(std::string_view small) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < small.size();) {
    const std::size_t begin = at;
    while (at < small.size() && is_letter(small[at])) ++at;
    if (at > begin) words.push_back(small.substr(begin, at - begin));
    if (at == begin) ++at;
  }
  return words;
}

std::int64_t number_of(std::string_view word) {
  if (word.size() != 3 ||
      !std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return 0;
  return (word[0] - '0') * 100 + (word[1] - '0') * 10 + (word[2] - '0');
}

/// Finds an HTTP status in a text. A number counts when a neighbouring word says so or when it
/// begins a line, as some libraries write it ("401 invalid key"); not in "took 429 ms" or "429
/// tokens".
FailureKind kind_of_number_in(std::string_view small) {
  constexpr auto kBefore = std::to_array<std::string_view>(
      {"status", "statuscode", "code", "http", "error", "errors", "response", "returned", "with",
       "got", "failed", "apierror"});
  constexpr auto kBehind = std::to_array<std::string_view>(
      {"unauthorized", "forbidden", "too", "service", "overloaded", "internal", "bad", "not",
       "payment", "gateway", "request", "server"});
  constexpr auto kCounted = std::to_array<std::string_view>(
      {"ms", "s", "seconds", "bytes", "kb", "mb", "tokens", "lines", "files", "errors", "items"});
  const auto is_in = [](const auto& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  const std::vector<std::string_view> words = words_of(small);
  for (std::size_t index = 0; index < words.size(); ++index) {
    const FailureKind kind = kind_of_status(number_of(words[index]));
    if (kind == FailureKind::Unknown) continue;
    const bool is_alone = words.size() == 1;
    const bool is_named = index > 0 && is_in(kBefore, words[index - 1]);
    const bool has_reason = index + 1 < words.size() && is_in(kBehind, words[index + 1]);
    const bool is_of_http = index > 2 && words[index - 3] == "http";  // HTTP/1.1 503
    const bool begins_line =
        words[index].data() == small.data() || *(words[index].data() - 1) == '\n';
    const bool leads =
        begins_line && index + 1 < words.size() && !is_in(kCounted, words[index + 1]);
    if (is_alone || leads || is_named || has_reason || is_of_http) return kind;
  }
  return FailureKind::Unknown;
}

}  // namespace

FailureKind kind_of_status(std::int64_t http_status) {
  if (http_status == 401 || http_status == 403) return FailureKind::Auth;
  if (http_status == 402) return FailureKind::NoCredit;
  if (http_status == 408) return FailureKind::Network;
  if (http_status == 413) return FailureKind::ContextFull;
  if (http_status == 429 || http_status == 503 || http_status == 529) return FailureKind::RateLimit;
  if (http_status >= 500 && http_status < 600) return FailureKind::Network;
  if (http_status >= 400 && http_status < 500) return FailureKind::Invalid;
  return FailureKind::Unknown;
}

FailureKind kind_of_failure(std::int64_t http_status, std::string_view text) {
  const std::string small = in_small_letters(text);
  if (const auto exact = first_of(kExact, small)) return *exact;
  if (const FailureKind kind = kind_of_status(http_status); kind != FailureKind::Unknown)
    return kind;
  if (const FailureKind kind = kind_of_number_in(small); kind != FailureKind::Unknown) return kind;
  return first_of(kWords, small).value_or(FailureKind::Unknown);
}

FailureKind kind_of_words(std::string_view text) {
  return kind_of_failure(0, text);
}

bool says_session_unknown(std::string_view text) {
  const std::string small = in_small_letters(text);
  return std::any_of(
      kUnknownSession.begin(), kUnknownSession.end(),
      [&small](std::string_view words) { return small.find(words) != std::string::npos; });
}

bool is_about_certificates(std::string_view text) {
  const std::string small = in_small_letters(text);
  return has(small, "certificate") || has(small, "self-signed") || has(small, "self_signed") ||
         has(small, "self signed") || has(small, "unable_to_verify");
}

}  // namespace agent_doc::plugins
