// What it is: a unified diff applied to a text, strictly: every line that it names must be there.
// What it is not: how it is made (server/text/unified_diff).
// Thread rule: a pure function.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::test {

inline std::vector<std::string> lines_with_ends(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

/// Nothing when `diff` does not fit `before`.
inline std::optional<std::string> patched(std::string_view before, std::string_view diff) {
  const std::vector<std::string> old = lines_with_ends(before);
  std::string after;
  std::size_t at = 0;
  for (const std::string& line : lines_with_ends(diff)) {
    if (line.starts_with("@@ -")) {
      char* end = nullptr;
      std::size_t first = std::strtoul(line.c_str() + 4, &end, 10);
      const bool is_empty = std::string_view(end).starts_with(",0 ");
      if (!is_empty) --first;
      if (first < at || first > old.size()) return std::nullopt;
      while (at < first) after += old[at++];
      continue;
    }
    const std::string text = line.substr(1);
    if (line[0] == '+') {
      after += text;
      continue;
    }
    if ((line[0] != ' ' && line[0] != '-') || at >= old.size() || old[at] != text)
      return std::nullopt;
    if (line[0] == ' ') after += text;
    ++at;
  }
  while (at < old.size()) after += old[at++];
  return after;
}

}  // namespace agent_doc::test
