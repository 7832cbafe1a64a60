// What it is: a long text cut for display, between two characters. What it is not: the removal of
// what a terminal would obey, which is turn/sanitiser. Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Returns the longest beginning of well-formed `bytes` that has at most `limit` bytes and cuts no
/// character. It refers to `bytes`.
std::string_view beginning(std::string_view bytes, std::size_t limit);

/// Returns `bytes`, or its beginning and "… (N bytes more)", which may exceed `limit`.
std::string shortened(std::string_view bytes, std::size_t limit);

}  // namespace agent_doc::text
