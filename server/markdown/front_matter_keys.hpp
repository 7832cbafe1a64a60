// What it is: the keys of the front matter that are ours, in one table: reading, completion, hover,
// diagnostics and the documents go by it.
// What it is not: how the values are read and what they cause (front_matter.hpp, server/session).
// Thread rule: constants.
#pragma once

#include <string_view>
#include <vector>

namespace agent_doc::markdown {

/// Where the values come from, for a person who asks for one.
enum class ValueSource {
  Anything,  ///< or what only the server knows to write
  Fixed,     ///< `values`
  Agents,
  Models,
};

enum class Tells {
  Nothing,          ///< other programs use the name, too
  SessionDocument,  ///< a document that has it is ours
};

struct FrontMatterKey {
  std::string_view key;
  std::string_view text;   ///< one or two sentences, markdown
  std::string_view alias;  ///< an older name, which is read where `key` is missing; may be empty
  Tells tells = Tells::Nothing;
  ValueSource source = ValueSource::Anything;
  std::vector<std::string_view> values;  ///< the default first
};

/// In the order in which they are offered.
const std::vector<FrontMatterKey>& front_matter_keys();
/// The row of `key`, of its alias, or of `NAME_model`. Null for a key that is none of ours.
const FrontMatterKey* find_front_matter_key(std::string_view key);
/// True for the keys of the table that tell it, for `response_mode` of older documents, and for all
/// that begin with "agent_doc_".
bool tells_session_document(std::string_view key);

}  // namespace agent_doc::markdown
