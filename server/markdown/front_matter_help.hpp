// What it is: where in the front matter a key or a value is being typed, for completion.
// What it is not: which keys there are (front_matter_keys.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::markdown {

/// What is being typed at a place in front matter. Bytes of the document that what is chosen
/// replaces.
struct CompletionPlace {
  std::optional<std::string> key;  ///< whose value it is; nothing: a key
  std::size_t begin = 0;
  std::size_t end = 0;
  bool lacks_colon = false;  ///< a key, and no colon behind it
  bool lacks_space = false;  ///< a value, directly behind the colon
};
/// Nothing outside of the front matter, in a comment, and in the inside of a map or list.
std::optional<CompletionPlace> completion_place(std::string_view document,
                                                const FrontMatter& front_matter, std::size_t at);

}  // namespace agent_doc::markdown
