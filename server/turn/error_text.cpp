#include "server/turn/error_text.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace agent_doc::turn {
namespace error_text_internal {

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

bool begins_as_error(std::string_view dense) {
  constexpr auto kBegins =
      std::to_array<std::string_view>({"apierror", "[apierror", "error:", "[error", "executionerror", "internalerror"});
  return std::any_of(kBegins.begin(), kBegins.end(), [dense](std::string_view begin) { return dense.starts_with(begin); });
}

}  // namespace error_text_internal

bool is_error_text(std::string_view text, std::string_view failure) {
  if (failure.empty() || text.size() > kMaxErrorText) return false;
  const std::string said = error_text_internal::dense(text);
  if (said.empty()) return false;
  const bool is_one_paragraph = text.substr(0, text.find_last_not_of(" \n") + 1).find("\n\n") == std::string_view::npos;
  if (is_one_paragraph && error_text_internal::begins_as_error(said)) return true;
  return said.size() >= error_text_internal::kMinRepeated && error_text_internal::dense(failure).find(said) != std::string::npos;
}

}  // namespace agent_doc::turn
