// What it is: the front matter of a document by line surgery: reads our keys, and makes the
// smallest edit that sets one of them.
// What it is not: a YAML implementation. Comments, order, quoting, unknown keys and half-typed
// lines stay byte for byte; what cannot be read is a problem in a list, never an error.
// Thread rule: pure functions.
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

/// Something that a person should mend. Bytes of the document.
struct Problem {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};

/// A top-level `key: value` line. Value bytes exclude quotes' meaning: [value_begin, value_end) is
/// what stands in the document, `value` what it means.
struct FrontMatterEntry {
  std::string key;
  std::string value;  ///< unquoted scalar; empty for a map
  std::map<std::string, std::string>
      map;  ///< for `key: {a: b}` and for an indented block of `a: b` lines
  bool is_map = false;
  std::size_t line_begin = 0;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
};

struct FrontMatter {
  bool present = false;
  bool too_long = false;  ///< not `present`, for it is over the limits
  std::size_t begin = 0;  ///< of the opening `---` line
  std::size_t body_begin =
      0;  ///< behind the closing `---` line and its line end; 0 or behind a BOM when there is none
  std::size_t close_begin = 0;  ///< of the closing `---` line: where a new key goes
  std::vector<FrontMatterEntry>
      entries;  ///< in order; of a key that stands twice the last one counts
  std::vector<Problem> problems;

  const FrontMatterEntry* find(std::string_view key) const;
  /// The scalar of `key`, or of its alias; empty when there is neither.
  std::string value_of(std::string_view key) const;
  /// True when the document has a key that tells it (front_matter_keys.hpp).
  bool is_session_document() const;
};

/// Looks only at the start of `document`: costs the front matter, not the document. At most
/// kMaxFrontMatterBytes and kMaxFrontMatterLines, else "not present" and a problem.
FrontMatter read_front_matter(std::string_view document);
inline constexpr std::size_t kMaxFrontMatterBytes = 256 * 1024;
inline constexpr std::size_t kMaxFrontMatterLines = 5000;

/// The edit that makes `key` say `value`, or nothing when it does. Adds the front matter, or a line
/// before its end, when needed, with the document's own line end. `value` is quoted when YAML would
/// read it otherwise. For `resume` that is a map, `agent` names the entry to set; without `agent`
/// the whole map is replaced. Nothing, too, for a front matter that is too long to be read.
std::optional<text::Edit> set_value(std::string_view document, std::string_view key,
                                    std::string_view value, std::string_view agent = {});
/// The edit that puts the map `entries`, on one line, in the place of the scalar of `key`; nothing
/// when that is not there or is a map.
std::optional<text::Edit> replace_by_map(
    std::string_view document, std::string_view key,
    const std::vector<std::pair<std::string, std::string>>& entries);
/// The edit that takes the whole line of `key` away (or the entry of `agent` of a map; the whole
/// key with its last entry), or nothing.
std::optional<text::Edit> remove_key(std::string_view document, std::string_view key,
                                     std::string_view agent = {});

}  // namespace agent_doc::markdown
