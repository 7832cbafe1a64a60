// What it is: how many bytes this program has allocated and not given back, counted by an operator
// new of its own.
// What it is not: the memory of libraries that call malloc themselves (SQLite).
// Thread rule: thread-safe.
#pragma once

#include <cstddef>

namespace agent_doc::soak {

std::size_t live_bytes();

}  // namespace agent_doc::soak
