// What it is: what a person may want to know of the keys of the front matter: which there are, what they do, which values they take.
// What it is not: how the values are read and what they cause (front_matter.hpp, server/session).
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <cstddef>
#include <optional>
#include <string>
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

struct KeyHelp {
  std::string_view key;
  std::string_view text;  ///< one or two sentences
  ValueSource source = ValueSource::Anything;
  std::vector<std::string_view> values;  ///< the default first
};

/// In the order in which they are offered.
const std::vector<KeyHelp>& key_help();
/// Of `key` or of a key that it is an alias of; `NAME_model` too. Null for a key that is none of ours.
const KeyHelp* find_key_help(std::string_view key);

/// What is being typed at a place in front matter. Bytes of the document that what is chosen replaces.
struct CompletionPlace {
  std::optional<std::string> key;  ///< whose value it is; nothing: a key
  std::size_t begin = 0;
  std::size_t end = 0;
  bool lacks_colon = false;  ///< a key, and no colon behind it
  bool lacks_space = false;  ///< a value, directly behind the colon
};
/// Nothing outside of the front matter, in a comment, and in the inside of a map or list.
std::optional<CompletionPlace> completion_place(std::string_view document, const FrontMatter& front_matter, std::size_t at);

}  // namespace agent_doc::markdown
