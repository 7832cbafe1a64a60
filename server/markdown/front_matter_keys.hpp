// The table of our front matter keys, which reading, completion, hover, diagnostics and the
// documentation share.
#pragma once

#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// Where completion takes the values from.
enum class ValueSource {
  Anything,  ///< free text, or written by the server only
  Fixed,     ///< the row's `values`
  Agents,
  Models,
};

enum class Marks {
  Nothing,          ///< other programs use the name, too
  SessionDocument,  ///< marks a document as ours
};

struct FrontMatterKey {
  std::string_view key;
  std::string_view text;  ///< one or two sentences of markdown
  /// An older name, which is read when `key` is missing; may be empty.
  std::string_view alias;
  Marks marks = Marks::Nothing;
  ValueSource source = ValueSource::Anything;
  std::vector<std::string_view> values;  ///< the default comes first
};

/// Returns the rows in the order in which completion offers them.
const std::vector<FrontMatterKey>& front_matter_keys();
/// Returns the row of `key`, of its alias, or of `NAME_model`. Null when the key is none of ours.
const FrontMatterKey* find_front_matter_key(std::string_view key);
/// Returns true for the keys that mark a session document: those of the table, `response_mode` of
/// older documents, and all that begin with "agent_doc_".
bool marks_session_document(std::string_view key);

}  // namespace agent_doc::markdown
