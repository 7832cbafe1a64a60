// The version of agent-doc, from CMakeLists.txt. The number of the protocol is in agent_doc.hpp.
#pragma once

#include <string_view>

namespace agent_doc::protocol {

/// "0.2.0"
extern const std::string_view kServerVersion;

}  // namespace agent_doc::protocol
