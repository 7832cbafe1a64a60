#include "server/turn/error_text.hpp"

#include <string>

namespace agent_doc::turn {
namespace {

/// A shorter text may stand in a failure's message by chance.
constexpr std::size_t kMinRepeated = 12;

/// In small letters and without blanks: agents wrap one and not the other.
std::string dense(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\t') continue;
    result.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return result;
}

/// The programs' own words for a request that failed; claude, gemini and those made from it print
/// them for the answer. An answer may well begin with "Error:", so other words count only where the
/// failure says them again.
bool begins_as_request_error(std::string_view dense) {
  return dense.starts_with("apierror:") || dense.starts_with("[apierror:") ||
         dense.starts_with("failedtoauthenticate.apierror:") || dense.starts_with("invalidapikey·");
}

}  // namespace

bool is_error_text(std::string_view text, std::string_view failure) {
  if (failure.empty() || text.size() > kMaxErrorText) return false;
  const std::string said = dense(text);
  if (said.empty()) return false;
  const bool is_one_paragraph =
      text.substr(0, text.find_last_not_of(" \n") + 1).find("\n\n") == std::string_view::npos;
  if (is_one_paragraph && begins_as_request_error(said)) return true;
  return said.size() >= kMinRepeated && dense(failure).find(said) != std::string::npos;
}

}  // namespace agent_doc::turn
