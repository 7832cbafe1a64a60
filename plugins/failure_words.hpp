// What it is: what kind of failure an error is, from the number or the words that services and programs use for it.
// What it is not: for words of one agent only; its plugin knows these.
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <cstdint>
#include <string_view>

namespace agent_doc::plugins {

/// Unknown for what is no error of HTTP.
FailureKind kind_of_status(std::int64_t http_status);
/// Unknown when nothing in `text` tells.
FailureKind kind_of_words(std::string_view text);

}  // namespace agent_doc::plugins
