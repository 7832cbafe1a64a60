// Finds the key or value that is being typed in front matter, for completion. The keys themselves
// are in front_matter_keys.hpp.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::markdown {

/// The key or value being typed. [begin, end) are the bytes of the document that the chosen
/// completion replaces.
struct CompletionPlace {
  std::optional<std::string> key;  ///< the key whose value is typed; absent while a key is typed
  std::size_t begin = 0;
  std::size_t end = 0;
  bool lacks_colon = false;  ///< a key without a colon after it
  bool lacks_space = false;  ///< a value directly after the colon
};
/// Returns the place at `at`, or nullopt outside the front matter, in a comment, and inside a map
/// or a list.
std::optional<CompletionPlace> completion_place(std::string_view document,
                                                const FrontMatter& front_matter, std::size_t at);

}  // namespace agent_doc::markdown
