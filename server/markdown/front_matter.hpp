// Reads our keys from the front matter of a document, and makes the smallest edit that sets one of
// them. It works on lines and is no YAML implementation: comments, order, quoting, unknown keys and
// half-typed lines stay unchanged byte for byte, and what cannot be read becomes a problem in a
// list.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::markdown {

/// Something the user should fix, with its place in bytes of the document.
struct Problem {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};

/// A top-level `key: value` line. [value_begin, value_end) are the bytes in the document; `value`
/// is what they mean, without quotes and escapes.
struct FrontMatterEntry {
  std::string key;
  std::string value;  ///< unquoted scalar; empty for a map
  /// For `key: {a: b}`, and for an indented block of `a: b` lines.
  std::map<std::string, std::string> map;
  bool is_map = false;
  std::size_t line_begin = 0;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
};

struct FrontMatter {
  bool present = false;
  bool too_long = false;  ///< not `present`, because it exceeds the limits
  std::size_t begin = 0;  ///< of the opening `---` line
  /// After the closing `---` line and its line end. Without front matter: 0, or after the BOM.
  std::size_t body_begin = 0;
  std::size_t close_begin = 0;  ///< of the closing `---` line, where a new key goes
  /// In order. When a key occurs twice, the last one counts.
  std::vector<FrontMatterEntry> entries;
  std::vector<Problem> problems;

  const FrontMatterEntry* find(std::string_view key) const;
  /// Returns the scalar of `key` or of its alias, or an empty string.
  std::string value_of(std::string_view key) const;
  /// Returns true when a key marks the document as a session document (front_matter_keys.hpp).
  bool is_session_document() const;
};

/// Reads the front matter of `document`. Costs the front matter, not the document. One that exceeds
/// kMaxFrontMatterBytes or kMaxFrontMatterLines is not present, with a problem.
FrontMatter read_front_matter(std::string_view document);
inline constexpr std::size_t kMaxFrontMatterBytes = 256 * 1024;
inline constexpr std::size_t kMaxFrontMatterLines = 5000;

/// Returns the edit that sets `key` to `value`, or nullopt when it is set already or the front
/// matter is too long to be read. Adds the front matter, or a line at its end, when needed, with
/// the line end of the document. Quotes `value` when YAML would read it as something else. `resume`
/// is a map: `agent` names the entry to set, and without `agent` the whole map is replaced.
std::optional<text::Edit> set_value(std::string_view document, std::string_view key,
                                    std::string_view value, std::string_view agent = {});
/// Returns the edit that replaces the scalar of `key` by the map `entries`, on one line, or nullopt
/// when the key is missing or a map.
std::optional<text::Edit> replace_by_map(
    std::string_view document, std::string_view key,
    const std::vector<std::pair<std::string, std::string>>& entries);
/// Returns the edit that removes the whole line of `key`, or nullopt when there is none. With
/// `agent`, removes that entry of a map, and the whole key with its last entry.
std::optional<text::Edit> remove_key(std::string_view document, std::string_view key,
                                     std::string_view agent = {});

}  // namespace agent_doc::markdown
