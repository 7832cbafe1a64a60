// What it is: the version of agent-doc, as CMakeLists.txt has it.
// Thread rule: constants.
#pragma once

#include <string_view>

namespace agent_doc::protocol {

/// "0.2.0"
extern const std::string_view kServerVersion;

}  // namespace agent_doc::protocol
