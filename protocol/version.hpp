// What it is: the version of agent-doc, as CMakeLists.txt has it.
// What it is not: the number of the protocol (agent_doc.hpp).
// Thread rule: constants.
#pragma once

#include <string_view>

namespace agent_doc::protocol {

/// "0.2.0"
extern const std::string_view kServerVersion;

}  // namespace agent_doc::protocol
